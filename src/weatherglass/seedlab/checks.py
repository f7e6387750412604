"""What lint looks at, as one table: what each check's number is, and from where on it is grave.

A finding is a note, a warning or an error by its number alone. The limits are set on the 178 sets
of the catalogue and GloVe's vectors, so that the sets of Caliskan et al. (2017), which were tried
with people first, get notes, and sets with a fault that Antoniak and Mimno (2021) name get more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["note", "warning", "error"]
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")  # the gravest last

RARE = 1.0  # occurrences in a million words; ten in ten million, which the paper's threshold drops
STRANGER = 0.2  # share of equally frequent words that are nearer to the rest of a set than its word


@dataclass(frozen=True)
class Check:
    """One thing that lint looks at.

    Attributes
    ----------
    name
        What it is called.
    about
        Whether it looks at each ``set``, at each ``pair`` of sets, or only at pairs of ``opposed``
        sets, which stand at two ends of one thing, such as women and men.
    needs
        ``words``: nothing else; or ``tags``, ``frequencies``, ``corpus``, ``vectors``.
    number
        What the value of a finding is.
    warning, error
        From which value on a finding is one; None: never.
    falling
        Whether small values are the grave ones.
    place
        Where Antoniak and Mimno (2021) write of it.
    """

    name: str
    about: Literal["set", "pair", "opposed"]
    needs: Literal["words", "tags", "frequencies", "corpus", "vectors"]
    number: str
    place: str
    warning: float | None = None
    error: float | None = None
    falling: bool = False

    def severity(self, value: float) -> Severity:
        """How grave a value is.

        >>> by_name("size").severity(8), by_name("size").severity(0)
        ('note', 'error')
        """
        sign = -1 if self.falling else 1
        for name, limit in (("error", self.error), ("warning", self.warning)):
            if limit is not None and sign * value >= sign * limit:
                return "error" if name == "error" else "warning"
        return "note"


_REDUCTIVE = "section 8, Reductive Definitions"
_IMPRECISE = "section 8, Imprecise Definitions"
_LEXICAL = "section 8, Lexical Factors"
_SIZE = "section 8, Set Size and Alignment"
_SIMILAR = "section 8, Set Similarity"
_UNIGRAMS = "section 3, Gathered Seed Sets"
_ABSENT = "section 7"
_EXAMINE = "section 9, examine seed features"
_DOCUMENT = "section 9, document all seeds"

# fmt: off
CHECKS: tuple[Check, ...] = (
    # name, about, needs, number, place, warning from, error from
    Check("size", "set", "words", "different words", _SIZE, 4, 0, falling=True),
    Check("duplicates", "set", "words", "words beyond the first of their kind", _SIMILAR, 1),
    Check("capitals", "set", "words", "words that another is in lower case", _SIMILAR),
    Check("letters", "set", "words", "words that begin or end with no letter", _EXAMINE, 1),
    Check("phrases", "set", "words", "terms of several words", _UNIGRAMS),
    Check("names", "set", "words", "share of the words", _REDUCTIVE),
    Check("slurs", "set", "words", "slurs", _DOCUMENT, 1),
    Check("stereotypes", "set", "words", "1: the catalogue marks the set", _IMPRECISE),
    Check("group-words", "set", "words", "words for a group of people", _IMPRECISE, 1),
    Check("other-concepts", "set", "words", "words of other concepts' sets", _IMPRECISE),
    Check("documentation", "set", "words", "fields that are empty, of four", _DOCUMENT),
    Check("parts-of-speech", "set", "tags", "share of the commonest", _LEXICAL),
    Check("frequency", "set", "frequencies", "median in a million words", _LEXICAL),
    Check("rare", "set", "frequencies", "share of the words", _LEXICAL, 0.5),
    Check("unseen", "set", "corpus", "share of the words", _ABSENT, 0.2, 1),
    Check("missing", "set", "vectors", "share of the words", _ABSENT, 0.2, 1),
    Check("outlier", "set", "vectors", "share of words that would fit better", _SIMILAR),
    Check("strangers", "set", "vectors", "share of the words", _SIMILAR, 0.4),
    Check("senses", "set", "vectors", "share of the words", _LEXICAL, 0.4),
    Check("overlap", "pair", "words", "share of the smaller set", _SIMILAR, 1e-9, 0.5),
    Check("alternatives", "pair", "words", "share of the smaller set", "section 9"),
    Check("circular", "pair", "words", "words for what the other stands for", _IMPRECISE, 1),
    Check("binary", "opposed", "words", "groups that are told apart", _REDUCTIVE),
    Check("size-gap", "opposed", "words", "times as many words", _SIZE, 2),
    Check("pairing", "opposed", "words", "pairs of words", _SIZE),
    Check("parts-of-speech-gap", "opposed", "tags", "share that differs", _LEXICAL, 0.5),
    Check("frequency-gap", "opposed", "frequencies", "times as frequent", _LEXICAL, 5),
    Check("paired-frequency", "opposed", "frequencies", "times, in the median pair", _LEXICAL, 5),
    Check("similarity", "pair", "vectors", "cosine of the set means", _SIMILAR, 0.95),
    Check("order", "opposed", "vectors", "share of shuffles that do as well", _SIZE, 0.5),
)
# fmt: on


def by_name(name: str) -> Check:
    """The check of that name."""
    return next(one for one in CHECKS if one.name == name)
