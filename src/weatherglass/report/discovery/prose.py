"""Sentences about a discovery: what it did, what it found, its limits, the command to repeat it."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePath

from markupsafe import Markup

from weatherglass.discovery import Cell, Cleaning, Discovery, Group, Indirect, Proxy
from weatherglass.significance import format_p
from weatherglass.vectors import Control, control_phrase

from ..html import (
    MAX_WORD_LENGTH,
    element,
    join,
    label_markup,
    sentence_markup,
    spell,
    word_markup,
)
from ..model_titles import model_title
from ..templating import render_template

CITATION = (
    "Swinger, N., De-Arteaga, M., Heffernan IV, N. T., Leiserson, M. D. M., and Kalai, A. T. "
    "(2019). What are the Biases in My Word Embedding? Proceedings of the AAAI/ACM Conference on "
    "AI, Ethics, and Society (AIES 2019). doi:10.1145/3306618.3314270"
)
# Command-line options by the names of `discover`'s arguments.
_FLAGS = {
    "names": "--names",
    "group_by": "--group-by",
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
    "placebo": "--placebo",
    "weights": "--weights",
}
_FLAGS_IF_FALSE = {"voronoi": "--no-voronoi", "stop_early": "--all-rotations"}


def describe_search(discovery: Discovery) -> Markup:
    """What was searched and how many cells are significant."""
    names, words = (
        sum(cluster.size for cluster in clusters)
        for clusters in (discovery.groups, discovery.categories)
    )
    groups = count_noun(len(discovery.groups), "group")
    categories = count_noun(len(discovery.categories), "category", "categories")
    return join(
        f"Weatherglass clustered {names:,} names into {groups} and {words:,} frequent words into "
        f"{categories}, by their vectors in ",
        element("b", element("bdi", model_title(discovery.source) or source_name(discovery))),
        ". For every group and category it selected the words that are most strongly associated "
        "with this group compared with the other groups, and tested whether the association is "
        "stronger than chance. ",
        f"{len(discovery.significant):,} of {count_noun(len(discovery.cells), 'cell')} are "
        f"significant, in {count_noun(len(discovery.order), 'category', 'categories')}.",
    )


MAX_SENTENCES = 5


def association_sentences(discovery: Discovery, limit: int = MAX_SENTENCES) -> list[Markup]:
    """The strongest associations in sentences, one for each of the `strongest_cells`."""
    return [association_sentence(discovery, cell) for cell in strongest_cells(discovery, limit)]


def strongest_cells(
    discovery: Discovery, limit: int = MAX_SENTENCES, hidden: Collection[str] = ()
) -> list[Cell]:
    """The significant cells with the highest scores, each of another category and, first, group.

    Categories in `hidden`, by their ids, are left out.
    """
    ranked = [cell for cell in discovery.significant if cell.category not in hidden]
    chosen: list[Cell] = []
    for is_new_group in (True, False):
        for cell in ranked:
            is_free = all(cell.category != other.category for other in chosen)
            if is_new_group:
                is_free = is_free and all(cell.group != other.group for other in chosen)
            if is_free and len(chosen) < limit:
                chosen.append(cell)
    return chosen


def association_sentence(discovery: Discovery, cell: Cell) -> Markup:
    """A cell in a sentence.

    The group is described by the statistics of its names and has its id instead of names, so that
    no name is next to a stereotype.
    """
    group = next(group for group in discovery.groups if group.id == cell.group)
    label = next(entry.label for entry in discovery.categories if entry.id == cell.category)
    return render_template(
        "discovery/sentence.html",
        cell=cell,
        about=describe_statistics(group, discovery),
        label=label_markup(label),
    )


def describe_statistics(group: Group, discovery: Discovery) -> str:
    """What is known of the names of a group on one line, with slurs masked; empty if nothing is.

    For example "95 % women, born about 1973, 68 % White".
    """
    from ..charts import describe_group  # charts are about discoveries

    if not any(name in group.facts for name in discovery.columns):
        return ""
    lines = describe_group(group, discovery.columns)
    return ", ".join(spell(line, mask=True, phrase=False) for line in lines)


def count_noun(number: int, singular: str, plural: str = "") -> str:
    """A number with its noun.

    >>> count_noun(1, "cell"), count_noun(2713, "four-tuple")
    ('1 cell', '2,713 four-tuples')
    """
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def list_counts(counts: Mapping[str, int]) -> str:
    """Counts with their names.

    >>> list_counts({"asked": 7212, "cleaned_away": 1})
    '7,212 asked, 1 cleaned away'
    """
    return ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counts.items())


def describe_frequency(control: Control) -> str:
    """Whether word frequency was controlled for, and how much of it the vectors hold.

    >>> describe_frequency(Control("none", 0.02, None))[:60]
    "Not removed. A word's rank can be predicted from its vector "
    """
    before, after = control.r2_before, control.r2_after
    if control.method != "none" and after is None:
        return f"Not removed. The search was run on the vectors {control_phrase(control.method)}."
    if before is None:
        reason = control.reason or "there are too few words to estimate how much the vectors hold"
        return f"Not removed: {reason}."
    predicted = "count" if control.by == "counts" else "rank"
    if control.method == "none" or after is None:
        r2 = f"A word's {predicted} can be predicted from its vector with R²\xa0{before:.2f}"
        auto = f"; it is removed above {control.threshold:g}" if control.asked == "auto" else ""
        return f"Not removed. {r2}{auto}."
    others = control.method.replace("frequency", "").strip("+")
    also = f" The vectors are also {control_phrase(others)}." if others else ""
    return (
        f"Controlled for in all vectors. Before, a word's {predicted} could be predicted from its "
        f"vector with R²\xa0{before:.2f}; after, with {after:.2f}.{also}"
    )


def describe_null(discovery: Discovery) -> Markup:
    """How the null distribution was made."""
    rotations = discovery.rotations
    requested = "" if rotations.done >= rotations.asked else f", of {rotations.asked:,} requested"
    reason = join(" (", sentence_markup(rotations.stopped), ")") if rotations.stopped else ""
    return join(
        "The null distribution comes from random rotations of the names against the words: "
        f"{rotations.done:,}{requested}",
        reason,
        ". Each rotation selects its words anew. A p-value is the share of rotations with a score "
        "at least as high.",
    )


def describe_level(discovery: Discovery) -> str:
    """Which cells are significant."""
    alpha = f"Benjamini–Hochberg at α\xa0=\xa0{discovery.alpha:g}"
    if not discovery.threshold:
        return f"No p-value is small enough ({alpha})."
    return (
        f"A cell is significant at p\xa0≤\xa0{format_p(discovery.threshold)}, so that at most "
        f"{100 * discovery.alpha:g}% of the significant cells are expected to be alignments that "
        f"names rotated at random would have, too ({alpha}). This does not separate names from "
        "other words."
    )


def describe_placebo(discovery: Discovery) -> str:
    """How many cells are significant with random words in place of the names."""
    if not discovery.placebos:
        return "Not run: how many cells random words in place of the names would have is not known."
    words = discovery.placebos[0].names
    return (
        f"{discovery.placebo_sentence()} These are {words:,} ordinary words, as frequent as the "
        "names. Their alignments are as real as those of the names; only an excess over their "
        "count is about names."
    )


def describe_indirect(indirect: Indirect) -> Markup:
    """How far words alone would reveal the groups if the names were removed."""
    if not indirect.tuples or indirect.share is None:
        return join(
            "No two groups share two categories with significant cells, so proxies for names "
            "cannot be assessed."
        )
    chance = (
        ""
        if indirect.by_chance is None
        else (
            f" After random rotations of the names it does so in {indirect.by_chance:.1%}, because "
            "all words of a group are selected along its centre: only the excess over that is "
            "specific to this embedding."
        )
    )
    return join(
        "Would the groups stay recognisable if the names were removed? Take two groups and two "
        "categories in which both groups have significant words: does the difference between "
        "their words in one category point in the same direction as in the other? It does in ",
        element("b", f"{indirect.share:.1%}"),
        f" of {count_noun(indirect.tuples, 'four-tuple')}.{chance}",
    )


def describe_proxy(proxy: Proxy, labels: Mapping[str, Markup]) -> Markup:
    """A pair of words that distinguishes two groups without their names."""
    first, second = proxy.groups
    return join(
        element("b", word_markup(proxy.words[0])),
        " rather than ",
        element("b", word_markup(proxy.words[1])),
        f" distinguishes {first} from {second} without a name (category ",
        labels.get(proxy.category, Markup()),
        f"; cosine {proxy.cosine:.2f}; same direction in {proxy.carried} of {proxy.of} other "
        f"{'category' if proxy.of == 1 else 'categories'}).",
    )


def list_limits(discovery: Discovery) -> list[str]:
    """What the table does not show."""
    limits = [
        "The table shows how words relate to each other in this embedding, which was learned from "
        "text. It says nothing about any person, and nothing about what people with a name are "
        "like.",
        "Not every cell is a prejudice: a currency or a dish may be associated with names from the "
        "country it comes from. Which cells do harm depends on the use, and people must judge it.",
        "A blank cell does not mean that there is no association. A group may be too small, or its "
        "names too rare. People whose names do not distinguish them, such as non-binary people, "
        "may not appear at all.",
        f"Groups come from the vectors of names alone. {_describe_means(discovery)}",
        "Other names, words, numbers of groups or random seeds give other tables. Confirm what "
        "matters with word sets chosen for the question.",
    ]
    control = discovery.control
    if control.method == "none" and (control.r2_before or 0) > control.threshold:
        limits.append(
            "Word frequency was not removed, and this embedding holds much of it: groups may "
            "consist of frequent and of rare names, and words may be associated with them only "
            "because they are equally frequent."
        )
    return limits


def _describe_means(discovery: Discovery) -> str:
    if is_weighted(discovery):
        return (
            "A name counts as often as people have it, both in the clusters and in the statistics "
            "next to them, which were added afterwards."
        )
    return (
        "The statistics next to them were added afterwards and are means over names, not over "
        "people."
    )


def is_weighted(discovery: Discovery) -> bool:
    """Whether names count as often as people have them."""
    return str(discovery.options.get("weights", "none")) != "none"


def describe_cleaning(cleaning: Cleaning) -> str:
    """What the chart of names kept and dropped shows, and the power law."""
    law = cleaning.power_law
    kept = sum(cleaning.is_kept)
    exponent = f"{law.exponent:.2f}".replace("-", "\N{MINUS SIGN}")
    return (
        f"Before clustering, cleaning dropped {len(cleaning.names) - kept:,} of "
        f"{count_noun(len(cleaning.names), 'name')}: those whose vectors are least like those of "
        "names. A dot is a name: how many people have it, against the rank of its token. The line "
        f"is the power law of the names kept (exponent {exponent}, R²\xa0{law.r2:.2f}). A name far "
        "below it is more frequent in text than among people, so that its vector reflects another "
        "use. Cleaning does not see how many people have a name, so dots far from the line that "
        "were kept are names to look at."
    )


def repeat_command(discovery: Discovery, *sources: str, names: Sequence[str] = ()) -> str:
    """The command that repeats a discovery, by default on its own source and with its names."""
    parts = ["weatherglass discover", *map(shlex.quote, sources or (source_name(discovery),))]
    parts += [f"--names {shlex.quote(name)}" for name in names]
    for name, value in discovery.options.items():
        if name == "names" and names:
            continue
        if name in _FLAGS and isinstance(value, str | int | float):
            parts.append(f"{_FLAGS[name]} {shlex.quote(str(value))}")
        elif name in _FLAGS_IF_FALSE and value is False:
            parts.append(_FLAGS_IF_FALSE[name])
    return _wrap_command(parts)


def describe_version(discovery: Discovery) -> Markup:
    """The version and the embedding that gave the result."""
    fingerprint = discovery.source.get("fingerprint")
    suffix = f" (fingerprint {fingerprint})" if fingerprint else ""
    name = element("bdi", source_name(discovery))
    return join(f"Measured with Weatherglass {discovery.version} on ", name, f"{suffix}.")


def source_name(discovery: Discovery) -> str:
    """The name of the embedding."""
    return str(discovery.source.get("name", "an embedding"))


def short_name(discovery: Discovery) -> str:
    """The name for a heading: of a long path, its last part."""
    name = source_name(discovery)
    return spell(name if len(name) <= MAX_WORD_LENGTH else PurePath(name).name, phrase=False)


def _wrap_command(parts: list[str], width: int = 76) -> str:
    """Join a command on lines that a shell reads as one."""
    lines = [""]
    for part in parts:
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("   ")
        lines[-1] += f" {part}" if lines[-1] else part
    return " \\\n".join(lines)
