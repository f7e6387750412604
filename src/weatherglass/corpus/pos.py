"""Parts of speech of words, by spaCy if there is a model for it, else by HanTa.

Words are tagged alone, without a sentence around them: the tag is the one that a word most often
has. Both taggers' tags become those of Universal Dependencies.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable

from weatherglass.errors import MissingExtra, UsageError, quote_safe

# The British National Corpus's tags (C5), which HanTa's English model has, by how they begin.
_UNIVERSAL = {
    "NN": "NOUN",
    "NP": "PROPN",
    "VB": "AUX",
    "VD": "AUX",
    "VH": "AUX",
    "VM": "AUX",
    "V": "VERB",
    "AJ": "ADJ",
    "AV": "ADV",
    "PN": "PRON",
    "DPS": "PRON",
    "EX": "PRON",
    "AT": "DET",
    "DT": "DET",
    "PRP": "ADP",
    "PRF": "ADP",
    "IN": "ADP",
    "CRD": "NUM",
    "ORD": "ADJ",
    "CJC": "CCONJ",
    "CJ": "SCONJ",
    "TO": "PART",
    "XX": "PART",
    "POS": "PART",
    "ITJ": "INTJ",
    "PU": "PUNCT",
}
_SIZES = ("lg", "md", "sm", "trf")  # the last is the slowest by far
_UNNEEDED = ("parser", "ner", "lemmatizer", "senter")


def part_of_speech(words: Iterable[str], tagger: str | None = None) -> dict[str, str]:
    """The part of speech of each word: NOUN, PROPN, VERB, AUX, ADJ, ADV, PRON, DET, ADP, …

    Parameters
    ----------
    words
        English words, in lower case or not.
    tagger
        The name of an installed spaCy model, or ``hanta``. By default the largest English spaCy
        model that is installed, else HanTa.

    Returns
    -------
    dict
        Word, tag; ``X`` where the tagger does not know.

    Raises
    ------
    MissingExtra
        There is neither.

    Examples
    --------
    >>> part_of_speech(["mother", "ran"])  # doctest: +SKIP
    {'mother': 'NOUN', 'ran': 'VERB'}
    """
    asked = list(dict.fromkeys(words))
    model = _chosen(tagger)
    return _by_hanta(asked) if model is None else _by_spacy(asked, model)


def _chosen(tagger: str | None) -> str | None:
    """The spaCy model to use, or None for HanTa."""
    models = _spacy_models()
    if tagger is not None and tagger != "hanta":
        if tagger not in models:
            listed = ", ".join(models) or "none"
            raise UsageError(
                f"There is no spaCy model {quote_safe(tagger)}; installed are: {listed}. Or take hanta."
            )
        return tagger
    english = [name for name in models if name.startswith("en_")]
    if tagger is None and english:
        ranks = [next((k for k, size in enumerate(_SIZES) if size in name), 9) for name in english]
        return english[ranks.index(min(ranks))]
    if not _is_installed("HanTa"):
        raise MissingExtra("Finding parts of speech without a spaCy model", "pos")
    return None


def _spacy_models() -> list[str]:
    try:
        from spacy.util import get_installed_models
    except ImportError:  # also where a folder on the path is called so
        return []
    return sorted(get_installed_models())


def _is_installed(package: str) -> bool:
    """Whether there is such a package; a mere folder of that name on the path is none."""
    found = importlib.util.find_spec(package)
    return found is not None and found.origin is not None


def _by_spacy(words: list[str], model: str) -> dict[str, str]:
    import spacy

    tagger = spacy.load(model, exclude=_UNNEEDED)
    # Given as tokens: its tokenizer would take "don't" apart.
    alone = (spacy.tokens.Doc(tagger.vocab, words=[word]) for word in words)
    tagged = tagger.pipe(alone, batch_size=1000)
    return {word: one[0].pos_ or "X" for word, one in zip(words, tagged, strict=True)}


def _by_hanta(words: list[str]) -> dict[str, str]:
    from HanTa import HanoverTagger

    tagger = HanoverTagger.HanoverTagger("morphmodel_en.pgz")
    return {word: _universal(tagger.analyze(word)[1]) for word in words}


def _universal(tag: str) -> str:
    """A tag of C5 as one of Universal Dependencies.

    >>> [_universal(tag) for tag in ("NN2", "VVD", "AJ0", "PNP", "UNC")]
    ['NOUN', 'VERB', 'ADJ', 'PRON', 'X']
    """
    return next((_UNIVERSAL[tag[:k]] for k in (3, 2, 1) if tag[:k] in _UNIVERSAL), "X")
