"""How results look when they are printed, and in a notebook."""

from __future__ import annotations

import pytest

import weatherglass as wg


@pytest.fixture(scope="module")
def vectors():
    return wg.open_vectors("default")


def test_a_printed_result_is_a_few_lines_that_a_person_reads(vectors):
    lines = str(wg.weat(vectors, "weat6")).splitlines()
    assert lines == [
        "WEAT weat6 on default: Male vs female names, career vs family",
        "effect 1.71 (95 % interval 1.36 to 1.86), p = 7.8e-05 (exact, one-sided)",
        "clear: Male names are more strongly associated with career words, rather than family",
        "words, than female names are.",
    ]


@pytest.mark.parametrize(
    "run",
    [
        lambda v: wg.wefat(v, "wefat1"),
        lambda v: wg.weat(v, ["weat6", "weat7"]),
        lambda v: wg.multiverse(v, "weat7", samples=3),
        lambda v: wg.lint("female_*"),
        lambda v: wg.agree({"a": v, "b": v}, "weat6"),
        lambda v: wg.measure(v, "rnd", "weat6"),
        lambda v: wg.weat(v, wg.Test(x=["qq1", "qq2"], y=["a", "b"], a=["c"], b=["d"])),
    ],
)
def test_every_result_prints_at_most_a_dozen_short_lines(vectors, run):
    lines = str(run(vectors)).splitlines()
    assert 2 <= len(lines) <= 12
    assert max(map(len, lines)) <= 88


def test_a_result_that_was_not_run_prints_the_reason(vectors):
    test = wg.Test(x=["qq1", "qq2"], y=["a", "b"], a=["c"], b=["d"])
    assert "not run: 2 of the 2 words of X are missing" in str(wg.weat(vectors, test))


def test_a_notebook_shows_the_summary_of_a_multiverse_and_not_every_specification(vectors):
    result = wg.multiverse(vectors, "weat7", samples=20)
    page = result._repr_html_()
    assert "18 choices of seed sets, 378 with sub-samples" in page
    assert "100% of 18 documented seed choices agree in sign" in page
    assert page.count("<tr>") < 40 < len(result.specifications)
    assert "<svg" in page


def test_a_notebook_shows_a_corpus_by_its_columns_and_lengths(tmp_path):
    path = tmp_path / "texts.csv"
    rows = [f'{1900 + k},"<b>{"word " * (k + 1)}"' for k in range(30)]
    path.write_text("year,text\n" + "\n".join(rows))
    corpus = wg.open_corpus(str(path))
    assert len(repr(corpus)) < 100
    page = corpus._repr_html_()
    assert "30 documents, 465 words" in page
    assert "<td>year</td><td>30</td>" in page
    assert "<svg" in page
    assert "<b>word" not in page


def test_only_the_beginning_of_a_large_corpus_is_read_for_a_notebook():
    from weatherglass.corpus import Document
    from weatherglass.report.corpus import MAX_DOCUMENTS, corpus_html

    def endless():
        while True:
            yield Document("one word", {})

    assert f"the first {MAX_DOCUMENTS:,} documents have" in corpus_html("endless", endless())
