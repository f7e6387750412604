"""What every result can do: JSON, rows, a sentence, a one-line repr, a display in notebooks."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import subprocess
import sys

import pytest

import weatherglass as wg
import weatherglass.errors
from weatherglass.errors import BadContent, CannotMeasure
from weatherglass.measures import NO_CHART, Measurement, Result
from weatherglass.measures.result import _HOMES, html_table, result_class

SETS = {"X": ["nurse", "maid"], "Y": ["pilot", "judge"], "A": ["she", "her"], "B": ["he", "his"]}
MAX_REPR = 200  # characters


@pytest.fixture(scope="module")
def vectors():
    return wg.open_vectors("default")


@pytest.fixture(scope="module")
def results(vectors):
    """A result of each class that is computed in a moment."""
    encoder = wg.open_encoder("cbow:default")
    test = wg.Test(id="own", **{name.lower(): words for name, words in SETS.items()})
    corpus = [f"There is {word}." for words in SETS.values() for word in words]
    pair = wg.seed_pair("female_1-Caliskan_et_al_2017", "male_1-Caliskan_et_al_2017")
    return {
        type(result).__name__: result
        for result in (
            wg.weat(vectors, "weat6", intervals=True, influence=True),
            wg.wefat(vectors, "wefat1"),
            wg.measure(vectors, "rnd", {name: SETS[name] for name in "XAB"}),
            wg.generalised_weat(vectors, [(SETS["X"], SETS["A"]), (SETS["Y"], SETS["B"])]),
            wg.seat(encoder, "sent-weat6")[0],
            wg.ceat(encoder, test, corpus, samples=20)[0],
            wg.multiverse(vectors, "weat6", samples=0),
            wg.lint(["female_1-Caliskan_et_al_2017"]),
            wg.seed_axis(vectors, pair, words=2000),
            wg.pair_variance(vectors, pair, draws=3, words=2000),
            wg.concept_cosines(vectors, "female"),
            wg.measure_pairs(vectors, [pair]),
        )
    }


KINDS = [
    "WeatResult",
    "WefatResult",
    "MeasureResult",
    "GeneralisedResult",
    "SeatResult",
    "CeatResult",
    "Multiverse",
    "Lint",
    "SeedAxis",
    "PairVariance",
    "ConceptCosines",
    "MeasuredPairs",
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_reads_back_from_its_json(results, kind):
    result = results[kind]
    assert type(result).from_json(result.to_json()) == result
    assert Result.from_json(result.to_json()) == result
    assert next(iter(result.to_dict())) == "measure"


@pytest.mark.parametrize("kind", KINDS)
def test_a_repr_is_one_short_line(results, kind):
    text = repr(results[kind])
    assert text.startswith(f"<{kind} ")
    assert "\n" not in text
    assert len(text) < MAX_REPR


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_states_itself_in_one_sentence_and_one_flat_row(results, kind):
    sentence, row = results[kind].sentence(), results[kind].row()
    assert sentence[0].isupper() or sentence[0].isdigit()
    assert sentence.endswith(".")
    assert row["measure"] == results[kind].measure
    assert row["weatherglass"] == wg.__version__
    assert not any(isinstance(value, dict) for value in row.values())


def test_sentences_compare_x_with_y(results):
    assert results["WeatResult"].sentence() == (
        "Male names are more strongly associated with career words, rather than family words, than "
        "female names are."
    )
    turned = dataclasses.replace(results["WeatResult"], effect=-1.0)
    assert "are more strongly associated with family words, rather than" in turned.sentence()
    assert results["WefatResult"].sentence() == (
        "The more strongly occupations are associated with female terms rather than male terms, "
        "the higher their share of women."
    )


def test_the_sentence_of_a_test_that_was_not_run_gives_the_reason(vectors):
    test = wg.Test(title="Trees", x=["no such"], y=["a", "b"], a=["c"], b=["d"])
    result = wg.weat(vectors, test)
    assert result.sentence() == f"Trees was not run: {result.reason}."
    assert not result.is_done


def test_the_numbers_to_report_first_count_each_word_of_sentences_once(results):
    seat = results["SeatResult"]
    assert (seat.main_value, seat.main_p) == (seat.effect_by_word, seat.p_by_word.value)
    assert seat.main_unit == "each word counted once"
    assert seat.main_p_holm is None
    assert seat.p_for_correction == seat.p.value  # which the paper corrects
    weat = results["WeatResult"]
    assert (weat.main_value, weat.main_p, weat.main_unit) == (weat.effect, weat.p.value, "")
    assert weat.main_interval == weat.intervals[0]
    assert seat.main_interval.low < seat.effect_by_word < seat.main_interval.high


def test_p_values_over_contexts_are_not_corrected(results):
    assert results["CeatResult"].p_value is not None
    assert results["CeatResult"].p_for_correction is None


def subclasses(kind: type[Result]) -> list[type[Result]]:
    return [found for sub in kind.__subclasses__() for found in (sub, *subclasses(sub))]


def import_all() -> None:
    for folder in ("measures", "seedlab", "discovery"):
        package = importlib.import_module(f"weatherglass.{folder}")
        for module in pkgutil.walk_packages(package.__path__, f"weatherglass.{folder}."):
            importlib.import_module(module.name)
    for folder, name in _HOMES.values():  # of other folders, which hold more than results
        getattr(importlib.import_module(f"weatherglass.{folder}"), name)


def test_every_class_of_results_can_be_read_by_the_name_of_its_measure():
    import_all()
    registered = {kind.measure: kind for kind in subclasses(Result) if "measure" in vars(kind)}
    assert registered.keys() == _HOMES.keys()
    assert {name: result_class(name) for name in _HOMES} == registered
    assert result_class("rnd") is wg.MeasureResult


def test_every_class_of_results_has_a_chart_and_the_short_repr():
    from weatherglass.report.charts.plot import _ALONE, _TOGETHER

    import_all()
    for kind in subclasses(Result):
        assert kind.__repr__ is Result.__repr__, f"{kind}: needs @dataclass(repr=False)"
        if kind is not Measurement:
            assert kind.chart in {**_ALONE, **_TOGETHER, NO_CHART: None}, kind


def test_a_result_without_a_chart_says_so():
    cleaned = wg.clean_list("default", ["amy", "joan", "lisa", "sarah", "table"])
    with pytest.raises(CannotMeasure, match="no chart of a cleaned list"):
        cleaned.plot()
    assert "<table" in cleaned._repr_html_()


def test_sentence_results_are_read_before_any_encoder_is_imported(results, tmp_path):
    path = tmp_path / "results.json"
    path.write_text(wg.Results.of([results["SeatResult"], results["CeatResult"]]).to_json())
    code = (
        "import sys; from weatherglass.measures import Results\n"
        "assert not any(name.startswith('weatherglass.encoders') for name in sys.modules)\n"
        "print([type(one).__name__ for one in Results.from_json(open(sys.argv[1]).read())])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
    )
    assert done.stdout == "['SeatResult', 'CeatResult']\n", done.stderr


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "3", '{"measure": 3}', '{"measure": "weat"}', '{"measure": "lint"}']
)
def test_json_of_something_else_is_refused(text):
    with pytest.raises(BadContent, match="not a result in JSON"):
        wg.WeatResult.from_json(text)


def test_a_result_shows_a_table_and_its_picture() -> None:
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    result = wg.weat(wg.open_vectors("default"), "weat6")
    display = result._repr_html_()
    assert "<td>1.71</td>" in display
    assert "<td>7.8e-05</td>" in display
    assert "<svg" in display
    assert wg.Results.of([result])._repr_html_().count("<tr>") == 2
    assert result.plot().to_dict() == wg.plot(result).to_dict()
    assert result.to_table().num_rows == 1


def test_without_the_extra_a_result_still_shows_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    result = wg.weat(wg.open_vectors("default"), "weat6")

    def missing(*_: object, **__: object) -> None:
        raise wg.errors.MissingExtra("A picture", "plots")

    monkeypatch.setattr(type(result), "plot", missing)
    assert "<svg" not in result._repr_html_()
    assert "<table>" in result._repr_html_()


def test_hostile_words_are_escaped_in_the_table() -> None:
    rows = [{"<b>": "<script>alert(1)</script>", "words": ["a&b", "<i>"], "empty": None}]
    display = html_table(rows, 3)
    assert "<script>" not in display
    assert "&lt;b&gt;" in display
    assert "a&amp;b, &lt;i&gt;" in display
    assert "empty" not in display
    assert "2 more rows" in display


def test_tests_and_word_sets_have_a_short_repr() -> None:
    test = wg.test("weat6")
    assert repr(test) == "<Test weat6: Male vs female names, career vs family>"
    assert repr(test.x) == "<WordSet Male names: 8 words>"
    assert repr(wg.seeds("female_1-Caliskan_et_al_2017")) == (
        "<SeedSet female_1-Caliskan_et_al_2017: 8 words>"
    )
    own = wg.Test(x=["a", "b"], y=["c", "d"], a=["e"], b=["f"])
    assert repr(own) == "<Test custom: a, b vs c, d; e vs f>"
    assert repr(own.a) == "<WordSet A: 1 word>"
