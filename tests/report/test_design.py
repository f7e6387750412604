"""The design system: contrast in both themes, and one colour for each social group."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

import weatherglass as wg
from weatherglass.report import classes_of_sets, set_classes, style
from weatherglass.report.social_groups import GROUPS

SHEET = files("weatherglass.report").joinpath("design.css").read_text(encoding="utf-8")
_BLOCK = re.compile(r":root \{(.*?)\n\s*\}", re.DOTALL)
_COLOUR = re.compile(r"--([\w-]+): (#[0-9a-f]{3,6});")
LIGHT, DARK = (dict(_COLOUR.findall(block)) for block in _BLOCK.findall(SHEET)[:2])
THEMES = {"light": LIGHT, "dark": LIGHT | DARK}
TEXTS = ("text", "soft", "link", "grey", "alarm", *GROUPS, *(f"concept-{k}" for k in range(1, 5)))
MARKS = ("edge", "focus", "warn-edge", *GROUPS)


def long(colour: str) -> str:
    return colour if len(colour) == 7 else "#" + "".join(2 * c for c in colour[1:])


def contrast(theme: str, first: str, second: str) -> float:
    colours = THEMES[theme]
    return style.contrast(long(colours[first]), long(colours[second]))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", ["ground", "card", "raised"])
def test_text_of_every_colour_is_readable_on_every_ground(theme, ground):
    assert {name: ratio for name in TEXTS if (ratio := contrast(theme, name, ground)) < 4.5} == {}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", ["ground", "card", "raised"])
def test_marks_stand_out_from_every_ground(theme, ground):
    assert {name: ratio for name in MARKS if (ratio := contrast(theme, name, ground)) < 3} == {}


@pytest.mark.parametrize("theme", THEMES)
def test_verdicts_and_buttons_are_readable_on_their_own_grounds(theme):
    for name in ("holds", "depends", "fails"):
        assert contrast(theme, name, f"{name}-ground") >= 4.5
        assert contrast(theme, "ground", name) >= 4.5
    assert contrast(theme, "on-action", "action") >= 4.5
    assert contrast(theme, "on-action", "action-hover") >= 4.5
    assert contrast(theme, "text", "warn") >= 4.5
    assert contrast(theme, "text", "bar") >= 4.5


def test_dark_theme_changes_every_colour_of_the_light_one():
    assert set(DARK) == set(LIGHT)


def test_no_two_groups_share_a_colour():
    for colours in (LIGHT, DARK):
        assert len({colours[group] for group in GROUPS}) == len(GROUPS)


def test_every_group_has_a_class_and_a_forced_colour():
    forced = SHEET.partition("forced-colors")[2]
    for group in GROUPS:
        assert f".g-{group} {{ --group: var(--{group}); }}" in SHEET
        assert f"--{group}: CanvasText" in forced


@pytest.mark.parametrize("test", ["weat1", "weat3", "weat6", "weat7", "weat9", "weat10"])
def test_colours_stay_with_their_sets_when_sets_are_swapped(test):
    entry = wg.test(test)
    swapped = wg.Test(x=entry.y, y=entry.x, a=entry.b, b=entry.a)
    before, after = set_classes(entry), set_classes(swapped)
    assert after == {"X": before["Y"], "Y": before["X"], "A": before["B"], "B": before["A"]}
    assert len(set(before.values())) == 4


def test_own_words_without_names_have_the_colour_of_their_group():
    attributes = {"A": ("A", ["office"]), "B": ("B", ["home"])}
    targets = {"X": ("X", ["he", "him", "pilot"]), "Y": ("Y", ["she", "her", "nurse"])}
    classes = classes_of_sets(targets | attributes)
    assert (classes["X"], classes["Y"]) == ("g-men", "g-women")


def test_groups_of_two_kinds_are_told_apart_by_the_kind_in_which_they_differ():
    words = ["a"]
    sets = {"X": ("White women's names", words), "Y": ("Black women's names", words)}
    classes = classes_of_sets(sets | {"A": ("Pleasant", ["b"]), "B": ("Unpleasant", ["c"])})
    assert (classes["X"], classes["Y"]) == ("g-white", "g-black")
