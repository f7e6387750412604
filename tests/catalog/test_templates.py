"""Templates, articles, plurals and annotations, and the messages for mistakes in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from weatherglass import catalog
from weatherglass.catalog.templates import load_templates, templates
from weatherglass.catalog.word_sets import known_annotations
from weatherglass.errors import CatalogError

RULES = "articles: {an: [a]}\nplurals: {'': s}\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    def go(name: str, content: str) -> Path:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return go


def test_every_word_of_the_catalogue_is_annotated() -> None:
    known = known_annotations()
    for pattern in ("*", "*@full", "*@word2vec"):
        for entry in catalog.tests(pattern, level="word"):
            for items in entry.sets.values():
                assert set(items.words) <= known.keys()


def test_listed_plurals_agree_with_the_rules() -> None:
    # The rules and the list check each other; the plural of a phrase is not at its end.
    rules = templates()
    for annotation in known_annotations().values():
        if rules.kinds[annotation.kind].has_plural:
            assert annotation.plural
            if annotation.word != "woman of color":
                assert rules.plural(annotation.singular or annotation.word) == annotation.plural
        else:
            assert not annotation.plural


def test_every_kind_of_word_has_a_valid_example() -> None:
    for name, kind in catalog.kinds().items():
        assert len(catalog.sentences(kind.example, name)) == len(kind.templates)


@pytest.mark.parametrize(
    ("article", "words"),
    [
        ("an", "orchid abuse hour honest heir uncle umbrella unimportant onerous Irish"),
        ("a", "caress university European Ukrainian one-armed use unicorn hospital yak NASA"),
    ],
)
def test_articles_follow_pronunciation(article: str, words: str) -> None:
    assert {word: templates().article(word) for word in words.split()} == dict.fromkeys(
        words.split(), article
    )


def test_plurals_follow_english_spelling() -> None:
    plurals = {
        "box": "boxes",
        "day": "days",
        "quality": "qualities",
        "wife": "wives",
        "woman": "women",
        "human": "humans",
        "German": "Germans",
        "Frenchman": "Frenchmen",
        "grandchild": "grandchildren",
    }
    assert {word: templates().plural(word) for word in plurals} == plurals


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("kinds: {}\n", "kinds"),
        ("kinds: {noun: {meaning: m, example: e}}\n", "'noun' with both or neither of like and"),
        ("kinds: {noun: {meaning: m, example: e, like: x}}\n", "has 'noun' like 'x', which has"),
        (
            "kinds: {noun: {meaning: m, example: e, templates: [A b.]}}\n",
            "'A b.', which has no slot for a word",
        ),
        (
            "kinds: {noun: {meaning: m, example: e, templates: ['A {wrod}.']}}\n",
            "has the unknown slot 'wrod' in 'A {wrod}.'; one of a word, word, words was expected",
        ),
        ("kinds: {noun: {meaning: m, template: [a]}}\n", "kinds.noun.example is missing"),
        ("kind: {}\n", "kinds is missing"),
    ],
)
def test_mistakes_in_templates_are_reported(write, content: str, message: str) -> None:
    with pytest.raises(CatalogError) as caught:
        load_templates(write("t.yaml", RULES + content))
    assert message in str(caught.value)
    assert "t.yaml: " in str(caught.value)


def test_templates_must_be_a_mapping(write) -> None:
    with pytest.raises(CatalogError, match="a mapping with kinds, articles and plurals"):
        load_templates(write("t.yaml", "[a]"))


def test_plurals_need_a_rule_for_other_endings(write) -> None:
    kinds = "kinds: {noun: {meaning: m, example: e, templates: ['{word}']}}"
    with pytest.raises(CatalogError, match="plurals has no rule for other endings"):
        load_templates(write("t.yaml", f"{kinds}\narticles: {{}}\nplurals: {{y: ies}}"))


def test_annotations_are_read_from_a_table(write) -> None:
    path = write("words.tsv", "kind\tword\narticle\tx\n".replace("article\tx", "noun\tgizmo"))
    assert catalog.load_annotations(path)["gizmo"] == catalog.Annotation(word="gizmo", kind="noun")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("word\ngizmo\n", "line 1: the header is 'word'; the columns word, kind were expected"),
        ("word,kind\ngizmo,nuon\n", "line 2: kind is 'nuon'; one of these was expected: name"),
        ("word,kind\ngizmo,noun\ngizmo,verb\n", "line 3: duplicate 'gizmo'"),
        ("word,kind\n ,noun\n", "line 2: word is empty; a word was expected"),
        ("word,kind,article\ngizmo,noun,the\n", "line 2: article"),
        ("word,kind\n", "has only a header"),
    ],
)
def test_mistakes_in_annotation_files_are_reported_with_the_line(
    write, content: str, message: str
) -> None:
    with pytest.raises(CatalogError) as caught:
        catalog.load_annotations(write("words.csv", content))
    assert message in str(caught.value)
