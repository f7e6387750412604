"""`open_corpus`: from a corpus's name to its documents, one after another."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from weatherglass._files import Input
from weatherglass.corpus.formats import tables, tei, text
from weatherglass.errors import (
    BadContent,
    SourceNotFound,
    UsageError,
    did_you_mean,
    join_first,
    quote_safe,
)
from weatherglass.vectors import Spec, check_options, parse_spec

from .corpus import Corpus, CorpusFile
from .document import Document
from .formats import CorpusFormat, Reading, check_encoding
from .metadata import in_its_order, read_about, shared_by

FORMATS = (text.PLAIN_TEXT, tables.CSV, tables.TSV, tables.JSON_LINES, tables.PARQUET, tei.TEI)
_PACKINGS = (".gz", ".zst", ".xz", ".zip")


def open_corpus(
    source: str | os.PathLike[str] | Iterable[str | Document] | Corpus,
    *,
    text: str | None = None,
    documents: str | None = None,
    encoding: str | None = None,
    format: str | None = None,
    about: str | os.PathLike[str] | None = None,
) -> Corpus:
    """Open a corpus: a file, a folder of files, or texts that are there already.

    Files are plain text, CSV, TSV, JSON Lines, Parquet or TEI XML, all but Parquet also inside
    ``.gz``, ``.zst``, ``.xz`` or ``.zip``. The options can also follow the path, as in
    ``"letters.csv?text=body"``.

    Parameters
    ----------
    source
        A path, or an iterable of texts or of documents.
    text
        The column of a table that holds the text; ``text`` if not given.
    documents
        What one document is. In plain text: ``file`` (the default), ``lines`` or ``paragraphs``;
        in TEI: ``file`` or ``paragraphs``; in a table: a column, whose neighbouring rows with
        the same value are one document. Without it each row is one. A column of `about` makes
        all files with the same value one document.
    encoding
        Such as ``latin-1``; UTF-8 if not given.
    format
        ``text``, ``csv``, ``tsv``, ``jsonl``, ``parquet`` or ``tei``, where the name does not
        tell.
    about
        A table, CSV, TSV, JSON Lines or Parquet, of what is known of each file of a folder. Its
        column ``file`` has the names; files that it does not name are left out, and the others
        are read in its order.

    Returns
    -------
    Corpus
        Iterate over it, again and again, for its documents. Nothing is read before.

    Examples
    --------
    >>> corpus = open_corpus(["A warm day.", "A cold night."])
    >>> sum(len(document.text) for document in corpus)
    24
    """
    if isinstance(source, Corpus):
        return source
    if not isinstance(source, str | os.PathLike):
        return Corpus.of(source)
    given = {"text": text, "documents": documents, "encoding": encoding, "format": format}
    given["about"] = None if about is None else os.fsdecode(about)
    spec = parse_spec(os.fsdecode(source))
    options = spec.options | {name: one for name, one in given.items() if one is not None}
    path = Path(spec.rest)
    if spec.scheme is not None or not os.path.exists(path):
        raise SourceNotFound(f"There is no file or folder {quote_safe(spec.text, 1000)}.")
    forced = _named(options.pop("format", None))
    files, left_out = _files(path, forced, options)
    table, known_of, together = options.get("about"), {}, None
    if table is not None:
        known_of = read_about(Path(table), _by_name(Path(table)))
        together = shared_by(options.get("documents"), known_of, Path(table))
        files, unnamed = in_its_order(files, known_of, Path(table), together)
        left_out += unnamed
    known = {option for one in files for option in one.form.options}
    known |= {"member"} if any(one.path.suffix == ".zip" for one in files) else set()
    check_options(Spec(spec.text, None, spec.rest, options), known | {"format", "about"})
    if "encoding" in options:
        check_encoding(options["encoding"])
    unit = options.get("documents") if together is None else None
    reading = Reading(options.get("text"), unit, options.get("encoding"))
    packed = {name: options[name] for name in ("member",) if name in options}
    return Corpus(
        spec.text, files, reading, packed, left_out=left_out, about=known_of, together=together
    )


def _named(name: str | None) -> CorpusFormat | None:
    known = {form.name: form for form in FORMATS}
    if name is None or name in known:
        return known.get(name or "")
    raise UsageError(
        f"There is no corpus format {quote_safe(name)}; the formats are {', '.join(known)}."
        + did_you_mean(name, known)
    )


def _files(
    path: Path, forced: CorpusFormat | None, options: dict[str, str]
) -> tuple[tuple[CorpusFile, ...], tuple[str, ...]]:
    """The files of a corpus in the order of their names, and those that are left out."""
    if not path.is_dir():
        form = forced or _by_name(path) or _by_content(path, options)
        return (CorpusFile(path, path.name, form),), ()
    files: list[CorpusFile] = []
    left_out: list[str] = []
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.startswith("."):
                continue
            file = Path(folder, name)
            kind = forced or _by_name(file)
            called = file.relative_to(path).as_posix()
            if kind is None:
                left_out.append(called)
            else:
                files.append(CorpusFile(file, called, kind))
    if not files:
        there = join_first(map(quote_safe, left_out)) or "nothing"
        endings = ", ".join(suffix for form in FORMATS for suffix in form.suffixes)
        raise BadContent(
            f"{path} has no file to read; there is {there}. Expected names that end in {endings}, "
            f"or in {', '.join(_PACKINGS)} after that; or say what they are: "
            f"{path.name}?format=text."
        )
    return tuple(files), tuple(left_out)


def _by_name(path: Path) -> CorpusFormat | None:
    name = path.with_suffix("") if path.suffix.lower() in _PACKINGS else path
    suffix = name.suffix.lower()
    return next((form for form in FORMATS if suffix in form.suffixes), None)


def _by_content(path: Path, options: dict[str, str]) -> CorpusFormat:
    """The format of a file whose name does not tell."""
    if not path.stat().st_size:
        return text.PLAIN_TEXT
    head = Input(path, options).head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"PAR1"):
        return tables.PARQUET
    if head.startswith(b"{"):
        return tables.JSON_LINES
    if head.startswith((b"<?xml", b"<TEI", b"<teiCorpus")):
        return tei.TEI
    if path.suffix.lower() == ".json":
        raise BadContent(
            f"{path} is one JSON value, which would have to be read whole: expected JSON Lines, an "
            "object a line."
        )
    return text.PLAIN_TEXT
