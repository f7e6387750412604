"""The seed sets of the catalogue that can replace the sets of a test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from weatherglass.catalog import Pairing, SeedSet, Test, concepts, pairings, seed_sets, seeds
from weatherglass.errors import UsageError, quote_safe

from .result import Dropped, Side

FACING = (("X", "Y"), ("A", "B"))
SIDES = ("X", "Y", "A", "B")
SAME_SET_OVERLAP = 0.5
"""The Jaccard index of two word lists from which they are taken to have the same concept."""


def find_documented_sets(test: Test, pair: tuple[str, str]) -> dict[str, SeedSet]:
    """Return the test's own sets of two facing sides, as seed sets of the catalogue if possible.

    Of several seed sets with the same words, two that a study contrasts are preferred, then those
    of the test's own study.
    """
    word_sets = {side: test.sets[side] for side in pair}
    study = test.study.key if test.study else ""
    same_words = [
        sorted(
            (seed_set for seed_set in seed_sets() if set(seed_set.words) == set(words.words)),
            key=lambda seed_set: seed_set.study is None or seed_set.study.key != study,
        )
        for words in word_sets.values()
    ]
    contrasted = [
        (first, second)
        for first, second in product(*same_words)
        if any(pairing.other(first.id) == second.id for pairing in pairings(first.id))
    ]
    if contrasted:
        return dict(zip(pair, contrasted[0], strict=True))
    return {
        side: known[0] if known else _own_set(test, side)
        for side, known in zip(pair, same_words, strict=True)
    }


def _own_set(test: Test, side: str) -> SeedSet:
    """Return a seed set whose id is the user's label, or else the test's id and the side."""
    word_set = test.sets[side]
    has_label = word_set.label not in ("", side) and test.study is None
    return SeedSet(id=word_set.label if has_label else f"{test.id}.{side}", words=word_set.words)


def describe_side(test: Test, side: str, own: SeedSet, chosen: Sequence[str] | None) -> Side:
    """Return the concepts of a side: those the user chose, or those of its words.

    If no seed set has exactly its words, the concept is that of the most similar set.
    """
    label = test.sets[side].label
    if chosen is not None:
        return Side(label, own.id, tuple(chosen), "as requested")
    if own.concept:
        return Side(label, own.id, _names_and_terms(own.concept), "the words of a seed set")
    words = {word.lower() for word in own.words}
    best: tuple[float, str, str] = (0.0, "", "")
    for seed_set in seed_sets():
        others = {word.lower() for word in seed_set.words}
        overlap = len(words & others) / len(words | others)
        how = f"{len(words & others)} of {len(words)} words are in {seed_set.id}"
        best = max(best, (overlap, seed_set.concept, how), key=lambda candidate: candidate[0])
    overlap, concept, how = best
    if overlap >= SAME_SET_OVERLAP:
        return Side(label, own.id, _names_and_terms(concept), how)
    return Side(label, own.id, (), "")


def _names_and_terms(concept: str) -> tuple[str, ...]:
    """Return a concept and, if there is one, that of the same people by names or by terms.

    May et al. (2019) exchange names and terms in the same way in their tests 3b to 8b.
    """
    other = concept.removesuffix("-names")
    other = f"{concept}-names" if other == concept else other
    return (concept, other) if other in concepts() else (concept,)


WordPairs = tuple[tuple[str, str], ...]
OwnSets = Mapping[str, Sequence[SeedSet]]


@dataclass(frozen=True)
class Candidate:
    """Seed sets that are used together: for one side, or for two that face each other.

    `word_pairs` has the corresponding words of two facing sets.
    """

    sets: dict[str, SeedSet]
    word_pairs: WordPairs = ()
    documented: bool = False

    @property
    def ids(self) -> dict[str, str]:
        """The ids of the sets, by side."""
        return {side: seed_set.id for side, seed_set in self.sets.items()}


@dataclass(frozen=True)
class Alternatives:
    """The candidates for the sets of a test.

    `factors` has the candidates of sides that are chosen together, the documented one first; a
    specification takes one candidate of each factor.
    """

    test: Test
    sides: dict[str, Side]
    factors: tuple[tuple[Candidate, ...], ...]
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]

    def sets(self) -> list[SeedSet]:
        """Return every set whose words may be looked up."""
        candidates = (candidate for factor in self.factors for candidate in factor)
        return [seed_set for candidate in candidates for seed_set in candidate.sets.values()]


def alternatives(
    test: Test,
    *,
    concepts: Mapping[str, Sequence[str]] | None = None,
    own: OwnSets | None = None,
    cross: bool = False,
) -> Alternatives:
    """Find the documented alternatives of every set of a test, before a source is opened.

    Parameters
    ----------
    test
        An association test of words.
    concepts
        Concepts by side, to replace those that the catalogue finds.
    own
        Seed sets of your own, by side.
    cross
        Combine every set of a side with every set of the facing side; otherwise only sets that a
        study contrasts.
    """
    concepts, own = dict(concepts or {}), dict(own or {})
    _check_sides(test, concepts, own)
    documented: dict[str, SeedSet] = {}
    for pair in FACING:
        documented |= find_documented_sets(test, pair)
    sides = {
        side: describe_side(test, side, documented[side], concepts.get(side)) for side in SIDES
    }
    if not own and not any(side.concepts for side in sides.values()):
        raise UsageError(
            f"No set of {quote_safe(test.id)} has the words of a seed set, so it has no "
            "alternatives. Name the concept of a side (--concept X=female), or give sets of your "
            "own (--with X=FILE)."
        )
    combine = _cross_sets if cross else _pair_sets
    factors: list[tuple[Candidate, ...]] = []
    dropped: list[Dropped] = []
    notes: list[str] = []
    for pair in FACING:
        new_factors, new_dropped, new_notes = combine(pair, sides, documented, own)
        factors += [_remove_duplicates(factor) for factor in new_factors]
        dropped += new_dropped
        notes += new_notes
    return Alternatives(test, sides, tuple(factors), tuple(dropped), tuple(notes))


def _check_sides(test: Test, concepts: Mapping[str, Sequence[str]], own: OwnSets) -> None:
    if test.level != "word":
        raise UsageError(
            f"{quote_safe(test.id)} is a test of sentences; seed sets can only replace words."
        )
    unknown = next((side for side in (*concepts, *own) if side not in SIDES), None)
    if unknown is not None:
        raise UsageError(f"A side is {quote_safe(unknown)}; it must be one of {', '.join(SIDES)}.")
    for side, names in concepts.items():
        for name in names:
            # `seed_sets` raises if the concept is unknown.
            if not any(seed_set.words for seed_set in seed_sets(concept=name)):
                raise UsageError(f"No seed set of the concept {name} has words, for {side}.")


Combined = tuple[list[list[Candidate]], list[Dropped], list[str]]
"""Factors, dropped sets and notes."""


def _pair_sets(
    pair: tuple[str, str],
    sides: Mapping[str, Side],
    documented: Mapping[str, SeedSet],
    own: OwnSets,
) -> Combined:
    """Return the candidates of two facing sides, as studies contrast them: one factor."""
    test_sets = {side: documented[side] for side in pair}
    candidates = [Candidate(test_sets, _find_word_pairs(test_sets, pair), documented=True)]
    dropped: list[Dropped] = []
    notes: list[str] = []
    unknown = [side for side in pair if not sides[side].by]
    if unknown and not any(own.get(side) for side in pair):
        notes.append(
            f"{' and '.join(pair)} stay as they are, because no seed set has the words of "
            f"{' and '.join(unknown)}; --concept {unknown[0]}=NAME names the concept of a side, "
            f"--with {unknown[0]}=FILE gives other words."
        )
    if all(sides[side].concepts for side in pair):
        for pairing in pairings():
            for ids in _matching_orders(pairing, pair, sides):
                sets = {side: seeds(id) for side, id in zip(pair, ids, strict=True)}
                candidates.append(Candidate(sets, _find_word_pairs(sets, pair)))
        dropped = list(_find_unpaired(pair, sides, candidates))
    candidates += _pair_own_sets(pair, documented, own)
    return [candidates], dropped, notes


def _matching_orders(
    pairing: Pairing, pair: tuple[str, str], sides: Mapping[str, Side]
) -> Iterator[tuple[str, str]]:
    """Yield the two sets of a pairing in each order that has the concepts of the sides."""
    for ids in (pairing.sets, pairing.sets[::-1]):
        if all(
            seeds(id).concept in sides[side].concepts for side, id in zip(pair, ids, strict=True)
        ):
            yield ids


def _find_word_pairs(sets: Mapping[str, SeedSet], pair: tuple[str, str]) -> WordPairs:
    """Return the corresponding words of two sets, if a study pairs them."""
    first, second = (sets[side].id for side in pair)
    for pairing in pairings():
        if set(pairing.sets) == {first, second}:
            return tuple((x, y) if pairing.sets[0] == first else (y, x) for x, y in pairing.words())
    return ()


def _find_unpaired(
    pair: tuple[str, str], sides: Mapping[str, Side], candidates: Sequence[Candidate]
) -> Iterator[Dropped]:
    """Yield the sets of the right concept that no study contrasts with one of the facing side."""
    for side, other in (pair, pair[::-1]):
        used = {candidate.sets[side].id for candidate in candidates}
        for concept in sides[side].concepts:
            for seed_set in seed_sets(concept=concept):
                if seed_set.id not in used:
                    facing = " or ".join(sides[other].concepts)
                    reason = f"no study contrasts it with a set of {facing} (--cross combines all)"
                    reason = reason if seed_set.words else "its words are unknown"
                    yield Dropped({side: seed_set.id}, reason)


def _pair_own_sets(
    pair: tuple[str, str], documented: Mapping[str, SeedSet], own: OwnSets
) -> Iterator[Candidate]:
    """Yield the user's sets: the first of both sides together, the second, and so on."""
    x_sets, y_sets = (list(own.get(side, ())) for side in pair)
    first, second = pair
    if x_sets and y_sets and len(x_sets) != len(y_sets):
        raise UsageError(
            f"{first} has {len(x_sets)} sets of yours and {second} has {len(y_sets)}; they are "
            "paired in order, so give as many of each, or combine all with --cross."
        )
    # A side without sets of the user's keeps the test's own set.
    x_sets, y_sets = (
        x_sets or [documented[first]] * len(y_sets),
        y_sets or [documented[second]] * len(x_sets),
    )
    for x, y in zip(x_sets, y_sets, strict=True):
        yield Candidate({first: x, second: y})


