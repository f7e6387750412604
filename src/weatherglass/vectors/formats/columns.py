"""Which columns of a table are the words and which the numbers.

A column that is neither must not become a dimension: an id, a count, the index that pandas adds. So
names decide first, integers are no vectors unless their column is called one, and a table that
leaves a choice is refused with the options that make it.
"""

from __future__ import annotations

import fnmatch
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weatherglass.errors import BadContent, UsageError, join_first, quote_safe

COUNT = "count"
# The first name wins over the others, which are synonyms of equal rank.
_WORD_NAMES = ("word", "words", "token", "term", "vocab", "vocabulary")
_VECTOR_NAMES = ("vector", "vectors", "embedding", "embeddings", "emb")
# Facts about a word: never a dimension, whatever their type.
_FACT_NAMES = frozenset(
    (
        *("count", "counts", "freq", "frequency", "frequencies", "n", "rank", "id", "ids"),
        *("index", "idx", "level_0", "norm", "length", "prob", "probability", "score", "weight"),
    )
)
_NUMBERED = re.compile(r"(.*?)[._-]?([0-9]{1,9})", re.DOTALL)
_PANDAS_INDEX = re.compile(r"__index_level_[0-9]+__")


@dataclass(frozen=True)
class Columns:
    """The columns of a table that are read.

    Attributes
    ----------
    words
        The column of words.
    vectors
        The column of lists, or one column for each dimension.
    is_list
        Whether there is a single column of lists.
    count
        The column of counts, if there is one.
    unused
        The other columns.
    """

    words: str
    vectors: tuple[str, ...]
    is_list: bool
    count: str | None
    unused: tuple[str, ...]

    @property
    def needed(self) -> list[str]:
        """All columns that are read."""
        return [self.words, *self.vectors, *([self.count] if self.count else ())]

    def describe(self) -> dict[str, str]:
        """Return what was taken for what, for `weatherglass vectors info`."""
        first, last = quote_safe(self.vectors[0]), quote_safe(self.vectors[-1])
        number = len(self.vectors)
        facts = {
            "words from": f"column {quote_safe(self.words)}",
            "vectors from": f"column {first}" if number == 1 else f"columns {first} to {last}",
        }
        if self.count:
            facts["counts from"] = f"column {quote_safe(self.count)}"
        if self.unused:
            facts["not used"] = "columns " + join_first(map(quote_safe, self.unused), 10)
        return facts


def choose_columns(path: Path, schema: Any, options: dict[str, str]) -> Columns:
    """Choose the columns of an Arrow schema, by the options ``words`` and ``vector`` if given."""
    from pyarrow import types

    names = list(schema.names)
    words = choose_words(path, schema, options.get("words"))
    vectors, is_list = _choose_vectors(path, schema, options.get("vector"))
    times = Counter(names)
    for name in (words, *vectors):
        if times[name] > 1:
            raise BadContent(f"{path} has {times[name]} columns called {quote_safe(name)}.")
    is_counted = times[COUNT] == 1 and types.is_integer(schema.field(COUNT).type)
    count = COUNT if is_counted and COUNT not in vectors else None
    used = {words, count, *vectors}
    return Columns(words, vectors, is_list, count, tuple(n for n in names if n not in used))


def choose_words(path: Path, schema: Any, chosen: str | None = None) -> str:
    """Return the name of the column of words."""
    texts = _of_type(schema, is_text)
    if chosen is not None:
        if chosen not in texts:
            raise _not_a_column(path, schema, "words", chosen, "words")
        return chosen
    named = _find_named(texts, _WORD_NAMES) or texts
    if not named:
        raise BadContent(
            f"{path} has no column of words, only {join_first(map(quote_safe, schema.names), 10)}."
        )
    if len(named) > 1:
        raise _ambiguous(path, named, "the words", "words")
    return named[0]


