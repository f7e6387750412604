"""The gender lists agree with the publication, and mistakes in a user's axis are reported."""

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


def test_gender_axis_has_the_published_sizes_and_a_source() -> None:
    gender = axis("gender")
    assert (len(gender.pairs), len(gender.equal), len(gender.specific)) == (10, 52, 218)
    assert gender.study is not None
    assert gender.study.key == "bolukbasi2016"
    assert "definitional" in gender.provenance


def test_gender_pairs_start_with_woman_and_equality_pairs_are_specific_words() -> None:
    gender = axis("gender")
    assert gender.pairs[0] == ("woman", "man")
    assert ("Mary", "John") in gender.pairs
    # Pairs of lower-case words are specific words, except for a mistake in the published lists.
    lower = {word for pair in gender.equal for word in pair if word == word.lower()}
    assert lower - set(gender.specific) == {"granny"}


def test_axis_is_read_from_a_yaml_file(write) -> None:
    age = load_axis(
        write(
            "title: Age\nstudy: {authors: [A. Author], year: 2020, title: On age}\n"
            "pairs: [[old, young], [on, no, null]]\nspecific: [teenager]\n"
        )
    )
    assert age.pairs == (("old", "young"), ("on", "no", "null"))
    assert age.study is not None
    assert age.study.short == "Author 2020"
    assert age == Axis.model_validate(age.model_dump())


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
def test_mistakes_in_an_axis_file_are_reported_with_the_field(
    write, content: str, message: str
) -> None:
    with pytest.raises(CatalogError) as caught:
        load_axis(write(content))
    assert message in str(caught.value)
    assert "age.yaml" in str(caught.value)


def test_missing_axis_file_and_unknown_axis_are_reported(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="cannot be read"):
        load_axis(tmp_path / "none.yaml")
    with pytest.raises(UnknownEntry, match=r"no axis 'gendre' .* Did you mean gender\?"):
        axis("gendre")
