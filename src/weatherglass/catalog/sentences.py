"""Words into sentences, and word tests into sentence tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from weatherglass.errors import CatalogError, join_first, quote_safe

from .schema import Test
from .templates import filled, templates
from .word_sets import Annotation, WordSet, known_words


def sentences(word: str | Annotation, kind: str | None = None) -> tuple[str, ...]:
    """The sentences that a word becomes.

    Parameters
    ----------
    word
        A word, or a word with its kind and forms.
    kind
        The kind of word, such as ``"noun"`` or ``"adjective"``. Without it, the kind that the
        catalogue knows.

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
    if kind is not None and (problem := templates().kind_problem(kind)):
        raise CatalogError(f"The kind {problem}.")
    if isinstance(word, Annotation):
        one = word
    elif not word.strip():
        raise CatalogError("The word is empty; at least one visible character was expected.")
    elif word in known_words():
        one = known_words()[word]
    elif kind is not None:
        one = Annotation(word=word, kind=kind)
    else:
        raise CatalogError(_unknown([word]))
    chosen, forms = templates().kinds[kind or one.kind], one.forms
    return tuple(filled(template, forms) for template in chosen.templates)


def to_sentences(test: Test, annotations: Mapping[str, Annotation] | None = None) -> Test:
    """A word test as a sentence test: each word becomes the sentences of its kind.

    Parameters
    ----------
    test
        A word test. A sentence test is returned as it is.
    annotations
        Kinds and forms of words, as `load_annotations` reads them. They go before those that the
        catalogue has; those that the test itself has go before both.

    Returns
    -------
    Test
        A test of level ``"sentence"`` whose id begins with ``sent-``. The `origins` of each set
        tell which word each sentence was made of. Published figures are not carried over: they
        were measured with words.

    Raises
    ------
    CatalogError
        If the kind of a word is not known, or two words of a set become the same sentence.

    Examples
    --------
    >>> mine = Test(x=["orchid"], y=[{"word": "gizmo", "kind": "noun"}], a=["nice"], b=["nasty"])
    >>> made = to_sentences(mine)
    >>> made.id, made.level, len(made.y), made.a.words[0], made.a.origins[0]
    ('sent-custom', 'sentence', 14, 'This is nice.', 'nice')
    """
    if test.level == "sentence":
        return test
    found: dict[str, dict[str, Annotation]] = {}
    lacking: list[str] = []
    for name, items in test.sets.items():
        own = {one.word: one for one in items.annotations}
        known = {**known_words(), **(annotations or {}), **own}
        found[name] = known
        lacking += [word for word in items.words if word not in known and word not in lacking]
    if lacking:
        raise CatalogError(f"test {quote_safe(test.id)}: {_unknown(lacking)}")
    return _sentence_test(test, lambda name, word: sentences(found[name][word]))


def scripted(test: Test, script: Mapping[str, Sequence[str]], pronouns: Mapping[str, str]) -> Test:
    """A word test in the sentences of a script, which takes the pronouns of each set.

    `script` names the sentences for ``targets`` and for ``attributes``; those of one word are one
    item, because the encoder is given them as if they were one sentence.
    """
    rules = templates()

    def make(name: str, word: str) -> tuple[str]:
        forms = {"word": word, **rules.pronouns.get(pronouns.get(name.lower(), ""), {})}
        part = script["targets" if name in "XY" else "attributes"]
        # Two spaces, as in the published lists.
        return ("  ".join(filled(rules.scripts[line], forms) for line in part),)

    return _sentence_test(test, make)


def _sentence_test(test: Test, make: Callable[[str, str], tuple[str, ...]]) -> Test:
    sets = {}
    for name, items in test.sets.items():
        origin: dict[str, str] = {}
        for word in items.words:
            for sentence in make(name, word):
                if sentence in origin:
                    raise CatalogError(
                        f"test {quote_safe(test.id)}: {name.lower()} has {quote_safe(origin[sentence])} and "
                        f"{quote_safe(word)}, which both become {quote_safe(sentence)}. Keep one of them."
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
        human=test.human,
        notes=test.notes,
    )


def _unknown(words: Sequence[str]) -> str:
    """Asks for the kind of words, and says how to give it."""
    first = quote_safe(words[0])
    others = f" (nor of {join_first(map(quote_safe, words[1:]))})" if len(words) > 1 else ""
    return (
        f"The kind of {first} is not known{others}. Give it: kind='noun' or --kind noun for one "
        f"word, {{word: …, kind: noun, plural: …}} in place of the word in a test, or a CSV file "
        f"with the columns word and kind. Kinds: {', '.join(templates().kinds)}."
    )
