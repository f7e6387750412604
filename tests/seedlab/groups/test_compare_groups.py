"""Small groups in one shared space: planted differences are found, and what results can do."""

import importlib
import random

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.corpus import Document
from weatherglass.errors import CannotMeasure, UsageError
from weatherglass.measures import Results
from weatherglass.measures.result import html_table

WOMEN, MEN = ["she", "woman", "wife", "queen"], ["he", "man", "husband", "king"]
HOME, WORK = ["house", "kitchen", "garden", "nursery"], ["office", "money", "trade", "law"]
OTHERS = ["the", "a", "of", "and", "in", "was", "old", "new", "day", "time", "saw", "went"]
TEST = wg.Test(
    id="home",
    title="Women and men, home and work",
    x={"label": "Women", "words": WOMEN},
    y={"label": "Men", "words": MEN},
    a={"label": "Home", "words": HOME},
    b={"label": "Work", "words": WORK},
)
FAST = {"dim": 10, "min_count": 2, "permutations": 199}


def text(rng, reversed=False, sentences=8):
    """Sentences in which women are at home and men at work, or the reverse."""
    lines = []
    for _ in range(sentences):
        is_woman = rng.random() < 0.5
        at_home = is_woman != reversed if rng.random() < 0.8 else rng.random() < 0.5
        place = rng.choice(HOME if at_home else WORK)
        words = [rng.choice(WOMEN if is_woman else MEN), place, *rng.choices(OTHERS, k=6)]
        rng.shuffle(words)
        lines.append(" ".join(words))
    return " . ".join(lines)