def _choose_vectors(path: Path, schema: Any, chosen: str | None) -> tuple[tuple[str, ...], bool]:
    """Return the columns of the vectors, and whether that is a single column of lists."""
    lists = _of_type(schema, _is_list)
    if chosen is not None:
        if chosen in lists:
            return (chosen,), True
        matching = _match_columns(chosen, _of_type(schema, _is_number))
        if not matching:
            raise _not_a_column(path, schema, "vector", chosen, "vectors")
        return matching, False
    named = _find_named(lists, _VECTOR_NAMES)
    named = named or [name for name in lists if _is_float(schema.field(name).type.value_type)]
    if len(named) > 1:
        raise _ambiguous(path, named, "the vectors", "vector")
    if named:
        return (named[0],), True
    return _choose_dimensions(path, schema), False


def _match_columns(patterns: str, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that ``x,y`` or ``d*`` name; facts about words only by their full name."""
    found: list[str] = []
    for pattern in [patterns] if patterns in columns else patterns.split(","):
        found += (
            [pattern]
            if pattern in columns
            else [name for name in fnmatch.filter(columns, pattern) if not _is_fact(name)]
        )
    return tuple(dict.fromkeys(found))


def _choose_dimensions(path: Path, schema: Any) -> tuple[str, ...]:
    """Return the columns of dimensions: floats with numbered names, such as d0 to d299."""
    floats, groups = _of_type(schema, _is_float), defaultdict(list)
    for name in _of_type(schema, _is_number):
        if not _is_fact(name) and (match := _NUMBERED.fullmatch(name)):
            groups[match[1]].append(name)
    numbered = [name for group in groups.values() if len(group) > 1 for name in group]
    has_number, is_float = set(numbered), set(floats)  # there may be many thousands
    others = [name for name in floats if not _is_fact(name) and name not in has_number]
    integers = [name for name in numbered if name not in is_float]
    if len(numbered) > len(integers) and not others and not integers:
        if len([group for group in groups.values() if len(group) > 1]) == 1:
            return tuple(sorted(numbered, key=_number))
        others = numbered
    if not floats and not integers:
        listed = join_first(map(quote_safe, schema.names), 10)
        raise BadContent(
            f"{path} has no column of vectors, only {listed}. If one contains vectors after all, "
            f"choose it with {path.name}?vector=COLUMN."
        )
    odd = join_first(map(quote_safe, others or integers or floats))
    raise BadContent(
        f"{path} has columns of numbers that may be dimensions or not: {odd}. Choose the "
        f"dimensions with {path.name}?vector=d* (* stands for any characters) or ?vector=x,y."
    )


def _number(name: str) -> int:
    match = _NUMBERED.fullmatch(name)
    return int(match[2]) if match else 0


def is_text(kind: Any) -> bool:
    """Return whether an Arrow type holds words."""
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    checks = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    return any(check(kind) for check in checks)


def _is_list(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_fixed_size_list(kind) or types.is_list(kind) or types.is_large_list(kind))


def _is_float(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_floating(kind))


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_floating(kind) or types.is_integer(kind))


def _is_fact(name: str) -> bool:
    return name.lower() in _FACT_NAMES or _PANDAS_INDEX.fullmatch(name) is not None


def _of_type(schema: Any, is_type: Callable[[Any], bool]) -> list[str]:
    return list(dict.fromkeys(field.name for field in schema if is_type(field.type)))


def _find_named(columns: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the column with the first of the names, or else all that have one of the others."""
    exact = [column for column in columns if column.lower() == names[0]]
    return exact or [column for column in columns if column.lower() in names]


def _ambiguous(path: Path, columns: Sequence[str], what: str, option: str) -> BadContent:
    return BadContent(
        f"{path} has several columns that may be {what}: {join_first(map(quote_safe, columns))}. "
        f"Choose one with {path.name}?{option}=COLUMN."
    )


def _not_a_column(path: Path, schema: Any, option: str, chosen: str, what: str) -> UsageError:
    columns = (f"{quote_safe(field.name)} ({str(field.type)[:40]})" for field in schema)
    return UsageError(
        f"{path} has no column of {what} called {quote_safe(chosen)} (?{option}=); its columns "
        f"are {join_first(columns, 10)}."
    )
