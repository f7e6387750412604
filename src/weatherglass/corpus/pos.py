"""Parts of speech of words, by spaCy if one of its models is installed, otherwise by HanTa.

Words are tagged in isolation, so that a word gets its most frequent tag. The tags of both taggers
are mapped to those of Universal Dependencies.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable

from weatherglass.errors import MissingExtra, UsageError, quote_safe

# Prefixes of the tags of the British National Corpus (C5), which HanTa's English model returns.
_UNIVERSAL_TAGS = {
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
_SIZES = ("lg", "md", "sm", "trf")  # in order of preference; trf is the slowest by far
_UNUSED_COMPONENTS = ("parser", "ner", "lemmatizer", "senter")


def part_of_speech(words: Iterable[str], tagger: str | None = None) -> dict[str, str]:
    """Return the part of speech of each word: NOUN, PROPN, VERB, AUX, ADJ, ADV, PRON, DET, ADP, …

    Parameters
    ----------
    words
        English words, in lower case or not.
    tagger
        The name of an installed spaCy model, or ``hanta``. Default: the largest installed English
        spaCy model, otherwise HanTa.

    Returns
    -------
    dict
        The tag of each word; ``X`` if the tagger does not know it.

    Raises
    ------
    MissingExtra
        Neither is installed.

    Examples
    --------
    >>> part_of_speech(["mother", "ran"])  # doctest: +SKIP
    {'mother': 'NOUN', 'ran': 'VERB'}
    """
    distinct_words = list(dict.fromkeys(words))
    model = _choose_model(tagger)
    if model is None:
        return _tag_with_hanta(distinct_words)
    return _tag_with_spacy(distinct_words, model)


def _choose_model(tagger: str | None) -> str | None:
    """Return the spaCy model to use, or None for HanTa."""
    models = _spacy_models()
    if tagger is not None and tagger != "hanta":
        if tagger not in models:
            listed = ", ".join(models) or "none"
            raise UsageError(
                f"There is no spaCy model {quote_safe(tagger)}; installed models: {listed}. "
                "Or use hanta."
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
    except ImportError:  # also if a mere folder on the path is called spacy
        return []
    return sorted(get_installed_models())


def _is_installed(package: str) -> bool:
    """Return whether a package is installed; a mere folder of that name on the path is not."""
    spec = importlib.util.find_spec(package)
    return spec is not None and spec.origin is not None


def _tag_with_spacy(words: list[str], model: str) -> dict[str, str]:
    import spacy

    tagger = spacy.load(model, exclude=_UNUSED_COMPONENTS)
    # As ready-made tokens: spaCy's tokenizer would split "don't".
    documents = (spacy.tokens.Doc(tagger.vocab, words=[word]) for word in words)
    tagged = tagger.pipe(documents, batch_size=1000)
    return {word: document[0].pos_ or "X" for word, document in zip(words, tagged, strict=True)}


def _tag_with_hanta(words: list[str]) -> dict[str, str]:
    from HanTa import HanoverTagger

    tagger = HanoverTagger.HanoverTagger("morphmodel_en.pgz")
    return {word: _universal_tag(tagger.analyze(word)[1]) for word in words}


def _universal_tag(tag: str) -> str:
    """Return the tag of Universal Dependencies for a C5 tag.

    >>> [_universal_tag(tag) for tag in ("NN2", "VVD", "AJ0", "PNP", "UNC")]
    ['NOUN', 'VERB', 'ADJ', 'PRON', 'X']
    """
    return next((_UNIVERSAL_TAGS[tag[:k]] for k in (3, 2, 1) if tag[:k] in _UNIVERSAL_TAGS), "X")
