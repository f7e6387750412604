"""`discover_each`: the same search on several embeddings and with several lists of names.

Tables 6 to 8 of Swinger et al. (2019): groups of first names on three embeddings and on a debiased
one, and groups of surnames, side by side with their facts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

from weatherglass.errors import UsageError, quote_safe
from weatherglass.measures import NO_CHART, Result, Source, need_whole
from weatherglass.vectors import Vectors

from .discover import discover
from .options import Options
from .prepare import check_names
from .result import Discovery

Progress = Callable[[int, int], None]

MIN_SHARED = 2
"""Groups of two searches are compared if these share at least this many names."""


@dataclass(frozen=True)
class GroupAgreement:
    """How far two searches divide the same names into the same groups.

    `rand` is the adjusted Rand index over the `shared` names: 1 if every two names are together in
    both or apart in both, 0 on average for random groups of the same sizes.
    """

    first: str
    second: str
    shared: int
    rand: float


@dataclass(frozen=True, kw_only=True, repr=False)
class Discoveries(Result):
    """Several discoveries, side by side.

    Attributes
    ----------
    searches
        The discoveries by their labels: the name of the source, and of the list of names if there
        are several lists.
    agreements
        For every two searches with the same list of names, how far their groups agree.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.open_vectors("default")
    >>> parts = {str(n): vectors.subset(vectors.words[:n]) for n in (6000, 8000)}
    >>> found = wg.discover_each(parts, groups=2, categories=3, words=300, rotations=49,
    ...                          control="none")
    >>> list(found.searches), found.agreements[0].shared > 100
    (['6000', '8000'], True)
    >>> type(found).from_json(found.to_json()) == found
    True
    """

    measure: ClassVar[str] = "discoveries"
    noun: ClassVar[str] = "set of discoveries"
    chart: ClassVar[str] = NO_CHART

    searches: dict[str, Discovery]
    agreements: tuple[GroupAgreement, ...] = ()

    def __post_init__(self) -> None:
        if not self.searches:
            raise ValueError("a set of no discoveries")

    @property
    def source(self) -> dict[str, Any]:
        """The name of all sources."""
        return {"name": self.source_name}

    @property
    def source_name(self) -> str:
        return ", ".join(dict.fromkeys(found.source_name for found in self.searches.values()))

    @property
    def version(self) -> str:
        """The version that ran the last search."""
        return [found.version for found in self.searches.values()][-1]

    @property
    def columns(self) -> dict[str, dict[str, str]]:
        """What each fact of the groups is, for all lists of names."""
        return {
            name: about for found in self.searches.values() for name, about in found.columns.items()
        }

    def key_facts(self) -> dict[str, Any]:
        return {
            "searches": len(self.searches),
            "source": self.source_name,
            "significant": [len(found.significant) for found in self.searches.values()],
        }

    def sentence(self) -> str:
        counts = ", ".join(
            f"{len(found.significant):,} of {len(found.cells):,} on {quote_safe(label)[1:-1]}"
            for label, found in self.searches.items()
        )
        return f"Pairs of a group of names and a category of words that are significant: {counts}."

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one flat row for each group of each search, with its facts."""
        return [
            {
                "search": label,
                "source": found.source_name,
                "names_list": str(found.options.get("names", "")),
                "group": group.id,
                "shown": ", ".join(group.shown),
                "names": group.size,
                "people": group.people,
                **{column: group.facts.get(column) for column in self.columns},
                "significant": sum(
                    cell.significant for cell in found.cells if cell.group == group.id
                ),
            }
            for label, found in self.searches.items()
            for group in found.groups
        ]


def discover_each(
    sources: Mapping[str, Source] | Sequence[Source],
    *,
    names: str | Sequence[str] = "ssa",
    resume: bool = False,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Discoveries:
    """Run the same search on several embeddings, and with several lists of names.

    Parameters
    ----------
    sources
        Whole embeddings, any sources of word vectors (see `as_source`), by the names that results
        call them; by default that of each source.
    names
        A list of names or several, as for `discover`: every source is searched with every list.
    resume, workers, cluster, progress, **options
        As for `discover`.

    Returns
    -------
    Discoveries
        In contrast to `discover_both`, each search has groups and categories of its own.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors = wg.open_vectors("default")
    >>> few = vectors.subset(vectors.words[:8000])
    >>> found = wg.discover_each({"default": few}, names=["ssa", "surnames"], groups=3,
    ...                          categories=3, words=300, rotations=49, control="none")
    >>> list(found.searches)
    ['default, ssa', 'default, surnames']
    """
    if isinstance(sources, Mapping):
        named = {label: need_whole(source, "A discovery") for label, source in sources.items()}
    else:
        named = _by_name([need_whole(source, "A discovery") for source in sources])
    lists = [names] if isinstance(names, str) else list(dict.fromkeys(map(str, names)))
    if not named or not lists:
        raise UsageError("There is nothing to search: give at least one source and one list.")
    plan = [(label, source, which) for label, source in named.items() for which in lists]
    for _, source, which in plan:  # a list that a source lacks is found before hours of rotations
        check_names(source, Options(names=which, **options))
    searches: dict[str, Discovery] = {}
    for number, (label, source, which) in enumerate(plan):
        searches[f"{label}, {which}" if len(lists) > 1 else label] = discover(
            source,
            names=which,
            resume=resume,
            workers=workers,
            cluster=cluster,
            progress=_part_of(progress, len(plan), number),
            **options,
        )
    return Discoveries(searches=searches, agreements=compare_groups_of(searches))


def _by_name(sources: Sequence[Vectors]) -> dict[str, Vectors]:
    """Return sources by their names; raise `UsageError` if two have the same."""
    named: dict[str, Vectors] = {}
    for source in sources:
        if str(source.source) in named:
            raise UsageError(f"Two sources are called {quote_safe(str(source.source))}.")
        named[str(source.source)] = source
    return named


def _part_of(progress: Progress | None, parts: int, part: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, total: progress(part * total + done, parts * total)


def compare_groups_of(searches: Mapping[str, Discovery]) -> tuple[GroupAgreement, ...]:
    """Return how far the groups of every two searches with the same list of names agree."""
    from sklearn.metrics import adjusted_rand_score

    agreements = []
    for (first, left), (second, right) in combinations(searches.items(), 2):
        if left.options.get("names") != right.options.get("names"):
            continue
        before, after = _group_of_names(left), _group_of_names(right)
        shared = sorted(before.keys() & after.keys())
        if len(shared) >= MIN_SHARED:
            rand = adjusted_rand_score([before[n] for n in shared], [after[n] for n in shared])
            agreements.append(GroupAgreement(first, second, len(shared), float(rand)))
    return tuple(agreements)


def _group_of_names(found: Discovery) -> dict[str, str]:
    """Return the group of each name; embeddings spell names in capitals or not."""
    return {name.casefold(): group.id for group in found.groups for name in group.names}