def _cross_sets(
    pair: tuple[str, str],
    sides: Mapping[str, Side],
    documented: Mapping[str, SeedSet],
    own: OwnSets,
) -> Combined:
    """Return the candidates of each side on its own: two factors."""
    factors: list[list[Candidate]] = []
    dropped: list[Dropped] = []
    for side in pair:
        known = [seeds for name in sides[side].concepts for seeds in seed_sets(concept=name)]
        dropped += [
            Dropped({side: seeds.id}, "its words are unknown") for seeds in known if not seeds.words
        ]
        usable = [seeds for seeds in (*known, *own.get(side, ())) if seeds.words]
        factors.append(
            [
                Candidate({side: documented[side]}, documented=True),
                *(Candidate({side: seeds}) for seeds in usable),
            ]
        )
    return factors, dropped, []


def _remove_duplicates(factor: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates without duplicates; refuse two different sets with the same id."""
    by_ids: dict[tuple[str, ...], Candidate] = {}
    words: dict[tuple[str, str], tuple[str, ...]] = {}
    for candidate in factor:
        for side, seed_set in candidate.sets.items():
            if words.setdefault((side, seed_set.id), seed_set.words) != seed_set.words:
                raise UsageError(
                    f"Two different sets are called {quote_safe(seed_set.id)}; rename yours."
                )
        by_ids.setdefault(tuple(candidate.ids.values()), candidate)
    return tuple(by_ids.values())
