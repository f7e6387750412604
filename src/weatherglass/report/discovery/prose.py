"""What a discovery did, found and does not mean, in sentences; and the command that repeats it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import PurePath

from weatherglass.discovery import Discovery, Indirect, Proxy
from weatherglass.significance import format_p
from weatherglass.vectors import Control

from ..html import MAX_WORD_LENGTH, Markup, element, join, sentence_markup, spell, word_markup

CITATION = (
    "Swinger, N., De-Arteaga, M., Heffernan IV, N. T., Leiserson, M. D. M., and Kalai, A. T. "
    "(2019). What are the Biases in My Word Embedding? Proceedings of the AAAI/ACM Conference on "
    "AI, Ethics, and Society (AIES 2019). doi:10.1145/3306618.3314270"
)
# What the command line calls the options of a search.
_FLAGS = {
    "names": "--names",
    "groups": "--groups",
    "categories": "--categories",
    "words": "--words",
    "per_cell": "--per-cell",
    "rotations": "--rotations",
    "alpha": "--alpha",
    "rng": "--seed",
    "keep_names": "--keep-names",
    "control": "--control",
    "name_rank": "--name-rank",
    "alphabet": "--alphabet",
}
_SWITCHED_OFF = {"voronoi": "--no-voronoi", "stop_early": "--all-rotations"}


def describe_search(found: Discovery) -> Markup:
    """What was looked for and how much was found."""
    names, words = (sum(one.size for one in some) for some in (found.groups, found.categories))
    return join(
        "Weatherglass put ",
        f"{names:,} names into {count_noun(len(found.groups), 'group')} and {words:,} frequent words ",
        f"into {count_noun(len(found.categories), 'category', 'categories')}, as they lie in ",
        element("b", element("bdi", source_name(found))),
        ". For every group and category it chose the words that lie nearest to this group and not "
        "to the others, and asked whether they lie nearer than chance would have it. ",
        f"{len(found.significant):,} of {count_noun(len(found.cells), 'cell')} are significant, ",
        f"in {count_noun(len(found.order), 'category', 'categories')}.",
    )


def count_noun(number: int, one: str, several: str = "") -> str:
    """A number and what it counts.

    >>> count_noun(1, "cell"), count_noun(2713, "four-tuple")
    ('1 cell', '2,713 four-tuples')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def list_counts(some: Mapping[str, int]) -> str:
    """Counts by their names.

    >>> list_counts({"asked": 7212, "cleaned_away": 1})
    '7,212 asked, 1 cleaned away'
    """
    return ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in some.items())


def describe_frequency(control: Control) -> str:
    """What was done about frequency.

    >>> describe_frequency(Control("none", 0.02, None))[:60]
    "Left in. A word's rank can be predicted from its vector with"
    """
    before, after = control.r2_before, control.r2_after
    if before is None:
        return "Left in. There are too few words to say how much of it there is."
    what = "count" if control.by == "counts" else "rank"
    if control.method == "none" or after is None:
        auto = f"; it would be taken out over {control.threshold:g}" * (control.asked == "auto")
        told = f"A word's {what} can be predicted from its vector with R²\xa0{before:.2f}"
        return f"Left in. {told}{auto}."
    return (
        f"Taken out of all vectors. Before, a word's {what} could be predicted from its vector "
        f"with R²\xa0{before:.2f}; after, with {after:.2f}."
    )


def describe_null(found: Discovery) -> Markup:
    """How chance was judged."""
    done = found.rotations
    ended = "" if done.done >= done.asked else f" of {done.asked:,} asked for"
    why = join(" (", sentence_markup(done.stopped), ")") if done.stopped else ""
    return join(
        f"Names and words were turned against each other at random {done.done:,} times{ended}",
        why,
        ", and each time the words were chosen anew. A p-value is the share of turns that did at "
        "least as well.",
    )


def describe_level(found: Discovery) -> str:
    """Which cells are significant."""
    if not found.threshold:
        return f"No p-value is small enough at α\xa0=\xa0{found.alpha:g} (Benjamini and Hochberg)."
    return (
        f"A cell is significant at p\xa0≤\xa0{format_p(found.threshold)}, so that at most "
        f"{100 * found.alpha:g}% of the significant cells are expected to be there by chance "
        f"(Benjamini and Hochberg at α\xa0=\xa0{found.alpha:g})."
    )


