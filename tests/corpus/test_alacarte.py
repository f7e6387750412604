"""Contexts of words in a shared space: brute force, and the transform."""

import numpy as np
import pytest

from weatherglass import Vectors
from weatherglass.corpus import Grouping, Tokenizer, open_corpus, read_units, score_contexts
from weatherglass.corpus import share_space as make_space
from weatherglass.corpus.alacarte.space import fit_transform
from weatherglass.corpus.token_ids import TokenIds
from weatherglass.errors import CannotMeasure

WINDOW = 3


def random_corpus(seed=0, words=30, documents=25):
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, words + 1)
    texts = [
        rng.choice(words, rng.integers(5, 60), p=shares / shares.sum()) for _ in range(documents)
    ]
    tokens = np.concatenate(texts)
    counts = np.bincount(tokens, minlength=words)
    number = np.argsort(np.argsort(-counts, kind="stable"))
    ends = np.cumsum([len(text) for text in texts])
    names = [f"w{k}" for k in range(words)]
    return TokenIds(names, np.sort(counts)[::-1], number[tokens].astype(np.int32), ends)


def contexts_of(corpus, word):
    """The document of each context of a word, and the word there."""
    start = 0
    for document, end in enumerate(corpus.ends):
        text = corpus.tokens[start:end].tolist()
        for p, token in enumerate(text):
            if token == word:
                for q in range(max(0, p - WINDOW), min(len(text), p + WINDOW + 1)):
                    if q != p:
                        yield document, text[q]
        start = end


@pytest.fixture
def space(tmp_path):
    return make_space(random_corpus(), tmp_path, dim=6, window=WINDOW)


def test_mean_context_vectors_are_those_of_all_words_in_the_window(space):
    for word in (0, 3, 12):
        rows = [space.rows[c] for _, c in contexts_of(space.corpus, word)]
        assert space.contexts[word] == pytest.approx(np.mean(rows, axis=0), abs=1e-5)


def test_scores_are_the_projected_contexts_of_each_document(space):
    direction = np.random.default_rng(1).normal(size=6)
    scores = score_contexts(space, [5, 2], direction)
    for number, word in enumerate((5, 2)):
        length = np.linalg.norm(space.transform @ space.contexts[word])
        sums: dict[int, list[float]] = {}
        for document, c in contexts_of(space.corpus, word):
            value = direction @ (space.transform @ space.rows[c].astype(float)) / length
            sums.setdefault(document, []).append(value)
        at = scores.words == number
        assert scores.documents[at].tolist() == sorted(sums)
        assert scores.contexts[at].tolist() == [len(sums[d]) for d in sorted(sums)]
        assert scores.scores[at] == pytest.approx([np.mean(sums[d]) for d in sorted(sums)])
        pooled = np.average(scores.scores[at], weights=scores.contexts[at])
        assert scores.pooled[number] == pytest.approx(pooled, abs=1e-5)
    start = np.concatenate([[0], space.corpus.ends[:-1]])
    for document, word, occurrences in zip(
        scores.documents, scores.words, scores.occurrences, strict=True
    ):
        text = space.corpus.tokens[start[document] : space.corpus.ends[document]]
        assert occurrences == np.count_nonzero(text == (5, 2)[word])


def test_the_transform_is_recovered_where_vectors_are_linear_in_their_contexts():
    rng = np.random.default_rng(2)
    contexts, true = rng.normal(size=(80, 5)), rng.normal(size=(5, 5))
    rows = (contexts @ true.T).astype(np.float32)
    has_vector = np.ones(80, dtype=bool)
    counts = np.arange(1080, 1000, -1)
    transform, words, fit = fit_transform(rows, contexts.astype(np.float32), has_vector, counts)
    assert transform == pytest.approx(true, abs=1e-4)
    assert (words, round(fit, 6)) == (80, 1.0)


def test_a_transform_of_more_dimensions_than_words_is_refused(tmp_path):
    with pytest.raises(CannotMeasure, match="30 words and 40 dimensions"):
        make_space(random_corpus(), tmp_path, dim=40, window=WINDOW)


def test_vectors_from_elsewhere_are_used_for_the_words_that_they_have(tmp_path):
    rng = np.random.default_rng(3)
    corpus = random_corpus()
    vectors = Vectors.of([*corpus.words[:20], "other"], rng.normal(size=(21, 4)))
    space = make_space(corpus, tmp_path, window=WINDOW, vectors=vectors)
    assert space.has_vector.tolist() == [True] * 20 + [False] * 10
    known = [c for _, c in contexts_of(corpus, 2) if c < 20]
    expected = np.mean([space.rows[c] for c in known], axis=0)
    assert space.contexts[2] == pytest.approx(expected, abs=1e-5)
    scores = score_contexts(space, [2], np.ones(4))
    assert scores.contexts.sum() == len(known)


def test_documents_are_divided_by_their_values_and_keep_their_number(tmp_path):
    path = tmp_path / "speeches.csv"
    path.write_text(
        "text,name,party,year\na b,Ann,D,1901\nb c,Ann,D,1902\nc d e,Bea,,1903\nd e,Bea,R,1903\n"
    )
    units = read_units(
        open_corpus(f"{path}?documents=name"),
        ["party", "year"],
        Grouping.of(where="year<1904"),
        tmp_path,
        tokenizer=Tokenizer(),
        min_count=1,
    )
    assert units.documents.tolist() == [0, 0, 1, 1]
    assert units.sizes.tolist() == [2, 2, 3, 2]
    assert units.values == [
        {"party": "D", "year": "1901"},
        {"party": "D", "year": "1902"},
        {"year": "1903"},
        {"party": "R", "year": "1903"},
    ]
