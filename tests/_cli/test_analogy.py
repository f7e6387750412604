"""``weatherglass vectors analogy`` and ``plane``, and ``weatherglass sentiment``."""

import json

import weatherglass as wg


def test_an_analogy_is_answered_and_says_what_the_exclusion_of_the_inputs_changed(run):
    ran = run("vectors", "analogy", "default", "man", "doctor", "woman")
    assert ran.code == 0
    assert "man is to doctor as woman is to nurse (3CosAdd, inputs excluded)" in ran.out
    assert "If the inputs may be the answer, it is doctor" in ran.out
    question = ["vectors", "analogy", "default", "man", "doctor", "woman"]
    allowed = run(*question, "--allow-inputs", "--rule", "multiply", "--format", "json")
    result = wg.Analogy.from_json(allowed.out)
    assert (result.answer, result.rule, result.excludes_inputs) == ("doctor", "multiply", False)


def test_two_words_ask_for_pairs_along_their_direction(run):
    line = ["vectors", "analogy", "default", "she", "he", "--words", "1500", "-n", "5"]
    found = wg.AnalogousPairs.from_json(run(*line, "--format", "json").out)
    assert ("her", "his") in {(pair.x, pair.y) for pair in found.pairs}
    assert found.seeds == (("she", "he"),)
    ran = run("vectors", "analogy", "default", "she", "he", "--allow-inputs")
    assert ran.code == 2
    assert "name C" in ran.err


def test_pairs_of_words_are_placed_in_a_plane_and_missing_words_are_listed(run):
    line = ["vectors", "plane", "default", "--pair", "king", "queen", "--pair", "man", "woman"]
    ran = run(*line, "--pair", "xqzzy", "he")
    assert ran.code == 0
    assert "mean cosine similarity of" in ran.out
    assert "'xqzzy'" in ran.err


def test_sentiment_counts_each_name_once(run):
    ran = run("sentiment", "default", "--group", "race")
    assert ran.code == 0
    assert "36 names; each name counted once" in ran.out
    assert "White names vs Black names" in ran.out
    assert "Of 20 sentences, 1 has a positive score with some names" in ran.out
    record = json.loads(run("sentiment", "default", "--group", "race", "--format", "json").out)
    assert record["measure"] == "sentiment"
    assert wg.Sentiment.from_json(json.dumps(record)).options["words"] == "weat4"
