"""Ratings of words: the catalogue's, and tables that users bring."""

from __future__ import annotations

import pytest

from weatherglass.catalog import load_norms, load_pairs, norm_sources
from weatherglass.errors import CatalogError, UnknownEntry, UsageError


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_norms_of_the_catalogue_cite_their_study_and_licence():
    for source in norm_sources().values():
        assert source.study.doi
        assert source.licence == "CC BY 4.0"
        assert bool(source.test) != bool(source.axis)


def test_glasgow_norms_rate_happy_words_higher_and_masculine_words_higher():
    valence, gender = load_norms("glasgow-valence"), load_norms("glasgow-gender")
    pleasant = dict(zip(valence.words, valence.ratings, strict=True))
    masculine = dict(zip(gender.words, gender.ratings, strict=True))
    assert pleasant["happy"] > pleasant["sad"]
    assert masculine["beard"] > masculine["lipstick"]


def test_senses_and_repeated_rows_of_a_word_are_averaged(tmp_path):
    path = write(tmp_path / "r.csv", "word,v\narm,5\narm (limb),6\narm (weapon),1\nleg,3\nleg,5\n")
    norms = load_norms(path)
    assert dict(zip(norms.words, norms.ratings, strict=True)) == {"arm": 4.0, "leg": 4.0}
    assert norms.merged == 3


def test_the_standard_error_of_an_averaged_word_comes_from_all_its_senses(tmp_path):
    path = write(tmp_path / "r.csv", "word,v,sd,n\narm,5,2,4\narm (limb),7,4,4\nleg,3,3,9\n")
    norms = load_norms(path, value="v", sd="sd", raters="n")
    assert norms.errors == (pytest.approx((4 / 4 + 16 / 4) / 4), pytest.approx(1.0))


def test_rows_without_a_rating_are_left_out_and_counted(tmp_path):
    path = write(tmp_path / "r.tsv", "Word\tv\na\t1\nb\tNA\nc\t\n")
    norms = load_norms(path)
    assert norms.words == ("a",)
    assert norms.left_out == 2


def test_a_rating_that_is_no_number_is_named_with_its_line(tmp_path):
    path = write(tmp_path / "r.csv", "word,v\na,1\nb,high\n")
    with pytest.raises(CatalogError, match=r"line 3: v is 'high'"):
        load_norms(path)


def test_the_columns_of_a_table_are_listed_if_they_must_be_named(tmp_path):
    path = write(tmp_path / "r.csv", "word,valence,arousal\na,1,2\n")
    with pytest.raises(UsageError, match="'valence', 'arousal'"):
        load_norms(path)
    with pytest.raises(CatalogError, match="the columns word, dominance were expected"):
        load_norms(path, value="dominance")


def test_unknown_norms_get_a_suggestion():
    with pytest.raises(UnknownEntry, match="glasgow-valence"):
        load_norms("glasgow-valance")


def test_a_standard_deviation_needs_the_number_of_raters(tmp_path):
    path = write(tmp_path / "r.csv", "word,v,sd\na,1,2\n")
    with pytest.raises(UsageError, match="both sd and raters"):
        load_norms(path, value="v", sd="sd")


def test_pairs_are_two_words_on_a_line(tmp_path):
    path = write(tmp_path / "p.txt", "# class\nrich,poor\nwealthy\tneedy\n")
    assert load_pairs(path) == (("rich", "poor"), ("wealthy", "needy"))
    with pytest.raises(CatalogError, match="line 1"):
        load_pairs(write(tmp_path / "q.txt", "rich\n"))
