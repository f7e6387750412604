"""The gender lists are as they were published, and mistakes in a user's own are found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from weatherglass.catalog import Axis, axis, load_axis
from weatherglass.errors import CatalogError, UnknownEntry


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    def go(content: str) -> Path:
        path = tmp_path / "age.yaml"
        path.write_text(content, encoding="utf-8")
        return path

    return go


def test_the_gender_lists_have_the_published_sizes_and_a_source() -> None:
    gender = axis("gender")
    assert (len(gender.pairs), len(gender.equal), len(gender.specific)) == (10, 52, 218)
    assert gender.study is not None
    assert gender.study.key == "bolukbasi2016"
    assert "definitional" in gender.provenance


def test_the_gender_pairs_have_the_woman_first_and_the_equality_pairs_the_words_of_the_list() -> (
    None
):
    gender = axis("gender")
    assert gender.pairs[0] == ("woman", "man")
    assert ("Mary", "John") in gender.pairs
    # Pairs of lower-case words are specific words, but for one slip in the published lists.
    lower = {word for pair in gender.equal for word in pair if word == word.lower()}
    assert lower - set(gender.specific) == {"granny"}


def test_an_axis_of_ones_own(write) -> None:
    made = load_axis(
        write(
            "title: Age\nstudy: {authors: [A. Author], year: 2020, title: On age}\n"
            "pairs: [[old, young], [on, no, null]]\nspecific: [teenager]\n"
        )
    )
    assert made.pairs == (("old", "young"), ("on", "no", "null"))
    assert made.study is not None
    assert made.study.short == "Author 2020"
    assert made == Axis.model_validate(made.model_dump())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("title: Age\n", "pairs is missing"),
        ("pairs: []\n", "pairs is a list of 0"),
        ("pairs: [old, young]\n", "pairs item 1 is the text 'old'; a list of words"),
        ("pairs: [[old]]\n", "pairs item 1 is a list of 1; at least two words"),
        ("pairs: [[old, old]]\n", "pairs item 1 has the duplicate 'old'"),
        ("pairs: [[old, ' ']]\n", "pairs item 1 has an empty word"),
        ("pairs: [[old, [young]]]\n", "pairs item 1 item 2 is a list of 1; text was expected"),
        ("pairs: [[old, young]]\nspecific: [a, b, a]\n", "specific has the duplicate 'a'"),
        ("pairs: [[old, young]]\nspecific: beard\n", "specific is the text 'beard'"),
        ("pairs: [[old, young]]\nequal: [[a, b], [c, a]]\n", "has 'a' in two sets of equal"),
        ("pairs: [[old, young]]\nequals: [[a, b]]\n", "equals is not a known field. Did you mean"),
        ("pairs: [[old, young]]\nstudy: nobody1999\n", "the study 'nobody1999' is not in"),
        ("[[old, young]]", "a mapping with pairs, equal and specific was expected"),
        ("", "a mapping with pairs, equal and specific was expected"),
        ("pairs: [[old, young]", "not YAML"),
        ("pairs: &a [[old, young]]\nequal: *a", "anchors and aliases"),
    ],
)
def test_mistakes_in_a_file_are_named(write, content: str, message: str) -> None:
    with pytest.raises(CatalogError) as caught:
        load_axis(write(content))
    assert message in str(caught.value)
    assert "age.yaml" in str(caught.value)


def test_a_file_or_an_axis_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="cannot be read"):
        load_axis(tmp_path / "none.yaml")
    with pytest.raises(UnknownEntry, match=r"no axis 'gendre' .* Did you mean gender\?"):
        axis("gendre")
