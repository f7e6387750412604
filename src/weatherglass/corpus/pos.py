"""Parts of speech of words, by spaCy if one of its models is installed, otherwise by HanTa.

Words are tagged in isolation, so that a word gets its most frequent tag. The tags of both taggers
are mapped to those of Universal Dependencies.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping

from weatherglass._languages import ENGLISH, language_name
from weatherglass.errors import CannotMeasure, MissingExtra, UsageError, quote_safe

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
# Prefixes of the Stuttgart-Tübingen tags (STTS), which HanTa's German model returns, and of those
# of the Eindhoven corpus, which its Dutch model returns.
_GERMAN_TAGS = {
    "NN": "NOUN",
    "NE": "PROPN",
    "VA": "AUX",
    "VM": "AUX",
    "V": "VERB",
    "AD": "ADJ",
    "ADV": "ADV",
    "P": "PRON",
    "PAV": "ADV",
    "PRO": "ADV",
    "PTK": "PART",
    "ART": "DET",
    "AP": "ADP",
    "CAR": "NUM",
    "KON": "CCONJ",
    "KOU": "SCONJ",
    "ITJ": "INTJ",
    "FM": "X",
    "$": "PUNCT",
}
_DUTCH_TAGS = {
    "N(": "NOUN",
    "N(e": "PROPN",
    "SPE": "PROPN",
    "WW": "VERB",
    "ADJ": "ADJ",
    "BW": "ADV",
    "VNW": "PRON",
    "LID": "DET",
    "VZ": "ADP",
    "TW": "NUM",
    "VG": "CCONJ",
    "TSW": "INTJ",
    "LET": "PUNCT",
}
_HANTA = {
    "en": ("morphmodel_en.pgz", _UNIVERSAL_TAGS),
    "de": ("morphmodel_ger.pgz", _GERMAN_TAGS),
    "nl": ("morphmodel_dutch.pgz", _DUTCH_TAGS),
}
"""The model of HanTa for a language, and the meaning of its tags."""

_SIZES = ("lg", "md", "sm", "trf")  # in order of preference; trf is the slowest by far
_UNUSED_COMPONENTS = ("parser", "ner", "lemmatizer", "senter")


def part_of_speech(
    words: Iterable[str], tagger: str | None = None, language: str = ENGLISH
) -> dict[str, str]:
    """Return the part of speech of each word: NOUN, PROPN, VERB, AUX, ADJ, ADV, PRON, DET, ADP, …

    Parameters
    ----------
    words
        Words of the language, in lower case or not.
    tagger
        The name of an installed spaCy model, or ``hanta``. Default: the largest installed spaCy
        model of the language, otherwise HanTa, which has English, German and Dutch.
    language
        The code of the language.

    Returns
    -------
    dict
        The tag of each word; ``X`` if the tagger does not know it.

    Raises
    ------
    MissingExtra
        Neither is installed.
    CannotMeasure
        No tagger for this language is installed.

    Examples
    --------
    >>> part_of_speech(["mother", "ran"])  # doctest: +SKIP
    {'mother': 'NOUN', 'ran': 'VERB'}
    """
    distinct_words = list(dict.fromkeys(words))
    model = _choose_model(tagger, language)
    if model is None:
        return _tag_with_hanta(distinct_words, language)
    return _tag_with_spacy(distinct_words, model)


def _choose_model(tagger: str | None, language: str) -> str | None:
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
    own = [name for name in models if name.startswith(f"{language}_")]
    if tagger is None and own:
        ranks = [next((k for k, size in enumerate(_SIZES) if size in name), 9) for name in own]
        return own[ranks.index(min(ranks))]
    if language not in _HANTA:
        raise CannotMeasure(
            f"There is no tagger of {language_name(language)}; install a spaCy model for it."
        )
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


def _tag_with_hanta(words: list[str], language: str) -> dict[str, str]:
    from HanTa import HanoverTagger

    model, tags = _HANTA[language]
    tagger = HanoverTagger.HanoverTagger(model)
    return {word: _universal_tag(tagger.analyze(word)[1], tags) for word in words}


def _universal_tag(tag: str, tags: Mapping[str, str] = _UNIVERSAL_TAGS) -> str:
    """Return the tag of Universal Dependencies for a tag of HanTa.

    >>> [_universal_tag(tag) for tag in ("NN2", "VVD", "AJ0", "PNP", "UNC")]
    ['NOUN', 'VERB', 'ADJ', 'PRON', 'X']
    >>> [_universal_tag(tag, _GERMAN_TAGS) for tag in ("NN", "NE", "VVFIN", "ADJ(A)", "ADV")]
    ['NOUN', 'PROPN', 'VERB', 'ADJ', 'ADV']
    """
    return next((tags[tag[:k]] for k in (3, 2, 1) if tag[:k] in tags), "X")
