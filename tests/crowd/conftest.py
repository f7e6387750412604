"""What the tests of crowd studies share: a small discovery that is made, not searched."""

from __future__ import annotations

import pytest

from weatherglass import CrowdStudy, Discovery, export_crowd_study
from weatherglass.discovery import Category, Cell, Group, Indirect, Rotations
from weatherglass.significance import PValue
from weatherglass.vectors import Control

SMALL_P = PValue(0.001, 0.0005, 0.002, "rotation")


def make_discovery(
    groups: int = 5, categories: int = 4, size: int = 12, words: tuple[str, ...] = ()
) -> Discovery:
    """A discovery in which every cell is significant, but category k lacks the first k - 1 groups.

    `words` replaces the words of the first cell.
    """
    named = tuple(
        Group(
            f"G{i + 1}",
            tuple(f"name{i}x{k}" for k in range(5)),
            size,
            tuple(f"name{i}x{k}" for k in range(size)),
        )
        for i in range(groups)
    )
    cells = tuple(
        Cell(
            f"G{i + 1}",
            f"C{j + 1}",
            tuple(f"word{i}y{j}z{k}" for k in range(3)),
            1.0 / (1 + j),
            SMALL_P,
            i >= j,
        )
        for j in range(categories)
        for i in range(groups)
    )
    if words:
        first = cells[0]
        cells = (Cell(first.group, first.category, words, first.score, first.p, True), *cells[1:])
    listed = tuple(Category(f"C{j + 1}", f"label{j}", 30) for j in range(categories))
    return Discovery(
        groups=named,
        categories=listed,
        cells=cells,
        order=tuple(category.id for category in listed),
        alpha=0.05,
        threshold=0.05,
        control=Control("none"),
        rotations=Rotations(99, 99),
        indirect=Indirect(0, None),
        names={"listed": groups * size, "used": groups * size},
        source={"name": "made"},
    )


@pytest.fixture(scope="session")
def discovery() -> Discovery:
    return make_discovery()


@pytest.fixture(scope="session")
def study(discovery: Discovery) -> CrowdStudy:
    return export_crowd_study(discovery)
