"""The catalogue's own tests are complete and agree with the papers."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from weatherglass import catalog
from weatherglass.catalog.facts import compute_facts
from weatherglass.catalog.tests import _FILES
from weatherglass.errors import CatalogError, UnknownEntry

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason=f"the GloVe rows and published files are not at {SHARED}"
)

# Targets and attributes a side, effect and p of Table 1 (GloVe) and Table S1 (word2vec).
TABLE_1 = {
    "weat1": (25, 25, 1.50, 1e-7),
    "weat2": (25, 25, 1.53, 1e-7),
    "weat3": (32, 25, 1.41, 1e-8),
    "weat4": (16, 25, 1.50, 1e-4),
    "weat5": (16, 8, 1.28, 1e-3),
    "weat6": (8, 8, 1.81, 1e-3),
    "weat7": (8, 8, 1.06, 0.018),
    "weat8": (8, 8, 1.24, 1e-2),
    "weat9": (6, 7, 1.38, 1e-2),
    "weat10": (8, 8, 1.21, 1e-2),
}
TABLE_S1 = {
    "weat1": (25, 25, 1.54, 1e-7),
    "weat2": (25, 25, 1.63, 1e-8),
    "weat3": (32, 25, 0.58, 1e-2),
    "weat4": (18, 25, 1.24, 1e-3),
    "weat5": (18, 8, 0.72, 1e-2),
    "weat6": (8, 8, 1.89, 1e-4),
    "weat7": (8, 8, 0.97, 0.027),
    "weat8": (8, 8, 1.24, 1e-2),
    "weat9": (6, 7, 1.30, 0.012),
    "weat10": (8, 8, -0.08, 0.57),
}
# N, d and p of the findings with people; exact N where the draft gives it.
PEOPLE = {
    "weat1": (32, "32", 1.35, 1e-8),
    "weat2": (32, "32", 1.66, 1e-10),
    "weat3": (26, "26", 1.17, 1e-5),
    "weat4": (None, "", None, None),
    "weat5": (None, "", None, None),
    "weat6": (38797, "39k", 0.72, 1e-2),
    "weat7": (28108, "28k", 0.82, 1e-2),
    "weat8": (91, "91", 1.47, 1e-24),
    "weat9": (135, "135", 1.01, 1e-3),
    "weat10": (43000, "43k", 1.42, 1e-2),
}


# The names of X, Y, A and B in the published files.
SENTENCE_BIAS = ("targ1", "targ2", "attr1", "attr2")


def association(name: str) -> catalog.Test:
    entry = catalog.test(name)
    assert isinstance(entry, catalog.Test)
    return entry


def factual(name: str) -> catalog.FactualTest:
    entry = catalog.test(name)
    assert isinstance(entry, catalog.FactualTest)
    return entry


def test_ids_of_tests_are_unique_and_in_order() -> None:
    ids = [entry.id for entry in catalog.tests()]
    assert ids[:12] == [*TABLE_1, "wefat1", "wefat2"]
    assert len(ids) == len(set(ids)) == 46 + 2
    files = {path.stem for path in (Path(catalog.__file__).parent / "data/tests").iterdir()}
    assert files == set(_FILES)


@pytest.mark.parametrize("name", TABLE_1)
@pytest.mark.parametrize(("variant", "table"), [("", TABLE_1), ("word2vec", TABLE_S1)])
def test_sizes_and_published_figures_equal_those_of_the_paper(
    name: str, variant: str, table: dict[str, tuple]
) -> None:
    entry = association(f"{name}@{variant}" if variant else name)
    targets, attributes, effect, p = table[name]
    assert (len(entry.x), len(entry.y), len(entry.a), len(entry.b)) == (targets,) * 2 + (
        attributes,
    ) * 2
    assert entry.printed is not None
    assert (entry.printed.n_targets, entry.printed.n_attributes) == (targets, attributes)
    assert (entry.printed.effect, entry.printed.p_bound) == (effect, p)
    assert [figure.source for figure in entry.published] == ["glove-840b", "word2vec-google-news"]


@pytest.mark.parametrize("name", PEOPLE)
def test_findings_with_people_equal_those_of_the_paper(name: str) -> None:
    human = association(name).human
    assert human is not None
    assert (human.n, human.n_printed, human.d, human.p_bound) == PEOPLE[name]
    assert human.finding


@pytest.mark.parametrize("entry", catalog.tests(), ids=lambda entry: entry.id)
def test_every_test_has_complete_citations(entry: catalog.Test | catalog.FactualTest) -> None:
    assert entry.study is not None
    assert entry.study.key == (
        "caliskan2017" if entry.id in {*TABLE_1, "wefat1", "wefat2"} else "may2019"
    )
    sources = [words.source for words in entry.sets.values()]
    for study in (entry.study, *sources):
        assert study is not None
        assert study.authors
        assert study.year
        assert study.title
        assert study.journal
        assert study.volume
        assert study.pages
        assert study.citation.startswith(study.authors[0])
    assert all(words.label for words in entry.sets.values())


def test_full_variants_have_the_words_that_were_left_out() -> None:
    for name, full in (("weat3", 50), ("weat4", 18), ("weat5", 18)):
        used, whole = association(name), association(f"{name}@full")
        for ours, theirs in ((used.x, whole.x), (used.y, whole.y)):
            assert len(theirs) == full
            assert set(theirs.words) == {*ours.words, *ours.left_out}
            assert not theirs.left_out
        assert whole.printed is None
    assert association("weat4").x.left_out == ("Jay", "Kristen")
    assert association("weat4").y.left_out == ("Tremayne", "Latonya")


def test_word2vec_variant_replaces_short_term() -> None:
    assert association("weat9").a.words[4] == "short-term"
    assert association("weat9@word2vec").a.words[4] == "short"


def test_unpleasant_words_of_weat1_and_weat3_differ_as_printed() -> None:
    first, third = set(association("weat1").b.words), set(association("weat3").b.words)
    assert first - third == {"agony", "prison"}
    assert third - first == {"bomb", "evil"}


def test_science_is_x_and_female_is_a() -> None:
    assert association("weat8").x.label == "Science"
    assert "woman" in factual("wefat1").a.words
    assert "man" in factual("wefat2").b.words


def test_facts_of_occupations_are_weighted_shares_of_women() -> None:
    entry = factual("wefat1")
    share = dict(zip(entry.targets.words, entry.facts.values, strict=True))
    assert len(share) == 50
    assert share["receptionist"] == pytest.approx(90.6)
    # Two rows of the table carry this label.
    path = Path(catalog.__file__).parent / "data" / "facts" / "occupations-us-2015.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["label"] == "carpenter"]
    weights = [float(row["employed_thousands"]) for row in rows]
    percents = [float(row["percent_women"]) for row in rows]
    assert len(rows) == 2
    assert share["carpenter"] == pytest.approx(np.average(percents, weights=weights))
    assert entry.printed is not None
    assert (entry.printed.correlation, entry.printed.p_bound, entry.printed.n) == (0.90, 1e-18, 50)
    assert "Bureau of Labor Statistics" in entry.facts.provenance
    assert "2015" in entry.facts.provenance


def test_facts_of_names_are_shares_of_women() -> None:
    entry = factual("wefat2")
    share = dict(zip(entry.targets.words, entry.facts.values, strict=True))
    assert len(share) == 50
    assert share["Kelly"] == pytest.approx(100 * 0.283 / (0.283 + 0.063))
    assert share["Kris"] == pytest.approx(50)
    assert entry.printed is not None
    assert (entry.printed.correlation, entry.printed.p_bound) == (0.84, 1e-13)
    assert "1990" in entry.facts.provenance


def test_unpublished_figure_does_not_count_as_zero(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("label,employed_thousands,percent_women\nbaker,60,\nbaker,40,30\n")
    assert compute_facts(table, "weighted mean") == {"baker": 30.0}
    table.write_text("label,employed_thousands,percent_women\nbaker,60,\n")
    with pytest.raises(CatalogError, match="no row for 'baker' has both figures"):
        compute_facts(table, "weighted mean")


def test_test_is_found_by_its_id_and_read_once() -> None:
    for pattern in ("*", "*@word2vec", "*@full"):
        for entry in catalog.tests(pattern):
            assert catalog.test(entry.id) is entry
    assert catalog.test("weat3", "full") is catalog.test("weat3@full")


def test_patterns_select_tests_in_turn() -> None:
    assert [entry.id for entry in catalog.tests("wefat?")] == ["wefat1", "wefat2"]
    assert len(catalog.tests("*@word2vec")) == 10
    assert [entry.id for entry in catalog.tests("wefat2", "weat[12]", "weat1")] == [
        "wefat2",
        "weat1",
        "weat2",
    ]


def test_ten_tests_are_from_the_science_paper() -> None:
    ten = [entry.id for entry in catalog.tests("weat*", study="caliskan2017")]
    assert ten == list(TABLE_1)
    assert [entry.id for entry in catalog.tests("weat[1-9]", "weat10")] == ten
    assert len(catalog.tests("weat*")) == 15


def test_level_selects_word_or_sentence_tests() -> None:
    words, sentences = (catalog.tests(level=level) for level in ("word", "sentence"))
    assert (len(words), len(sentences)) == (21, 27)
    assert {*words, *sentences} == set(catalog.tests())
    with pytest.raises(UnknownEntry, match="No test of the catalogue of level word matches 'sent"):
        catalog.tests("sent-*", level="word")


def test_pattern_without_a_match_is_refused() -> None:
    with pytest.raises(UnknownEntry, match="No test of the catalogue matches 'seat\\*'"):
        catalog.tests("seat*")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("waet6", "Did you mean weat6"),
        ("WEAT6", "Did you mean weat6"),
        ("zzz", "catalog list"),
        ("weat3@w2v", "no variant 'w2v'; it has word2vec and full"),
        ("wefat1@full", "it has none"),
        ("\x1b[31m", r"'\\x1b\[31m'"),
    ],
)
def test_unknown_test_ids_get_suggestions(name: str, message: str) -> None:
    with pytest.raises(UnknownEntry, match=message):
        catalog.test(name)


# The tests below need the original GloVe rows.


@pytest.fixture(scope="module")
def glove() -> dict[str, np.ndarray]:
    rows = {}
    with (SHARED / "glove840b-stimuli" / "vectors.txt").open(encoding="utf-8") as stream:
        for line in stream:
            word, *numbers = line.rstrip("\n").split(" ")
            row = np.array(numbers, dtype=float)
            rows[word] = row / np.linalg.norm(row)
    return rows


def cosines(glove: dict[str, np.ndarray], rows: catalog.WordSet, columns: catalog.WordSet):
    return np.array([glove[w] for w in rows.words]) @ np.array([glove[w] for w in columns.words]).T


@needs_shared
@pytest.mark.parametrize("name", TABLE_1)
def test_effects_equal_those_of_table_1(name: str, glove: dict[str, np.ndarray]) -> None:
    entry = association(name)
    x, y = (
        cosines(glove, targets, entry.a).mean(1) - cosines(glove, targets, entry.b).mean(1)
        for targets in (entry.x, entry.y)
    )
    effect = (x.mean() - y.mean()) / np.concatenate([x, y]).std(ddof=1)
    assert round(effect, 2) == TABLE_1[name][2]


@needs_shared
@pytest.mark.parametrize(("name", "printed"), [("wefat1", 0.90), ("wefat2", 0.84)])
def test_correlations_equal_those_of_the_figures(
    name: str, printed: float, glove: dict[str, np.ndarray]
) -> None:
    entry = factual(name)
    near_a, near_b = (cosines(glove, entry.targets, words) for words in (entry.a, entry.b))
    spread = np.concatenate([near_a, near_b], axis=1).std(axis=1, ddof=1)
    scores = (near_a.mean(1) - near_b.mean(1)) / spread
    assert round(np.corrcoef(scores, entry.facts.values)[0, 1], 2) == printed


@needs_shared
def test_catalogue_has_exactly_the_published_tests() -> None:
    theirs = {path.stem for path in (SHARED / "sent-tests").glob("*.jsonl")}
    ours = {entry.id for entry in catalog.tests() if isinstance(entry, catalog.Test)}
    assert ours == theirs
    assert len(ours) == 46


@needs_shared
@pytest.mark.parametrize("entry", catalog.tests(), ids=lambda entry: entry.id)
def test_items_equal_the_published_ones_except_for_listed_differences(entry: catalog.Test) -> None:
    if isinstance(entry, catalog.FactualTest):
        return
    theirs = json.loads((SHARED / "sent-tests" / f"{entry.id}.jsonl").read_text(encoding="utf-8"))
    for (name, items), key in zip(entry.sets.items(), SENTENCE_BIAS, strict=True):
        listed = [change for change in entry.differences if change.set == name]
        ours = set(items.words)
        for change in listed:
            assert ours >= set(change.ours)
            ours = (ours - set(change.ours)) | set(change.theirs)
        assert ours == set(theirs[key]["examples"])
        assert not ours & set(items.left_out)


def test_differences_from_published_lists_have_reasons() -> None:
    changes = [
        (entry.id, change)
        for entry in catalog.tests()
        if isinstance(entry, catalog.Test)
        for change in entry.differences
    ]
    assert [name for name, _ in changes] == ["sent-weat2"]
    assert all(change.reason and (change.ours or change.theirs) for _, change in changes)


@needs_shared
def test_published_folder_of_sentence_tests_loads() -> None:
    loaded = catalog.load_tests(SHARED / "sent-tests")
    assert len(loaded) == len(list((SHARED / "sent-tests").glob("*.jsonl")))
    assert {entry.id: entry.level for entry in loaded} == {
        entry.id: entry.level for entry in catalog.tests() if isinstance(entry, catalog.Test)
    }
    ids = [entry.id for entry in loaded]
    assert ids.index("weat9") < ids.index("weat10")


def test_every_test_names_its_social_dimension():
    by_dimension: dict[str, set[str]] = {}
    for entry in catalog.tests():
        by_dimension.setdefault(entry.dimension, set()).add(entry.id.removeprefix("sent-"))
    assert set(by_dimension) == {"gender", "race", "age", "disability", "control"}
    assert by_dimension["control"] == {"weat1", "weat2"}
    assert by_dimension["age"] == {"weat10"}
    assert by_dimension["disability"] == {"weat9"}
    assert {"weat3", "weat4", "weat5", "angry_black_woman_stereotype"} <= by_dimension["race"]
    assert {"weat6", "wefat1", "heilman_double_bind_likable_1-"} <= by_dimension["gender"]
    # Variants and sentences have the dimension of their test.
    assert catalog.test("weat3@full").dimension == catalog.test("sent-weat3").dimension == "race"


def test_a_dimension_of_your_own_is_kept_and_a_wrong_one_is_refused():
    sets = {"x": ["a", "b"], "y": ["c", "d"], "a": ["e"], "b": ["f"]}
    assert catalog.Test(**sets, dimension="politics").dimension == "politics"
    with pytest.raises(CatalogError, match="dimension"):
        catalog.Test(**sets, dimension="<b>")
