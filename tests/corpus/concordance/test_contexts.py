"""Words in context, and their collocates."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import chi2_contingency

import weatherglass as wg
from weatherglass.corpus import Document
from weatherglass.corpus.concordance.collocates import log_likelihood
from weatherglass.errors import CannotMeasure, UsageError

TEXTS = [
    Document("Women and their families came. The men worked.", {"year": "1900", "title": "One"}),
    Document(
        "The Women’s family: a woman worked; men and women.", {"year": "2000", "title": "Two"}
    ),
]


def test_lines_keep_the_spelling_and_punctuation_of_the_text() -> None:
    context = wg.corpus_context(TEXTS, "women")
    assert [(line.before, line.keyword, line.after) for line in context.lines] == [
        ("", "Women", "and their families came. The men worked."),
        ("The", "Women", "'s family: a woman worked; men and women."),
        ("The Women's family: a woman worked; men and", "women", "."),
    ]
    assert context.lines[0].label == "One, 1900"
    assert context.counts == {"women": (3,)}


def test_near_shows_only_lines_with_both_words() -> None:
    context = wg.corpus_context(TEXTS, ["women"], near=["family"], by="year")
    assert [(line.group, line.keyword) for line in context.lines] == [("2000", "Women")]
    far = wg.corpus_context(TEXTS, ["women"], near=["family"], window=1)
    assert len(far.lines) == 1


def test_lines_are_a_random_choice_that_the_seed_decides() -> None:
    texts = [f"{'x ' * k}word {'y ' * k}" for k in range(60)]
    first, again, other = (
        [line.document for line in wg.corpus_context(texts, "word", lines=5, seed=seed).lines]
        for seed in (0, 0, 1)
    )
    assert len(first) == 5
    assert first == again != other
    means = [
        sum(line.document for line in wg.corpus_context(texts, "word", lines=5, seed=seed).lines)
        / 5
        for seed in range(40)
    ]
    assert 25 < sum(means) / 40 < 35  # all documents have the same chance


def test_log_likelihood_is_that_of_the_two_by_two_table() -> None:
    count, nearby, frequency, total = 12, 300, 40, 20_000
    table = [
        [count, nearby - count],
        [frequency - count, total - nearby - frequency + count],
    ]
    expected = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
    assert log_likelihood(count, nearby, frequency, total) == pytest.approx(expected)


def test_collocates_are_counted_within_the_window_of_each_group() -> None:
    documents = [Document("war brings fear " * 3 + "calm sea " * 20, {"era": "a"})] * 3
    documents += [Document("war needs courage " * 3 + "calm sea " * 20, {"era": "b"})] * 3
    context = wg.corpus_context(documents, "war", by="era", window=2, min_together=3)
    near = {(c.group, c.collocate): c for c in context.collocates}
    assert {("a", "fear"), ("b", "courage")} <= set(near)
    assert ("b", "fear") not in near
    fear = near["a", "fear"]
    tokens, size = 3 * 49, 3 * (2 + 4 + 4)  # words near "war": two after the first, four later
    assert fear.count == 3 * 5
    assert fear.expected == pytest.approx(size * 9 / tokens, abs=1e-4)
    assert fear.pmi == pytest.approx(math.log2(15 / (size * 9 / tokens)), abs=1e-4)
    by_pmi = wg.corpus_context(documents, "war", window=2, measure="pmi").collocates
    assert [c.pmi for c in by_pmi] == sorted((c.pmi for c in by_pmi), reverse=True)


def test_independent_words_are_not_collocates_of_each_other() -> None:
    """Under independence G² exceeds 10.83 for about one word in a thousand."""
    import numpy as np

    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{chr(97 + k)}" for k in rng.integers(20, size=400)) for _ in range(100)]
    context = wg.corpus_context(texts, "wa", collocates=50, min_together=1)
    assert not [c for c in context.collocates if c.log_likelihood > 15]


def test_words_that_do_not_occur_are_named() -> None:
    context = wg.corpus_context(TEXTS, ["women", "whale"])
    assert context.notes == ("'whale' does not occur",)
    with pytest.raises(CannotMeasure, match=r"'womn' does not occur .* Did you mean women"):
        wg.corpus_context(TEXTS, "womn")
    with pytest.raises(UsageError, match="name at least one"):
        wg.corpus_context(TEXTS, [])
    with pytest.raises(UsageError, match="log-likelihood or pmi"):
        wg.corpus_context(TEXTS, "women", measure="t")  # type: ignore[arg-type]


def test_the_command_shows_collocates_and_lines_with_hostile_text_made_visible(
    run: Any, tmp_path: Path
) -> None:
    path = tmp_path / "texts.jsonl"
    rows = [{"text": "\x1b[31m women and family " * 4, "year": 1900}] * 3
    path.write_text("\n".join(map(json.dumps, rows)))
    page = run("corpus", "context", path, "women", "--near", "family", "--by", "year").out
    assert "family" in page
    assert "\x1b" not in page
    assert "'women' occurs 12 times in '1900'." in page
    record = json.loads(run("corpus", "context", path, "women", "--format", "json").out)
    assert record["counts"] == {"women": [12]}
    assert record["lines"][0]["keyword"] == "women"
    table = run("corpus", "context", path, "women", "--lines", "0", "--format", "csv").out
    assert table.startswith("word,group,collocate,count,expected,log_likelihood,pmi")
