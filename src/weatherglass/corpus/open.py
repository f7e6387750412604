"""`open_corpus`: from the name of a corpus to its documents."""

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
from .formats import CorpusFormat, Document, Reading, check_encoding
from .metadata import joining_column, read_file_metadata, select_files

FORMATS = (text.PLAIN_TEXT, tables.CSV, tables.TSV, tables.JSON_LINES, tables.PARQUET, tei.TEI)
_COMPRESSED_SUFFIXES = (".gz", ".zst", ".xz", ".zip")


def open_corpus(
    source: str | os.PathLike[str] | Iterable[str | Document] | Corpus,
    *,
    text: str | None = None,
    documents: str | None = None,
    encoding: str | None = None,
    format: str | None = None,
    about: str | os.PathLike[str] | None = None,
) -> Corpus:
    """Open a corpus: a file, a folder of files, or texts in memory.

    Files are plain text, CSV, TSV, JSON Lines, Parquet or TEI XML, all but Parquet also compressed
    as ``.gz``, ``.zst``, ``.xz`` or ``.zip``. The options can also follow the path, as in
    ``"letters.csv?text=body"``.

    Parameters
    ----------
    source
        A path, or an iterable of texts or documents.
    text
        The column of a table that holds the text; default ``text``.
    documents
        What one document is. In plain text: ``file`` (the default), ``lines`` or ``paragraphs``;
        in TEI: ``file`` or ``paragraphs``; in a table: a column, to join neighbouring rows with
        the same value; by default each row is a document. A column of `about` joins all files
        with the same value into one document.
    encoding
        The text encoding, such as ``latin-1``; default UTF-8.
    format
        ``text``, ``csv``, ``tsv``, ``jsonl``, ``parquet`` or ``tei``, if the file name does not
        tell.
    about
        A table (CSV, TSV, JSON Lines or Parquet) with metadata for each file of a folder. Its
        column ``file`` holds the names; files that it does not name are left out, and the others
        are read in its order.

    Returns
    -------
    Corpus
        Iterate over it, any number of times, for its documents. Nothing is read before.

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
    arguments = {"text": text, "documents": documents, "encoding": encoding, "format": format}
    arguments["about"] = None if about is None else os.fsdecode(about)
    spec = parse_spec(os.fsdecode(source))
    options = spec.options | {name: value for name, value in arguments.items() if value is not None}
    path = Path(spec.rest)
    if spec.scheme is not None or not os.path.exists(path):
        raise SourceNotFound(f"There is no file or folder {quote_safe(spec.text, 1000)}.")
    forced = _find_format(options.pop("format", None))
    files, left_out = _list_files(path, forced, options)
    table, file_metadata, joined_by = options.get("about"), {}, None
    if table is not None:
        file_metadata = read_file_metadata(Path(table), _format_of_name(Path(table)))
        joined_by = joining_column(options.get("documents"), file_metadata, Path(table))
        files, unnamed = select_files(files, file_metadata, Path(table), joined_by)
        left_out += unnamed
    allowed = {option for file in files for option in file.form.options}
    allowed |= {"member"} if any(file.path.suffix == ".zip" for file in files) else set()
    check_options(Spec(spec.text, None, spec.rest, options), allowed | {"format", "about"})
    if "encoding" in options:
        check_encoding(options["encoding"])
    unit = options.get("documents") if joined_by is None else None
    return Corpus(
        spec.text,
        files,
        Reading(options.get("text"), unit, options.get("encoding")),
        {name: options[name] for name in ("member",) if name in options},
        left_out=left_out,
        file_metadata=file_metadata,
        joined_by=joined_by,
    )


def _find_format(name: str | None) -> CorpusFormat | None:
    formats = {form.name: form for form in FORMATS}
    if name is None or name in formats:
        return formats.get(name or "")
    raise UsageError(
        f"There is no corpus format {quote_safe(name)}; the formats are {', '.join(formats)}."
        + did_you_mean(name, formats)
    )


def _list_files(
    path: Path, forced: CorpusFormat | None, options: dict[str, str]
) -> tuple[tuple[CorpusFile, ...], tuple[str, ...]]:
    """Return the files of a corpus in the order of their names, and the names of those left out."""
    if not path.is_dir():
        form = forced or _format_of_name(path) or _format_of_content(path, options)
        return (CorpusFile(path, path.name, form),), ()
    files: list[CorpusFile] = []
    left_out: list[str] = []
    for folder, subfolders, names in os.walk(path):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        for name in sorted(names):
            if name.startswith("."):
                continue
            file = Path(folder, name)
            file_format = forced or _format_of_name(file)
            relative_name = file.relative_to(path).as_posix()
            if file_format is None:
                left_out.append(relative_name)
            else:
                files.append(CorpusFile(file, relative_name, file_format))
    if not files:
        existing = join_first(map(quote_safe, left_out)) or "nothing"
        suffixes = ", ".join(suffix for form in FORMATS for suffix in form.suffixes)
        raise BadContent(
            f"{path} has no file to read; there is {existing}. Expected names that end in "
            f"{suffixes}, or in one of these and {', '.join(_COMPRESSED_SUFFIXES)}. Otherwise name "
            f"the format: {path.name}?format=text."
        )
    return tuple(files), tuple(left_out)


def _format_of_name(path: Path) -> CorpusFormat | None:
    name = path.with_suffix("") if path.suffix.lower() in _COMPRESSED_SUFFIXES else path
    suffix = name.suffix.lower()
    return next((form for form in FORMATS if suffix in form.suffixes), None)


def _format_of_content(path: Path, options: dict[str, str]) -> CorpusFormat:
    """Return the format of a file whose name does not tell."""
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
            f"{path} is a single JSON value, which cannot be streamed: expected JSON Lines, one "
            "object per line."
        )
    return text.PLAIN_TEXT