def documents(seed=0, reversed="b", count=40, **columns):
    """Documents of two groups, a and b, of which one is reversed."""
    rng = random.Random(seed)
    rows = []
    for k in range(count):
        group = "ab"[k % 2]
        meta = {"group": group, "year": str(1900 + k // 4)}
        meta |= {name: make(k) for name, make in columns.items()}
        rows.append(Document(text(rng, group == reversed), meta))
    return rows


@pytest.fixture(scope="module")
def planted():
    return wg.compare_groups(documents(), TEST, by="group", **FAST)


def test_a_planted_difference_is_found_with_its_direction(planted):
    (result,) = planted
    assert result.contrast == "a − b"
    assert result.p.value == 1 / 200
    assert result.value > 0
    assert result.intervals[0].low > 0
    assert result.value == pytest.approx(result.sizes["a"].effect - result.sizes["b"].effect)
    assert result.finding.grade == "clear"
    assert result.sentence() == (
        "The association of women words, compared with men words, with home words rather than "
        "work words is stronger where group is a than where it is b."
    )


def test_the_first_group_named_in_the_sentence_is_the_one_with_the_stronger_association():
    result = wg.compare_groups(documents(reversed="a"), TEST, by="group", **FAST)[0]
    assert result.value < 0
    assert "stronger where group is b than where it is a" in result.sentence()


def test_groups_that_do_not_differ_are_no_finding_and_say_what_could_have_been_found():
    result = wg.compare_groups(documents(reversed=""), TEST, by="group", **FAST)[0]
    assert result.finding.grade == "none"
    assert f"could have detected {result.detectable:.2g} or more" in result.sentence()
    assert "with 20+20 documents" in str(result.power)


def test_swapping_target_sets_changes_only_the_sign(planted):
    swapped = TEST.model_copy(update={"x": TEST.y, "y": TEST.x})
    result = wg.compare_groups(documents(), swapped, by="group", **FAST)[0]
    assert result.value == pytest.approx(-planted[0].value)
    assert result.p == planted[0].p


def test_counts_are_those_of_the_texts(planted):
    rows = documents()
    for name in "ab":
        words = [row.text.split() for row in rows if row.meta["group"] == name]
        size = planted[0].sizes[name]
        assert size.documents == len(words)
        assert size.tokens == sum(word != "." for line in words for word in line)
        assert size.x == sum(word in WOMEN for line in words for word in line)
        assert size.y == sum(word in MEN for line in words for word in line)


def test_results_survive_json_tsv_and_parquet(planted, tmp_path):
    assert Results.from_json(planted.to_json()) == planted
    assert Results.from_delimited(planted.to_delimited(record=True)) == planted
    planted.to_parquet(tmp_path / "r.parquet")
    assert Results.from_parquet(tmp_path / "r.parquet") == planted
    assert wg.GroupDifference.from_json(planted[0].to_json()) == planted[0]
    row = planted[0].row()
    assert (row["group"], row["against"], row["group_documents"]) == ("a", "b", 20)
    assert row["low"] < row["effect"] < row["high"]
    assert row["detectable"] == planted[0].detectable


def test_the_same_seed_gives_the_same_answer_whatever_other_tests_are_run(planted):
    other = wg.Test(id="other", x=HOME, y=WORK, a=WOMEN, b=MEN)
    both = wg.compare_groups(documents(), [other, TEST], by="group", **FAST)
    assert both[1].p == planted[0].p
    assert both[1].family == 2
    assert both[1].p_holm >= planted[0].p_holm


def test_a_term_of_a_formula_is_tested_with_the_others_held_constant():
    # Only the year matters, and group a has the later years.
    rng = random.Random(1)
    rows = []
    for _ in range(120):
        year = rng.gauss(0, 1)
        group = "a" if year + rng.gauss(0, 0.7) > 0 else "b"
        meta = {"group": group, "year": f"{1900 + 10 * year:.1f}"}
        rows.append(Document(text(rng, rng.random() < 0.3 + 0.3 * year, sentences=12), meta))
    alone = wg.compare_groups(rows, TEST, by="group", **FAST)[0]
    group, year = wg.compare_groups(rows, TEST, formula="group + year", **FAST)
    assert alone.p.value <= 0.05
    assert group.p.value > 0.05
    assert abs(group.value) < abs(alone.value)
    assert year.p.value <= 0.05
    assert year.value < 0
    assert year.adjusted_for == ("group",)
    assert year.contrast.startswith("year + ")
    assert "falls with year, with group held constant" in year.sentence()
    assert (year.groups, year.sizes, year.documents) == ((), {}, (120,))


def test_several_groups_are_compared_two_by_two_or_against_one():
    rows = documents(count=45, third=lambda k: "xyz"[k % 3])
    every = wg.compare_groups(rows, TEST, by="third", **FAST)
    assert [result.contrast for result in every] == ["x − y", "x − z", "y − z"]
    assert {result.family for result in every} == {3}
    against = wg.compare_groups(rows, TEST, by="third", against="z", **FAST)
    assert [result.contrast for result in against] == ["x − z", "y − z"]
    only = wg.compare_groups(rows, TEST, by="third", only=["x", "z"], **FAST)
    assert only[0].value == pytest.approx(every[1].value)  # the space is that of all texts


def test_documents_are_the_units_that_are_permuted(compare_csv):
    rows = documents(writer=lambda k: f"{k % 2}{k // 20}")
    rows.sort(key=lambda row: row.meta["writer"])
    lines = "".join(f"{row.text},{row.meta['group']},{row.meta['writer']}\n" for row in rows)
    joined = compare_csv("text,group,writer\n" + lines)
    assert joined.sizes["a"].documents == 2
    assert joined.status == "not run"
    assert "4 documents can be divided in only 6 ways" in joined.reason


@pytest.fixture
def compare_csv(tmp_path):
    """Compare the groups of a table whose column `writer` says what a document is."""

    def compare(content):
        path = tmp_path / "texts.csv"
        path.write_text(content)
        return wg.compare_groups(f"{path}?documents=writer", TEST, by="group", **FAST)[0]

    return compare


def test_a_document_in_both_groups_has_a_part_in_each(compare_csv):
    rng = random.Random(2)
    lines = [
        f"{text(rng, group == 'b')},{group},{writer}\n" for writer in range(12) for group in "ab"
    ]
    result = compare_csv("text,group,writer\n" + "".join(lines))
    assert result.sizes["a"].documents == result.sizes["b"].documents == 12
    assert result.total.documents == 12
    assert result.p.value <= 0.05


def test_a_group_may_be_named_all():
    rows = documents(tag=lambda k: ["all", "some"][k % 2], count=42)
    result = wg.compare_groups(rows, TEST, by="tag", **FAST)[0]
    assert (result.documents, result.total.documents) == ((21, 21), 42)
    assert "group_documents" in result.row()


def test_several_corpora_are_groups():
    by_group = {
        name: [row.text for row in documents() if row.meta["group"] == name] for name in "ba"
    }
    result = wg.compare_groups(by_group, TEST, **FAST)[0]
    assert (result.column, result.contrast) == ("corpus", "a − b")
    assert result.p.value <= 0.01


def test_vectors_from_elsewhere_can_be_the_shared_space(tmp_path):
    rng = np.random.default_rng(0)
    side = dict.fromkeys([*HOME, *WOMEN], 1.0) | dict.fromkeys([*WORK, *MEN], -1.0)
    words = [*side, *OTHERS]
    rows = rng.normal(size=(len(words), 5)) * 0.3
    rows[:, 0] += [side.get(word, 0.0) for word in words]
    result = wg.compare_groups(
        documents(), TEST, by="group", vectors=wg.Vectors.of(words, rows), **FAST
    )[0]
    assert result.source["vectors"] == "memory"
    assert result.source["dim"] == 5
    assert result.p.value <= 0.05


def test_missing_words_are_found_before_vectors_are_trained(monkeypatch):
    def fail(*arguments, **options):
        raise AssertionError("vectors were trained")

    module = importlib.import_module("weatherglass.seedlab.groups.compare_groups")
    monkeypatch.setattr(module, "share_space", fail)
    unknown = wg.Test(id="u", x=["emu", "ibis"], y=["yak", "gnu"], a=HOME, b=WORK)
    (result,) = wg.compare_groups(documents(), unknown, by="group", **FAST)
    assert result.status == "not run"
    assert "2 of the 2 words of X are missing" in result.reason
    assert result.missing["X"] == ("emu", "ibis")


def test_one_word_below_the_threshold_is_missing_and_named():
    rows = documents()
    rows[0] = Document(rows[0].text + " princess", rows[0].meta)
    test = TEST.model_copy(update={"x": TEST.x.model_copy(update={"words": (*WOMEN, "princess")})})
    result = wg.compare_groups(rows, test, by="group", **FAST)[0]
    assert result.is_done
    assert result.missing["X"] == ("princess",)


def test_documents_without_a_value_are_counted():
    rows = [*documents(), Document(text(random.Random(9)), {})]
    by = wg.compare_groups(rows, TEST, by="group", **FAST)[0]
    assert by.source["notes"] == ["1 documents have no value for group and were left out"]
    formula = wg.compare_groups(rows, TEST, formula="group + year", **FAST)[0]
    assert formula.source["notes"] == ["1 documents have no value for group and year"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "Say what to compare"),
        ({"by": "group", "formula": "year"}, "not both"),
        ({"by": "gruop"}, "Did you mean group"),
        ({"by": "group", "permutations": 9}, "fewer than 19"),
        ({"formula": "group + yaer"}, "Did you mean year"),
        ({"formula": "group", "only": "a"}, "not a formula"),
        ({"by": "group", "against": "c"}, "no group 'c'"),
    ],
)
def test_mistakes_are_a_sentence(options, message):
    with pytest.raises(UsageError, match=message):
        wg.compare_groups(documents(), TEST, **FAST | options)


def test_conditions_that_no_text_meets_are_reported():
    with pytest.raises(CannotMeasure, match="year>2000"):
        wg.compare_groups(documents(), TEST, formula="group", where="year>2000", **FAST)


def test_group_names_are_escaped_in_html():
    rows = documents(tag=lambda k: ["<b>x", "y"][k % 2])
    result = wg.compare_groups(rows, TEST, by="tag", **FAST)[0]
    page = html_table(result.to_rows(), 1) + result.finding._repr_html_()
    assert "<b>x" not in page
    assert "&lt;b&gt;x" in page


def test_a_chart_shows_differences_intervals_and_what_is_detectable(planted):
    pytest.importorskip("altair")
    chart = planted.plot().to_dict()
    assert chart["title"]["text"] == TEST.title
    rows = chart["layer"][0]["data"]["values"]
    assert rows[0]["name"] == "group: a − b"
    assert rows[0]["most"] == planted[0].detectable
    assert rows[0]["is_significant"]