def describe_indirect(found: Indirect) -> Markup:
    """How much of the groups words alone would carry."""
    if not found.tuples or found.share is None:
        return join(
            "No two groups share two categories with significant cells, so that nothing can be "
            "said about words that stand in for names."
        )
    chance = (
        ""
        if found.by_chance is None
        else (
            f" Words chosen in the same cells after random rotations of the names do so in "
            f"{found.by_chance:.1%}, as all words of a group are chosen along its centre: only "
            "what is above that speaks of this embedding."
        )
    )
    return join(
        "Would the groups remain if the names were taken away? Take two groups and two categories "
        "in which both have significant words: does the difference of the words in one category "
        "point the same way as in the other? It does in ",
        element("b", f"{found.share:.1%}"),
        f" of {count_noun(found.tuples, 'four-tuple')}.{chance}",
    )


def describe_proxy(one: Proxy, labels: Mapping[str, Markup]) -> Markup:
    """A pair of words that would stand in for the names of two groups."""
    first, second = one.groups
    return join(
        element("b", word_markup(one.words[0])),
        " rather than ",
        element("b", word_markup(one.words[1])),
        f" tells {first} from {second} without a name (category ",
        labels.get(one.category, Markup()),
        f"; cosine {one.cosine:.2f}; the right way round in {one.carried} of {one.of} other "
        f"{'category' if one.of == 1 else 'categories'}).",
    )


def list_limits(found: Discovery) -> list[str]:
    """What the table does not say."""
    made = [
        "It says how words lie in this embedding, which was learned from text. It says nothing "
        "about any person, and nothing about what people of a name are like.",
        "Not every cell is a prejudice: a currency or a dish may stand with the names of the "
        "country it comes from. Which cells do harm depends on the use, and people must judge it.",
        "A blank cell does not mean that nothing is there. A group may be too small, or its names "
        "too rare. People whose names do not set them apart, such as non-binary people, may not be "
        "seen at all.",
        "Groups come from the vectors of names alone. The facts beside them were added afterwards "
        "and are means over names, not over people.",
        "Other names, words, numbers of groups or seeds give other tables. What matters should be "
        "tested again with word sets chosen for the question.",
    ]
    if found.control.method == "none" and (found.control.r2_before or 0) > found.control.threshold:
        made.append(
            "Frequency was left in, and this embedding has much of it: groups may be of frequent "
            "and of rare names, and words may stand with them because they are as frequent."
        )
    return made


def repeat_command(found: Discovery, *sources: str) -> str:
    """The command that repeats a discovery, on its own source if no other is given."""
    parts = ["weatherglass discover", *map(shlex.quote, sources or (source_name(found),))]
    for name, value in found.options.items():
        if name in _FLAGS and isinstance(value, str | int | float):
            parts.append(f"{_FLAGS[name]} {shlex.quote(str(value))}")
        elif name in _SWITCHED_OFF and value is False:
            parts.append(_SWITCHED_OFF[name])
    return _wrapped(parts)


def describe_version(found: Discovery) -> Markup:
    """The version and the embedding that gave the result."""
    mark = found.source.get("fingerprint")
    which = f" (fingerprint {mark})" if mark else ""
    name = element("bdi", source_name(found))
    return join(f"Found with Weatherglass {found.version} on ", name, f"{which}.")


def source_name(found: Discovery) -> str:
    """What the embedding is called."""
    return str(found.source.get("name", "an embedding"))


def short_name(found: Discovery) -> str:
    """The name for a heading: of a long path, its last part."""
    name = source_name(found)
    return spell(name if len(name) <= MAX_WORD_LENGTH else PurePath(name).name, phrase=False)


def _wrapped(parts: list[str], width: int = 76) -> str:
    """Parts of a command on lines that a shell reads as one."""
    lines = [""]
    for part in parts:
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("   ")
        lines[-1] += f" {part}" if lines[-1] else part
    return " \\\n".join(lines)
