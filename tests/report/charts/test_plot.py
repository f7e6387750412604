import json

import pytest

import weatherglass as wg
from weatherglass.errors import CannotMeasure, CannotWrite

pytest.importorskip("altair", reason="needs the extra 'plots'")


@pytest.fixture(scope="module")
def vectors():
    return wg.open_vectors("default")


def texts(path) -> str:
    return path.read_text()


def test_several_tests_are_drawn_as_a_forest_plot_with_their_p_values(vectors, tmp_path):
    results = wg.Results.of(wg.weat(vectors, id) for id in ("weat6", "weat7"))
    wg.save_plot(wg.plot(results), tmp_path / "effects.svg")
    drawn = texts(tmp_path / "effects.svg")
    for result in results:
        assert result.title in drawn
        assert f"p = {result.p_two_sided}" in drawn


def test_a_single_test_names_all_its_words(vectors, tmp_path):
    result = wg.weat(vectors, "weat6")
    wg.save_plot(wg.plot(result), tmp_path / "words.svg")
    drawn = texts(tmp_path / "words.svg")
    assert all(word in drawn for name in "XY" for word in result.words[name])
    assert "Male names" in drawn


def test_facts_are_drawn_with_their_line_and_the_labels_that_fit(vectors, tmp_path):
    result = wg.wefat(vectors, "wefat1")
    wg.save_plot(wg.plot(result), tmp_path / "facts.json")
    chart = json.loads(texts(tmp_path / "facts.json"))
    sizes = [len(layer["data"]["values"]) for layer in chart["layer"]]
    assert sizes[:2] == [2, 50]
    leaders, labels = sizes[2], sizes[3]
    assert 0 < leaders < labels
    assert 30 < labels < 50


def test_a_chart_as_a_page_needs_no_network_and_escapes_words(tmp_path):
    words = ["</script><script>alert(1)</script>", "b", "c", "d", "e", "f"]
    rows = [[1, 0], [1, 1], [0, 1], [-1, 1], [1, 0], [0, 1]]
    test = wg.Test(x=words[:2], y=words[2:4], a=["e"], b=["f"])
    wg.save_plot(wg.plot(wg.weat(wg.Vectors.of(words, rows), test)), tmp_path / "page.html")
    page = texts(tmp_path / "page.html")
    assert 'src="http' not in page
    assert "<script>alert(1)" not in page
    assert r"\u003cscript>alert(1)" in page


def test_a_chart_without_results_or_with_an_unknown_suffix_is_refused(vectors, tmp_path):
    with pytest.raises(CannotMeasure, match="nothing to draw"):
        wg.plot(wg.Results.of([]))
    with pytest.raises(CannotWrite, match=r"\.svg"):
        wg.save_plot(wg.plot(wg.weat(vectors, "weat6")), tmp_path / "picture.gif")
    assert list(tmp_path.iterdir()) == []


def test_every_chart_names_its_source_the_version_and_the_date(vectors, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    line = f"GloVe 6B · 50d. Weatherglass {wg.__version__}, 1970-01-02."
    single = wg.weat(vectors, "weat6")
    multiverse = wg.multiverse(vectors, "weat7", samples=0)
    facts = wg.wefat(vectors, "wefat*")
    for results in (single, facts, wg.Results.of(wg.weat(vectors, "weat[67]")), multiverse):
        assert line in json.dumps(wg.plot(results).to_dict(), ensure_ascii=False)
        assert line not in json.dumps(
            wg.plot(results, source_line=False).to_dict(), ensure_ascii=False
        )


def test_the_source_line_follows_the_heading_and_what_it_says(vectors):
    title = wg.plot(wg.weat(vectors, "weat[67]")).to_dict()["title"]
    assert title["text"] == "Association tests on GloVe 6B"
    assert "filled" in title["subtitle"][0]
    assert title["subtitle"][-1].startswith("GloVe 6B · 50d. Weatherglass")


def test_a_long_path_is_shortened_in_the_source_line(vectors):
    result = wg.weat(vectors, "weat6").with_source({"name": "/a/" + "long/" * 20 + "mine.vec"})
    assert "mine.vec. Weatherglass" in json.dumps(wg.plot(result).to_dict()["title"])
