"""The stories of Home: published tests that show at once what a test is."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

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


STARTERS = (
    (
        "Doctors and nurses",
        "Are medical professions associated with men and caring ones with women?",
        urlencode(
            {
                "x": "doctor, surgeon, physician, dentist, professor, scientist",
                "y": "nurse, midwife, librarian, secretary, receptionist, teacher",
                "a": "he, him, his, man, father, son",
                "b": "she, her, hers, woman, mother, daughter",
                "x_name": "Doctors",
                "y_name": "Nurses",
                "a_name": "Men",
                "b_name": "Women",
            }
        ),
    ),
    (
        "Rich and poor",
        "Are words for wealth more pleasant than words for poverty?",
        urlencode(
            {
                "x": "rich, wealthy, affluent, prosperous, privileged, millionaire",
                "y": "poor, needy, impoverished, destitute, underprivileged, homeless",
                "a": "@weat5.A",
                "b": "@weat5.B",
                "x_name": "Rich",
                "y_name": "Poor",
            }
        ),
    ),
    *((story.title, story.question, urlencode({"test": story.test})) for story in STORIES),
)
"""Where an empty workbench can start: title, question and query."""


def find_story(name: str) -> Story:
    """Return the story with this name, or the first one."""
    return next((story for story in STORIES if story.name == name), STORIES[0])


def ask_story(story: Story, sources: tuple[str, ...]) -> Question:
    """Return the question that a story asks."""
    return Question(sources, story.test)
