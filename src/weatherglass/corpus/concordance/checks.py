"""Check before training that the words of tests are frequent enough."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from weatherglass.catalog import GroupsTest, Test
from weatherglass.errors import CannotMeasure, join_first, quote_safe
from weatherglass.measures import min_words

from .word_counter import WordCounter

_MAX_NAMED = 6
_MAX_REASONS = 4


def in_group(group: str) -> str:
    """Return where something is, to follow a verb; empty if the corpus is not divided.

    >>> in_group("1850s"), in_group("")
    (" in '1850s'", '')
    """
    return f" in {quote_safe(group)}" if group else ""


@dataclass(frozen=True)
class TestCheck:
    """Whether a test can be run in a group.

    Attributes
    ----------
    test, group
        The test's id, and the group.
    rare
        By set, the words that occur fewer times than the minimum.
    reason
        Why the test cannot be run; empty if it can.
    """

    __test__ = False  # not a test of pytest

    test: str
    group: str
    rare: dict[str, tuple[str, ...]]
    reason: str = ""


@dataclass(frozen=True)
class WordCheck:
    """The check of a training run: are the words of tests frequent enough in its groups?

    Attributes
    ----------
    tests
        The tests.
    max_missing
        The share of a set's words that may be too rare.
    is_comparison
        Whether the groups are compared, with words that every group has. Otherwise each group is
        measured with the words that it has.
    """

    tests: tuple[Test | GroupsTest, ...]
    max_missing: float = 0.2
    is_comparison: bool = False

    @property
    def words(self) -> list[str]:
        """The words of all tests."""
        return [word for test in self.tests for words in test.sets.values() for word in words.words]

    def run(self, counter: WordCounter, groups: Sequence[str], min_count: int) -> list[str]:
        """Return a note for each test that cannot be run somewhere.

        Raises
        ------
        CannotMeasure
            No test can be run.
        """
        arguments = (counter, self.tests, groups, min_count, self.max_missing)
        if self.is_comparison:
            reasons = why_not_compared(*arguments)
            notes = [f"{test} cannot be compared: {why}" for test, why in reasons.items()]
            can_run = len(reasons) < len(self.tests)
        else:
            checks = check_tests(*arguments)
            notes = [
                f"{check.test} cannot be run{in_group(check.group)}: {check.reason}"
                for check in checks
                if check.reason
            ]
            can_run = len(notes) < len(checks)
        if self.tests and not can_run:
            raise _nothing_trained(notes, "`weatherglass corpus words` counts them all.")
        return notes

    def run_planned(
        self,
        counter: WordCounter,
        groups: Sequence[str],
        planned: Mapping[str, tuple[int, str]],
        min_count: int,
    ) -> None:
        """Refuse to train if no test has words that are frequent enough in every planned model.

        Parameters
        ----------
        counter, groups, min_count
            As in `run`.
        planned
            For each word of the texts that every group has, its count in the model in which it is
            rarest, and which that is, such as ``in a sample of 'F'``.

        Raises
        ------
        CannotMeasure
            No test can be run.
        """
        lowest = _lowest_in_groups(counter, self.words, groups)
        for word, (count, _) in lowest.items():
            if count >= min_count:
                lowest[word] = planned[counter.spelling(word)]
        reasons = _explain_lowest(self.tests, lowest, min_count, self.max_missing)
        if self.tests and len(reasons) == len(self.tests):
            notes = [f"{test} cannot be compared: {why}" for test, why in reasons.items()]
            raise _nothing_trained(
                notes,
                "A comparison uses words that all its models have, also those of samples and of "
                "exchanged documents. Choose a lower --min-count or more frequent words; "
                "`weatherglass groups` compares small groups in one space.",
            )


def _nothing_trained(notes: Sequence[str], advice: str) -> CannotMeasure:
    more = len(notes) - _MAX_REASONS
    return CannotMeasure(
        f"Nothing was trained. {'. '.join(notes[:_MAX_REASONS])}."
        + (f" {more} more. " if more > 0 else " ")
        + advice
    )


def check_tests(
    counter: WordCounter,
    tests: Iterable[Test | GroupsTest],
    groups: Sequence[str],
    min_count: int,
    max_missing: float,
) -> list[TestCheck]:
    """Return whether each test can be run in each group, with the words that are too rare."""
    checks = []
    for test in tests:
        sets = {name: word_set.words for name, word_set in test.sets.items()}
        for group in groups:
            counts = {word: counter.count(word, group) for words in sets.values() for word in words}
            rare = {
                name: tuple(dict.fromkeys(word for word in words if counts[word] < min_count))
                for name, words in sets.items()
            }
            described = {word: f"{quote_safe(word)} {count}" for word, count in counts.items()}
            reason = _reason(sets, rare, described, min_count, max_missing)
            checks.append(TestCheck(test.id, group, rare, reason))
    return checks


def why_not_compared(
    counter: WordCounter,
    tests: Iterable[Test | GroupsTest],
    groups: Sequence[str],
    min_count: int,
    max_missing: float,
) -> dict[str, str]:
    """Return, for tests that cannot be compared, why: only words that every group has are used.

    The reason names each word that is too rare, with its count in the group where it is rarest.
    """
    tests = list(tests)
    words = [word for test in tests for wanted in test.sets.values() for word in wanted.words]
    lowest = _lowest_in_groups(counter, words, groups)
    return _explain_lowest(tests, lowest, min_count, max_missing)


def _lowest_in_groups(
    counter: WordCounter, words: Iterable[str], groups: Sequence[str]
) -> dict[str, tuple[int, str]]:
    """Return for each word its count in the group in which it is rarest, and which that is."""
    rarest = {word: min((counter.count(word, group), group) for group in groups) for word in words}
    return {word: (count, in_group(group).strip()) for word, (count, group) in rarest.items()}


def _explain_lowest(
    tests: Iterable[Test | GroupsTest],
    lowest: Mapping[str, tuple[int, str]],
    min_count: int,
    max_missing: float,
) -> dict[str, str]:
    """Return why tests lack words, by the lowest count of each word and its place."""
    reasons: dict[str, str] = {}
    for test in tests:
        sets = {name: word_set.words for name, word_set in test.sets.items()}
        rare = {
            name: tuple(dict.fromkeys(word for word in words if lowest[word][0] < min_count))
            for name, words in sets.items()
        }
        described = {
            word: f"{quote_safe(word)} {lowest[word][0]} {lowest[word][1]}".rstrip()
            for words in sets.values()
            for word in words
        }
        reason = _reason(sets, rare, described, min_count, max_missing)
        if reason:
            reasons[test.id] = reason
    return reasons


def _reason(
    sets: Mapping[str, Sequence[str]],
    rare: Mapping[str, Sequence[str]],
    described: Mapping[str, str],
    min_count: int,
    max_missing: float,
) -> str:
    """Return why the words do not allow a test; empty if they do."""
    for name, least in min_words(sets).items():
        distinct, absent = len(set(sets[name])), rare[name]
        listed = join_first([described[word] for word in absent], _MAX_NAMED)
        if len(absent) > max_missing * distinct:
            return (
                f"{len(absent)} of the {distinct} words of {name} occur fewer than {min_count} "
                f"times ({listed}); at most {100 * max_missing:g}% may"
            )
        if distinct - len(absent) < least:
            return (
                f"{name} has {distinct - len(absent)} words that occur {min_count} times or more, "
                f"and needs {least} ({listed or 'no word is rare'})"
            )
    return ""
