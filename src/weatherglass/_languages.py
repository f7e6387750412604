"""Languages: their codes and names, and which of several places says what language a text is in."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .errors import UsageError, did_you_mean, quote_safe

# ISO 639-1 code, English name, and other codes: ISO 639-2 (both forms) and those of wordfreq.
_LANGUAGES = """
ar Arabic ara; bg Bulgarian bul; bn Bengali ben; ca Catalan cat; cs Czech ces cze; da Danish dan
de German deu ger; el Greek ell gre; en English eng; es Spanish spa; et Estonian est
eu Basque eus baq; fa Persian fas per; fi Finnish fin; fil Filipino tl tgl; fr French fra fre
ga Irish gle; gsw Alemannic; he Hebrew heb; hi Hindi hin; hr Croatian hrv; hu Hungarian hun
hy Armenian hye arm; id Indonesian ind; is Icelandic isl ice; it Italian ita; ja Japanese jpn
ka Georgian kat geo; ko Korean kor; la Latin lat; lt Lithuanian lit; lv Latvian lav
mk Macedonian mkd mac; ms Malay msa may; nb Norwegian no nor nob; nl Dutch nld dut; nn Nynorsk nno
pl Polish pol; pt Portuguese por; ro Romanian ron rum; ru Russian rus; sk Slovak slk slo
sl Slovene slv; sq Albanian sqi alb; sr Serbian srp; sv Swedish swe; sw Swahili swa; ta Tamil tam
th Thai tha; tr Turkish tur; uk Ukrainian ukr; ur Urdu urd; vi Vietnamese vie; zh Chinese zho chi
"""
_ROWS = [entry.split() for entry in re.split(r"[;\n]", _LANGUAGES) if entry.strip()]
_NAMES = {row[0]: row[1] for row in _ROWS}
_CODES = {
    **{name.lower(): code for code, name in _NAMES.items()},
    **{other: row[0] for row in _ROWS for other in (row[0], *row[2:])},
}

ENGLISH = "en"

COLUMNS = ("language", "lang")
"""Names of the metadata columns that state the language of a document; TEI's is the first."""


def parse_language(text: str) -> str:
    """Return the code of a language that is stated by its code or English name.

    A region or script is left out. A code that is not known here is kept: nothing is known about
    its words, and checks that need that say so.

    Raises
    ------
    UsageError
        The text is neither.

    Examples
    --------
    >>> [parse_language(text) for text in ("de", "deu", "German", "en_GB", "zh-Hant", "yor")]
    ['de', 'de', 'de', 'en', 'zh', 'yor']
    """
    first = re.split(r"[-_]", text.strip().lower())[0]
    if first in _CODES:
        return _CODES[first]
    if re.fullmatch(r"[a-z]{2,3}", first):
        return first
    raise UsageError(
        f"{quote_safe(text)} is no language; give its code, such as de, or its English name."
        + did_you_mean(first, _CODES)
    )


def language_name(code: str) -> str:
    """Return the English name of a language, or its code if the name is not known here.

    >>> language_name("de"), language_name("yor")
    ('German', 'the language yor')
    """
    return _NAMES.get(code, f"the language {code}")


def stated_language(values: Iterable[str]) -> str | None:
    """Return the language that all of some statements agree on; None if they do not, or say none.

    >>> stated_language(["de", "deu"]), stated_language(["de", "fr"]), stated_language([])
    ('de', None, None)
    """
    codes = set()
    for value in values:
        try:
            codes.add(parse_language(value))
        except UsageError:  # metadata may have anything in its columns
            return None
    return codes.pop() if len(codes) == 1 else None
