"""The stories of Home: published tests that show at once what a test is."""

from __future__ import annotations

from typing import NamedTuple

from .question import Question


class Story(NamedTuple):
    """A story: its name in the address, its button, the question it asks, and its test."""

    name: str
    title: str
    question: str
    test: str


STORIES = (
    Story("careers", "Careers", "Does it link men with careers and women with family?", "weat6"),
    Story(
        "names", "Names", "Do names of Black and White Americans sound equally pleasant?", "weat5"
    ),
    Story(
        "ageing", "Ageing", "Do old people's names sound less pleasant than young ones?", "weat10"
    ),
)
"""The first is shown when the page is opened."""


def find_story(name: str) -> Story:
    """Return the story with this name, or the first one."""
    return next((story for story in STORIES if story.name == name), STORIES[0])


def ask_story(story: Story, sources: tuple[str, ...]) -> Question:
    """Return the question that a story asks."""
    return Question(sources, story.test)
