"""Tables for papers: rows as Markdown, and the publications to cite, also as BibTeX."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .latex import is_numeric

Row = Mapping[str, Any]

STYLES = ("markdown", "latex")

_BIBTEX = {"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "–": "--", "{": "", "}": "", "\\": ""}
_CITATION = re.compile(
    r"(?P<authors>.+?) \((?P<year>\d{4})\)\. (?P<title>.+?[.?!]) (?P<place>.+?)\.?"
)


@dataclass(frozen=True)
class CitedTest:
    """A test whose publication is cited, or that of WEAT if the test is the user's own."""

    test: str
    measure: str = "weat"
    section: str = "words"


def markdown(rows: Sequence[Row], title: str | None = None) -> str:
    """Format rows as a Markdown table.

    >>> print(markdown([{"word": "a|b", "n": 1}]), end="")
    | word | n |
    | --- | ---: |
    | a\\|b | 1 |
    """
    names = list(rows[0]) if rows else []
    lines = [f"**{_markdown(title)}**", ""] if title else []
    lines.append(_line(_markdown(name) for name in names))
    numeric = {name for name in names if is_numeric([_text(row[name]) for row in rows])}
    lines.append(_line("---:" if name in numeric else "---" for name in names))
    lines += [_line(_markdown(row[name]) for name in names) for row in rows]
    return "\n".join(lines) + "\n"


def bibliography(results: Iterable[Any], style: str) -> str:
    """List the publications of tests and measures, without repeats; empty if there are none.

    In LaTeX they are comments: ``--bibtex`` writes them for ``\\cite``.
    """
    works = find_works(results)
    if not works:
        return ""
    if style == "markdown":
        citations = [str(work["citation"]) for work in works.values()]
        return "\n" + "".join(f"- {_markdown(citation)}\n" for citation in citations)
    lines = [rf"% \cite{{{key}}}: {_text(work['citation'])}" for key, work in works.items()]
    return "\n".join([*lines, ""])


def bibtex(works: Mapping[str, Mapping[str, Any]]) -> str:
    """Return works as BibTeX, and Weatherglass itself.

    >>> print(bibtex({"a2020": {"author": ["A. Author", "B. Writer"], "year": 2020,
    ...     "title": "A & B", "journal": "Science", "volume": "356(6334)", "pages": "183–186"}}))
    @article{a2020,
      author = {A. Author and B. Writer},
      year = {2020},
      title = {{A \\& B}},
      journal = {Science},
      volume = {356},
      number = {6334},
      pages = {183--186},
    }
    <BLANKLINE>
    @misc{weatherglass,
      author = {{The Weatherglass developers}},
      title = {{Weatherglass: measuring social bias in word and sentence embeddings}},
      note = {Version 0.1.0},
    }
    <BLANKLINE>
    """
    from weatherglass._version import __version__

    own: dict[str, Any] = {
        "author": ["{The Weatherglass developers}"],
        "title": "Weatherglass: measuring social bias in word and sentence embeddings",
        "note": f"Version {__version__}",
    }
    entries = [_entry(key, work) for key, work in {**works, "weatherglass": own}.items()]
    return "\n".join(entries)


def _entry(key: str, work: Mapping[str, Any]) -> str:
    volume = re.fullmatch(r"(\w+)\((\w+)\)", str(work.get("volume") or ""))
    fields = dict(work)
    if volume:
        fields |= {"volume": volume[1], "number": volume[2]}
    order = ("year", "title", "journal", "volume", "number", "pages", "howpublished", "note")
    lines = [f"  author = {{{' and '.join(work['author'])}}},"] if work.get("author") else []
    for name in order:
        if value := fields.get(name):
            text = _bibtex_text(str(value))
            lines.append(
                f"  {name} = {{{{{text}}}}}," if name == "title" else f"  {name} = {{{text}}},"
            )
    lines += [f"  {name} = {{{work[name]}}}," for name in ("doi", "url") if work.get(name)]
    kind = "article" if work.get("journal") else "misc"
    return "\n".join([f"@{kind}{{{key},", *lines, "}", ""])


def _bibtex_text(text: str) -> str:
    return "".join(_BIBTEX.get(char, char) for char in text)


def find_works(results: Iterable[Any]) -> dict[str, dict[str, Any]]:
    """Return the publications of results' measures and tests, by key.

    Each has the fields of BibTeX, and `citation`, the full reference on one line.
    """
    works: dict[str, dict[str, Any]] = {}
    for result in results:
        works |= dict(_cited(*cited) for cited in getattr(result, "citations", ()))
        if (work := _work(result)) is not None:
            works |= [work]
    return works


def _work(result: Any) -> tuple[str, dict[str, Any]] | None:
    from weatherglass.catalog import test
    from weatherglass.errors import CatalogError
    from weatherglass.measures import MEASURES

    known = MEASURES.get(getattr(result, "measure", ""))
    if known is not None and result.section == "measures":
        return _cited(known.citation, known.doi)
    try:
        study = test(result.test).study
    except CatalogError:  # the user's own test: the paper of the method is cited
        study = test("weat1").study
    if study is None:
        return None
    fields = study.model_dump(exclude={"key", "authors"}) | {"author": list(study.authors)}
    return study.key, fields | {"citation": study.citation}


def _cited(citation: str, doi: str) -> tuple[str, dict[str, Any]]:
    """Return the key and the fields of a reference in one line."""
    name = unicodedata.normalize("NFKD", citation.partition(",")[0].split()[-1])
    author = re.sub(r"[^a-z]", "", name.lower())
    fields: dict[str, Any] = {"title": citation, "doi": doi, "citation": f"{citation} doi:{doi}"}
    if match := _CITATION.fullmatch(citation):
        fields |= {
            "author": match["authors"].split(", "),
            "year": match["year"],
            "title": match["title"].rstrip("."),
            "howpublished": match["place"],
        }
    return f"{author}{fields.get('year', '')}", fields


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown(value: object) -> str:
    from weatherglass.report import markdown_text  # late, so that `--help` starts quickly

    return markdown_text(_text(value), show_slurs=True)


def _text(value: object) -> str:
    from .output import printable

    return printable(value)
