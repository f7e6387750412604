"""The most popular names in each window of a share, such as the share of women with the name.

Caliskan et al. (2017) chose the androgynous names of their second factual test so: "the most
popular names in each 10% window of gender frequency" (supplement).
"""

from __future__ import annotations

from dataclasses import dataclass

from weatherglass.errors import UsageError, join_first, quote_safe

from .names import NameList

DEFAULT_SHARE = "share_female"


@dataclass(frozen=True)
class NameWindow:
    """A window of a share, low ≤ share < high, and its most popular names.

    Attributes
    ----------
    low, high
        The ends; the last window also has names with the share 1.
    names, shares, people
        The most popular names, the most frequent first, with their shares and numbers of people.
    available
        How many names of the list are in the window.
    """

    low: float
    high: float
    names: tuple[str, ...]
    shares: tuple[float, ...]
    people: tuple[float, ...]
    available: int


def name_windows(
    names: NameList, share: str | None = None, *, windows: int = 10, per_window: int = 5
) -> tuple[NameWindow, ...]:
    """Return the most popular names in each window of a share.

    Parameters
    ----------
    names
        A list that counts the people with each name.
    share
        The column of shares from 0 to 1; by default ``share_female``, or the only such column.
    windows
        How many windows of equal width divide 0 to 1; 10 in the paper.
    per_window
        How many names to take from each window.

    Raises
    ------
    UsageError
        The list has no such column, no number of people, or values that are no shares.

    Examples
    --------
    >>> from weatherglass.catalog import load_names
    >>> middle = name_windows(load_names("ssa"), per_window=3)[4]
    >>> middle.low, middle.high, middle.names
    (0.4, 0.5, ('Casey', 'Jessie', 'Jaime'))
    """
    if windows < 1 or per_window < 1:
        raise UsageError("There must be at least one window, and one name in each.")
    column = _share_column(names, share)
    people = names.people_column
    if people is None:
        raise UsageError(
            f"{names.title} does not state how many people have a name; a column people was "
            "expected."
        )
    rows = [
        (name, value, count)
        for name, value, count in zip(
            names.names, names.facts[column], names.facts[people], strict=True
        )
        if value is not None and count is not None
    ]
    for name, value, _ in rows:
        if not 0 <= value <= 1:
            raise UsageError(
                f"{quote_safe(column)} of {quote_safe(name)} is {value:g}; a share from 0 to 1 was "
                "expected."
            )
    rows.sort(key=lambda row: -row[2])
    found = []
    for number in range(windows):
        inside = [row for row in rows if min(windows - 1, _window_of(row[1], windows)) == number]
        chosen = inside[:per_window]
        found.append(
            NameWindow(
                number / windows,
                (number + 1) / windows,
                tuple(name for name, _, _ in chosen),
                tuple(value for _, value, _ in chosen),
                tuple(count for _, _, count in chosen),
                len(inside),
            )
        )
    return tuple(found)


def _window_of(share: float, windows: int) -> int:
    # 0.29 * 100 is 28.999…, but the share is in the window that begins at 0.29.
    return int(share * windows + 1e-9)


def _share_column(names: NameList, share: str | None) -> str:
    if share is not None:
        if share not in names.facts:
            has = join_first(map(quote_safe, names.facts)) or "none"
            raise UsageError(
                f"{names.title} has no numeric column {quote_safe(share)}. It has {has}."
            )
        return share
    stated = [column for column in names.facts if names.units.get(column) == "share"]
    others = [column for column in names.facts if column != names.people_column]
    if DEFAULT_SHARE in names.facts:
        return DEFAULT_SHARE
    candidates = stated or others
    if len(candidates) != 1:
        has = join_first(map(quote_safe, candidates)) or "no column of shares"
        raise UsageError(f"{names.title} has {has}; name the column of shares with --by.")
    return candidates[0]
