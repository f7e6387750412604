"""The word that a sentence is about, found in sentences that come without it.

The JSON files of May et al. (2019) list sentences only. The catalogue's sentences are made from
words and know them. Two things depend on the word: whether an encoder that lacks it can say
anything about the sentence, and which sentences are near-copies of each other. So that the same
test gives the same numbers from both, the word is recovered from the templates.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .schema import Test
from .templates import templates
from .word_sets import Annotation, WordSet, known_annotations

_SLOT = re.compile(r"\{([^{}]*)\}")
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_SCRIPT_SEPARATOR = "  "  # the sentences of a script are one item


@dataclass(frozen=True)
class _Pattern:
    """A template, its regular expression, whether its slot can hold a plural, and its length."""

    template: str
    regex: re.Pattern[str]
    has_plural: bool
    literal: int


def with_tested_words(test: Test) -> Test:
    """Return a sentence test whose sets know the word of each sentence, as far as templates tell.

    A set is returned unchanged if it has `origins`, or if one of its sentences fits no template of
    the catalogue.

    Examples
    --------
    >>> sentences = ["This is a gizmo.", "These are gizmos.", "Gizmos are things."]
    >>> test = Test(x=sentences, y=["That is a top."], a=["They are nice."], b=["This is bad."])
    >>> with_tested_words(test).x.origins
    ('gizmo', 'gizmo', 'gizmo')
    """
    if test.level != "sentence":
        return test
    sets = {name.lower(): _with_origins(items) for name, items in test.sets.items()}
    return test.model_copy(update=sets)


def sentence_template(sentence: str) -> str | None:
    """Return the template of the catalogue that a sentence was filled from; None if none fits.

    >>> sentence_template("This is a gizmo."), sentence_template("Buy now!")
    ('This is {a word}.', None)
    """
    best = _best_match(sentence)
    return None if best is None else best[0].template


def own_words(test: Test) -> dict[str, str]:
    """Return, for each sentence, the words in it that no other set of the test has.

    They say what a sentence is about where no template does: sets that are compared share their
    frame and differ in the words under test. A sentence without such a word keeps all its words.

    >>> frames = {"x": ["My pal is Amy."], "y": ["My pal is Bob."], "a": ["It is good."]}
    >>> own_words(Test(**frames, b=["It is bad."]))["My pal is Amy."]
    'amy'
    """
    words = {
        name: {sentence: _WORD.findall(sentence.lower()) for sentence in items.words}
        for name, items in test.sets.items()
    }
    n_sets = Counter(
        word
        for sentences in words.values()
        for word in {word for listed in sentences.values() for word in listed}
    )
    return {
        sentence: " ".join(word for word in listed if n_sets[word] == 1) or sentence
        for sentences in words.values()
        for sentence, listed in sentences.items()
    }


def _with_origins(items: WordSet) -> WordSet:
    if items.origins:
        return items
    slots = [_read_slot(sentence) for sentence in items.words]
    known = [slot for slot in slots if slot is not None]
    if len(known) < len(slots):
        return items
    return items.model_copy(update={"origins": tuple(_resolve_forms(known))})


def _resolve_forms(slots: Sequence[tuple[str, bool]]) -> list[str]:
    """Return the word of each slot: the plural of another word of the set is that word.

    `slots` has the text of each slot, and whether it may be a plural. A capital that only begins a
    sentence is dropped.
    """
    texts = {text for text, _ in slots}
    lowered = [
        text[:1].lower() + text[1:] if text[:1].lower() + text[1:] in texts else text
        for text, _ in slots
    ]
    singular = {
        text for text, (_, has_plural) in zip(lowered, slots, strict=True) if not has_plural
    }
    word_of: dict[str, str] = {}
    for form in singular:
        known = _known_forms().get(form)
        word, listed = (known.word, known.forms["words"]) if known else (form, form)
        word_of[form.lower()] = word
        # The published lists also have plurals by the plain rule, such as "knifes".
        for plural in (listed, templates().plural(form), f"{form}s", f"{form}es"):
            if plural not in singular:
                word_of.setdefault(plural.lower(), word)
    return [word_of.get(text.lower(), text) for text in lowered]


@functools.cache
def _known_forms() -> dict[str, Annotation]:
    """Return the annotated words of the catalogue by their singular; a word's own form first."""
    listed = sorted(
        known_annotations().values(), key=lambda entry: entry.word == entry.forms["word"]
    )
    return {entry.forms["word"]: entry for entry in listed}


def _read_slot(sentence: str) -> tuple[str, bool] | None:
    """Return the text in a sentence's slot, and whether it may be a plural; None if none fits."""
    if word := _read_script(sentence):
        return word, False
    best = _best_match(sentence)
    return None if best is None else (best[1], best[0].has_plural)


def _best_match(sentence: str) -> tuple[_Pattern, str] | None:
    """Return the template with the most fixed text that a sentence fits, and the text in its slot.

    "This is {a word}." comes before "This is {word}."
    """
    matches = (
        (pattern.literal, pattern.has_plural, match["slot"], pattern)
        for pattern in _patterns()
        if (match := pattern.regex.fullmatch(sentence))
    )
    best = max(matches, key=lambda match: match[:3], default=None)
    return None if best is None else (best[3], best[2])


def _read_script(sentence: str) -> str:
    """Return the word in the sentences of a script; empty if they are none."""
    words = set()
    for line in sentence.split(_SCRIPT_SEPARATOR):
        match = next((m for regex in _scripts() if (m := regex.fullmatch(line))), None)
        if match is None:
            return ""
        words.add(match.groupdict().get("slot") or "")
    words.discard("")
    return words.pop() if len(words) == 1 else ""


@functools.cache
def _patterns() -> tuple[_Pattern, ...]:
    known = dict.fromkeys(
        template for kind in templates().kinds.values() for template in kind.templates
    )
    as_plural = {
        template.replace("{words}", "{word}") for template in known if "{words}" in template
    }
    return tuple(
        _Pattern(
            template,
            _to_regex(template),
            template.replace("{words}", "{word}") in as_plural,
            # An article is fixed text too.
            len(_SLOT.sub("", template)) + 2 * ("{a word}" in template),
        )
        for template in known
    )


@functools.cache
def _scripts() -> tuple[re.Pattern[str], ...]:
    return tuple(_to_regex(script) for script in templates().scripts.values())


def _to_regex(template: str) -> re.Pattern[str]:
    """Return a template as a regular expression with the group ``slot``."""
    slots = {
        "word": r"(?P<slot>.+)",
        "words": r"(?P<slot>.+)",
        "a word": r"(?:[Aa]n?) (?P<slot>.+)",
        "he": "(?:[Hh]e|[Ss]he)",
        "his": "(?:[Hh]is|[Hh]er)",
    }
    parts = _SLOT.split(template)
    return re.compile(
        "".join(slots[part] if k % 2 else re.escape(part) for k, part in enumerate(parts))
    )
