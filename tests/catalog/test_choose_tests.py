"""Wherever a test is accepted: an id, a test, several, a pattern, a file or a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.catalog import choose_tests, names_one_test
from weatherglass.errors import UnknownEntry, UsageError

OWN = """
tests:
- {id: sea, x: [sea, wave], y: [hill, field], a: [calm], b: [high, green]}
- {id: land, x: [hill, field], y: [sea, wave], a: [calm], b: [high]}
- {id: height, a: [calm], b: [high], facts: {sea: 1, wave: 2, hill: 3, field: 5}}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(OWN)
    return path


@pytest.fixture
def vectors() -> wg.Vectors:
    words = ["sea", "wave", "hill", "field", "calm", "high", "green"]
    return wg.Vectors.of(words, np.random.default_rng(0).normal(size=(7, 4)))


def test_a_file_a_folder_a_pattern_and_a_list_name_tests(file: Path) -> None:
    assert [test.id for test in choose_tests(file)] == ["sea", "land", "height"]
    assert [test.id for test in choose_tests(str(file), wg.Test)] == ["sea", "land"]
    assert [test.id for test in choose_tests(file.parent, wg.FactualTest)] == ["height"]
    own = wg.load_tests(file)
    ids = [test.id for test in choose_tests([*own, "weat6", "weat[12]", file])]
    assert ids == ["sea", "land", "height", "weat6", "weat1", "weat2"]


def test_a_folder_is_found_by_its_bare_name_but_an_id_of_the_catalogue_is_a_test(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent.parent)
    assert len(choose_tests(file.parent.name)) == 3
    Path("weat6").mkdir()
    assert choose_tests("weat6")[0].title == wg.test("weat6").title
    assert names_one_test("weat6")


def test_a_named_test_of_the_wrong_kind_is_refused_and_the_right_command_named() -> None:
    with pytest.raises(UsageError, match="wefat1 is a factual test; run it with `wefat`"):
        choose_tests("wefat1", wg.Test)
    with pytest.raises(UsageError, match="weat6 is an association test; run it with `weat`"):
        choose_tests(["weat6"], wg.FactualTest)


@pytest.mark.parametrize("named", [[], ["wefat*"]])
def test_no_test_at_all_is_refused(named: list[str]) -> None:
    with pytest.raises(UsageError, match="include no association test"):
        choose_tests(named, wg.Test)


def test_an_own_test_may_not_take_the_id_of_another() -> None:
    clash = wg.Test(id="weat6", x=["a", "b"], y=["c", "d"], a=["e"], b=["f"])
    with pytest.raises(UsageError, match="Two different tests have the id 'weat6'"):
        choose_tests(["weat6", clash])


def test_something_that_is_no_test_is_named_in_the_message() -> None:
    with pytest.raises(UsageError, match="is no test: expected an id"):
        choose_tests([42])  # type: ignore[list-item]
    with pytest.raises(UnknownEntry, match="no test 'waet6'"):
        choose_tests("waet6")


def test_weat_runs_what_load_tests_returns_and_corrects_over_it(
    vectors: wg.Vectors, file: Path
) -> None:
    association = [test for test in wg.load_tests(file) if isinstance(test, wg.Test)]
    results = wg.weat(vectors, association)
    assert [result.test for result in results] == ["sea", "land"]
    assert all(result.p_holm is not None for result in results)
    assert wg.weat(vectors, str(file)) == results == wg.weat(vectors, test=file)
    single = wg.weat(vectors, association[0])
    assert isinstance(single, wg.WeatResult)
    assert single.effect == results[0].effect


def test_the_file_of_a_single_test_still_gives_a_result_set(
    vectors: wg.Vectors, tmp_path: Path
) -> None:
    path = tmp_path / "sea.yaml"
    path.write_text("{x: [sea, wave], y: [hill, field], a: [calm], b: [high]}")
    assert [result.test for result in wg.weat(vectors, path)] == ["sea"]


def test_every_function_that_runs_tests_takes_a_file(vectors: wg.Vectors, file: Path) -> None:
    assert [result.test for result in wg.wefat(vectors, file)] == ["height"]
    agreements = wg.agree({"one": vectors, "two": vectors}, str(file))
    assert [result.test for result in agreements] == ["sea", "land", "height"]
    measured = wg.measure(vectors, "semaxis", file)
    assert [result.test for result in measured] == ["sea", "land"]
    assert wg.measure(vectors, "weat", "weat6").test == "weat6"
    encoder = wg.open_encoder("cbow:default")
    assert [result.test for result in wg.seat(encoder, str(file))] == ["sea", "land"]
    checked = wg.lint(file)
    assert checked.sets[:2] == ("sea.X", "sea.Y")
    assert wg.lint(wg.load_tests(file)).sets == checked.sets


def test_multiverse_of_several_tests_is_a_tuple() -> None:
    both = wg.multiverse(wg.open_vectors("default"), ["weat6", "weat7"], samples=0)
    assert [result.test for result in both] == ["weat6", "weat7"]


def test_compare_takes_a_file(file: Path, tmp_path: Path) -> None:
    sea, land = "the calm sea and a high wave", "a green hill and the calm field"
    texts = {"one": [sea, land] * 9, "two": [land, sea, land] * 6}
    options = {"method": "ppmi-svd", "dim": 3, "bootstrap": 2, "permutations": 0, "min_count": 1}
    compared = wg.compare(texts, str(file), out=tmp_path / "models", workers=1, **options)
    assert {effect.test for effect in compared.effects} == {"sea", "land"}


def test_check_takes_own_tests_as_objects(vectors: wg.Vectors, file: Path) -> None:
    policy = {"rules": [{"tests": ["sea"], "effect": 2.5}]}
    by_file = wg.check(vectors, policy, tests=[file])
    by_test = wg.check(vectors, policy, tests=wg.load_tests(file))
    assert [v.sentence for v in by_file.verdicts] == [v.sentence for v in by_test.verdicts]


def test_a_visitor_of_the_page_cannot_name_a_file_as_a_test(file: Path) -> None:
    from weatherglass._web.ask import question
    from weatherglass.errors import WeatherglassError

    with pytest.raises(WeatherglassError):
        question._build_test(question.Question(test=str(file)), None)  # type: ignore[arg-type]
