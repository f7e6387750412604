"""Sentences from words, and sentence tests from word tests."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from weatherglass._files import read_text
from weatherglass.errors import CatalogError, join_first, quote_safe

from .provenance import DATA
from .schema import Test
from .templates import fill_template, templates
from .word_sets import Annotation, WordSet, known_annotations


def sentences(word: str | Annotation, kind: str | None = None) -> tuple[str, ...]:
    """Return the sentences of a word: the templates of its kind, filled.

    Parameters
    ----------
    word
        A word, or a word with its kind and forms.
    kind
        The kind of word, such as ``"noun"`` or ``"adjective"``. The default is the kind in the
        catalogue.

    Raises
    ------
    CatalogError
        If the kind is not known.

    Examples
    --------
    >>> sentences("gentle")
    ('This is gentle.', 'That is gentle.', 'They are gentle.')
    >>> sentences("hourglass", "noun")[6:9]
    ('An hourglass is a thing.', 'It is an hourglass.', 'These are hourglasses.')
    """
    if kind is not None and (problem := templates().find_kind_problem(kind)):
        raise CatalogError(f"The kind {problem}.")
    if isinstance(word, Annotation):
        annotation = word
    elif not word.strip():
        raise CatalogError("The word is empty; at least one visible character was expected.")
    elif word in known_annotations():
        annotation = known_annotations()[word]
    elif kind is not None:
        annotation = Annotation(word=word, kind=kind)
    else:
        raise CatalogError(_ask_for_kinds([word]))
    templates_of_kind = templates().kinds[kind or annotation.kind].templates
    return tuple(fill_template(template, annotation.forms) for template in templates_of_kind)


def to_sentences(test: Test, annotations: Mapping[str, Annotation] | None = None) -> Test:
    """Turn a word test into a sentence test: each word becomes the sentences of its kind.

    Parameters
    ----------
    test
        A word test. A sentence test is returned unchanged.
    annotations
        Kinds and forms of words, as `load_annotations` reads them. They take precedence over those
        of the catalogue; those of the test itself take precedence over both.

    Returns
    -------
    Test
        A test of level ``"sentence"`` whose id begins with ``sent-``. The `origins` of each set are
        the words of its sentences. Published figures are not copied: they were measured with
        words.

    Raises
    ------
    CatalogError
        If the kind of a word is not known, or two words of a set become the same sentence.

    Examples
    --------
    >>> mine = Test(x=["orchid"], y=[{"word": "gizmo", "kind": "noun"}], a=["nice"], b=["nasty"])
    >>> test = to_sentences(mine)
    >>> test.id, test.level, len(test.y), test.a.words[0], test.a.origins[0]
    ('sent-custom', 'sentence', 14, 'This is nice.', 'nice')
    """
    if test.level == "sentence":
        return test
    known: dict[str, dict[str, Annotation]] = {}
    unknown: list[str] = []
    for name, items in test.sets.items():
        own = {annotation.word: annotation for annotation in items.annotations}
        known[name] = {**known_annotations(), **(annotations or {}), **own}
        unknown += [word for word in items.words if word not in known[name]]
    if unknown:
        raise CatalogError(f"test {quote_safe(test.id)}: {_ask_for_kinds(unknown)}")
    return _sentence_test(test, lambda name, word: sentences(known[name][word]))


def to_scripted_test(
    test: Test, script: Mapping[str, Sequence[str]], pronouns: Mapping[str, str]
) -> Test:
    """Turn a word test into the sentences of a script, with the pronouns of each set.

    `script` names the sentences for ``targets`` and for ``attributes``. The sentences of a word are
    one item, because the encoder gets them as a single sentence.
    """
    rules = templates()

    def fill_script(name: str, word: str) -> tuple[str]:
        forms = {"word": word, **rules.pronouns.get(pronouns.get(name.lower(), ""), {})}
        part = script["targets" if name in "XY" else "attributes"]
        # Two spaces, as in the published lists.
        return ("  ".join(fill_template(rules.scripts[line], forms) for line in part),)

    return _sentence_test(test, fill_script)


def _sentence_test(test: Test, write: Callable[[str, str], tuple[str, ...]]) -> Test:
    sets = {}
    for name, items in test.sets.items():
        origin: dict[str, str] = {}
        for word in items.words:
            for sentence in write(name, word):
                if sentence in origin:
                    raise CatalogError(
                        f"test {quote_safe(test.id)}: {name.lower()} has "
                        f"{quote_safe(origin[sentence])} and {quote_safe(word)}, which both become "
                        f"{quote_safe(sentence)}. Keep one of them."
                    )
                origin[sentence] = word
        sets[name.lower()] = WordSet(
            label=items.label,
            words=tuple(origin),
            origins=tuple(origin.values()),
            source=items.source,
        )
    return Test(
        **sets,
        id=f"sent-{test.id}",
        title=f"{test.title} (sentences)",
        level="sentence",
        study=test.study,
        dimension=test.dimension,
        human=test.human,
        notes=test.notes,
    )


def _ask_for_kinds(words: Sequence[str]) -> str:
    """Ask for the kind of words, and say how to give it."""
    first, *others = map(quote_safe, dict.fromkeys(words))
    nor = f" (nor that of {join_first(others)})" if others else ""
    return (
        f"The kind of {first} is not known{nor}. Give it with kind='noun' or --kind noun for a "
        f"single word, with {{word: …, kind: noun, plural: …}} in place of the word in a test, or "
        f"in a CSV file with the columns word and kind. Kinds: {', '.join(templates().kinds)}."
    )


_MIN_LETTERS = 5  # of a plain word: shorter ones are mostly articles and prepositions


@functools.cache
def plain_items(level: Literal["word", "sentence"] = "sentence") -> tuple[str, ...]:
    """Return forty everyday sentences about nothing in particular, or forty words of them.

    How similar their encodings are shows how similar an encoder finds any two sentences.

    >>> len(plain_items()), plain_items("word")[:3]
    (40, ('train', 'leaves', 'seven'))
    """
    lines = tuple(read_text(DATA / "plain-sentences.txt").splitlines())
    if level == "sentence":
        return lines
    words = (word for line in lines for word in re.findall(r"\b[a-z]+\b", line))
    return tuple(dict.fromkeys(word for word in words if len(word) >= _MIN_LETTERS))[: len(lines)]
