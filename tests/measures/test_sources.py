"""Whatever people have is a source, and gives the numbers of its vectors."""

import types

import numpy as np
import pyarrow as pa
import pytest

import weatherglass as wg
from weatherglass.errors import BadContent, CannotMeasure, EncoderError, UsageError
from weatherglass.vectors import vectors_of

TEST = "weat7"


@pytest.fixture(scope="module")
def vectors():
    whole = wg.open_vectors("default")
    needed = {
        word.lower()
        for name in ("weat6", "weat7", "wefat1")
        for words in wg.test(name).sets.values()
        for word in words.words
    }
    return wg.Vectors.of(list(words := sorted(needed)), whole.take(words).rows, source="few")


@pytest.fixture(scope="module")
def words(vectors):
    return vectors.words[:]


@pytest.fixture(scope="module")
def matrix(vectors):
    return np.array(vectors.matrix)


def keyed(words, matrix):
    return types.SimpleNamespace(index_to_key=list(words), vectors=matrix)


def objects(words, matrix):
    """Return the vectors as each kind of object that needs no other library."""
    numbers = {word: k for k, word in enumerate(words)}
    dimensions = {f"d{k}": matrix[:, k] for k in range(matrix.shape[1])}
    return {
        "dict": dict(zip(words, matrix, strict=True)),
        "dict of lists": {w: row.tolist() for w, row in zip(words, matrix, strict=True)},
        "pair": (words, matrix),
        "pair in a list": [words, matrix],
        "pair of lists": (words, matrix.tolist()),
        "row numbers": (dict(reversed(numbers.items())), matrix),
        "gensim": keyed(words, matrix),
        "gensim model": types.SimpleNamespace(wv=keyed(words, matrix)),
        "arrow, a column of lists": pa.table({"word": words, "vector": matrix.tolist()}),
        "arrow, columns": pa.table({"word": words, **dimensions}),
        "vectors": wg.Vectors.of(words, matrix),
    }


def test_every_kind_of_object_gives_the_result_of_the_vectors(vectors, words, matrix):
    expected = wg.weat(vectors, TEST)
    for kind, value in objects(words, matrix).items():
        result = wg.weat(value, TEST)
        assert result.effect == expected.effect, kind
        assert result.p.fraction == expected.p.fraction, kind
        assert result.source["fingerprint"] == expected.source["fingerprint"], kind


def test_every_function_accepts_objects_in_memory(words, matrix):
    rows = dict(zip(words, matrix, strict=True))
    sets = {name: list(part.words) for name, part in wg.test("weat7").sets.items()}
    assert wg.wefat(rows, "wefat1").is_done
    assert wg.measure(rows, "rnd", {k: sets[k] for k in "XAB"}).is_done
    assert wg.generalised_weat(rows, [(sets["X"], sets["A"]), (sets["Y"], sets["B"])]).value
    assert wg.multiverse(rows, "weat7", samples=0).specifications
    assert wg.lint(wg.SeedSet(id="mine", words=sets["X"]), source=rows).source["words"] == len(rows)
    assert wg.agree([rows, "default"], "weat7").is_done
    assert wg.seat(rows, "weat7")[0].is_done
    assert wg.seat((words, matrix), "weat7")[0].source_name == "cbow:memory"
    corpus = [f"The {word} is here." for word in sets["X"] + sets["Y"] + sets["A"] + sets["B"]]
    assert wg.ceat(rows, "weat7", corpus, samples=10)[0].is_done
    assert wg.debias(rows, [("he", "she")]).fingerprint
    assert wg.open_vectors(rows, words=["he"]).words[:] == ["he"]
    pair = wg.seed_pair(sets["A"], sets["B"])
    for models in (rows, [rows]):
        assert len(wg.measure_pairs(models, pair, measures=["similarity"]).pairs) == 1


def test_controls_take_any_object_with_words_and_rows():
    whole = wg.open_vectors("default")
    words = whole.words[:3000]
    rows = whole.take(words).rows
    controlled, _ = wg.control((words, rows), "top:1")
    expected, _ = wg.control(wg.Vectors.of(words, rows), "top:1")
    assert np.array_equal(controlled.matrix, expected.matrix)


def test_sentences_are_encoded_by_word_vectors_that_are_named(tmp_path):
    path = tmp_path / "few.txt"
    vectors = wg.open_vectors("default")
    needed = {word.lower() for part in wg.test(TEST).sets.values() for word in part.words}
    path.write_text(
        "".join(
            f"{word} {' '.join(map(repr, row.tolist()))}\n"
            for word, row in zip(sorted(needed), vectors.take(sorted(needed)).rows, strict=True)
        )
    )
    expected = wg.seat("cbow:default", TEST)[0]
    for source in ("default", str(path), path):
        (result,) = wg.seat(source, TEST)
        assert result.effect == expected.effect
        assert result.source_name == f"cbow:{source}"
    (tmp_path / "t.csv").write_text("word,a,b\nx,1,2\ny,2,1\n")
    with pytest.raises(UsageError, match="which encodes no sentences"):
        wg.seat(f"table:{tmp_path / 't.csv'}", TEST)
    with pytest.raises(UsageError, match="does not say which encoder to use"):
        wg.seat("all-MiniLM-L6-v2", TEST)


def test_a_name_is_a_source_of_every_measure(vectors):
    assert wg.weat("default", TEST, baseline=False).effect == wg.weat(vectors, TEST).effect
    assert wg.wefat("default", "wefat1").pearson == wg.wefat(vectors, "wefat1").pearson
    by_name = wg.multiverse("default", TEST, samples=2)
    assert by_name.summary == wg.multiverse(wg.open_vectors("default"), TEST, samples=2).summary


def test_a_name_opened_for_a_test_has_the_baseline_of_the_whole_file():
    by_name = wg.weat("default", TEST)
    assert (
        by_name.baseline.percentile == wg.weat(wg.open_vectors("default"), TEST).baseline.percentile
    )


def test_a_control_by_name_reads_the_whole_source():
    assert wg.weat("default", TEST, control="top:2", baseline=False).controls[0].effect is not None


def test_the_fingerprint_is_that_of_the_content(words, matrix):
    first = wg.as_source((words, matrix))
    changed = matrix.copy()
    changed[3, 4] += 1
    assert wg.as_source(dict(zip(words, matrix, strict=True))).fingerprint == first.fingerprint
    assert wg.as_source((words, changed)).fingerprint != first.fingerprint
    assert wg.as_source((words[::-1], matrix)).fingerprint != first.fingerprint


def test_an_object_has_the_name_it_is_given(words, matrix):
    assert wg.weat(wg.as_source((words, matrix), name="mine"), TEST).source_name == "mine"
    assert wg.as_source(dict(zip(words, matrix, strict=True))).source == "dict"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames_give_the_result_of_the_vectors(library, vectors, words, matrix):
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    frames = [module.DataFrame({"word": words, "vector": matrix.tolist()})]
    if library == "pandas":
        frames += [
            module.DataFrame(matrix, index=words),
            module.DataFrame(matrix, index=words).reset_index(names="word"),
        ]
    for frame in frames:
        assert wg.weat(frame, TEST).effect == wg.weat(vectors, TEST).effect


@pytest.mark.torch
def test_trainable_and_bfloat16_embeddings_are_read(vectors, words, matrix):
    torch = pytest.importorskip("torch")
    embedding = torch.nn.Embedding.from_pretrained(torch.tensor(matrix), freeze=False)
    expected = wg.weat(vectors, TEST).effect
    assert wg.weat((words, embedding), TEST).effect == expected
    assert wg.weat((words, embedding.weight), TEST).effect == expected
    half = wg.weat((words, embedding.to(torch.bfloat16)), TEST).effect
    assert half != expected
    assert half == pytest.approx(expected, abs=0.05)
    with pytest.raises(BadContent, match="cannot be read as numbers"):
        wg.as_source((words, torch.zeros(len(words), 2, device="meta")))


class Tokenizer:
    """A tokenizer of SentencePiece, as far as it is needed."""

    all_special_tokens = ("<s>",)

    def __init__(self, vocabulary):
        self.vocabulary = vocabulary

    def get_vocab(self):
        return self.vocabulary


class Model:
    """A model of Hugging Face, as far as it is needed."""

    def __init__(self, matrix):
        self.embeddings = types.SimpleNamespace(weight=matrix)

    def get_input_embeddings(self):
        return self.embeddings


def test_only_whole_words_of_a_tokenizer_are_words():
    vocabulary = {"tor": 0, "▁doc": 1, "doctor": 2, "▁doctor": 3, "<s>": 4}
    matrix = np.arange(12.0).reshape(6, 2)  # models often have more rows than tokens
    for pair in ((Model(matrix), Tokenizer(vocabulary)), (Tokenizer(vocabulary), Model(matrix))):
        opened = wg.as_source(pair)
        assert opened.words[:] == ["doc", "doctor"]
        assert opened.take(["doctor"]).rows.tolist() == [[6.0, 7.0]]
    pieces = Tokenizer({"doctor": 1, "##tor": 0, "[PAD]": 2})
    assert vectors_of((pieces, matrix)).words[:] == ["##tor", "doctor", "[PAD]"]
    ends = Tokenizer({"doctor</w>": 1, "doctor": 0})
    assert vectors_of((ends, matrix)).take(["doctor"]).rows.tolist() == [[2.0, 3.0]]


def test_a_vocabulary_that_names_a_row_that_is_not_there_is_refused():
    with pytest.raises(BadContent, match="names row 7, but there are 2 rows"):
        wg.as_source(({"a": 0, "b": 7}, [[1.0], [2.0]]))


def by_letters(sentences):
    return [[s.lower().count(letter) + 0.1 for letter in "aeioustr"] for s in sentences]


class Encodes:
    def encode(self, sentences):
        return np.array(by_letters(sentences))


def test_a_function_from_sentences_to_rows_is_an_encoder():
    for value in (by_letters, Encodes(), lambda sentences: by_letters(sentences)):
        by_word = wg.weat(value, "weat6")
        assert by_word.is_done
        assert by_word.baseline.percentile is None
        assert wg.seat(value, "weat6")[0].effect == by_word.effect
    assert wg.as_source(by_letters).name == "by_letters"


def test_the_fingerprint_of_a_function_is_that_of_what_it_returns():
    def doubled(sentences):
        return [[2 * n for n in row[::-1]] for row in by_letters(sentences)]

    same = wg.as_source(lambda sentences: by_letters(sentences), name="f").fingerprint
    assert wg.as_source(by_letters, name="f").fingerprint == same
    assert wg.as_source(doubled, name="f").fingerprint != same


def test_a_function_that_is_not_deterministic_is_refused():
    generator = np.random.default_rng(0)
    with pytest.raises(EncoderError, match="not deterministic"):
        _ = wg.as_source(lambda texts: generator.normal(size=(len(texts), 8))).fingerprint


def test_a_function_with_a_wrong_number_of_rows_is_refused_in_a_sentence():
    with pytest.raises(EncoderError, match="expected one row"):
        wg.weat(lambda texts: [[1.0, 2.0]], "weat6")


@pytest.mark.parametrize(
    "wrong", [3, None, object(), dict, ["a.txt", "b.txt"], ("a.txt", "b.txt"), {1, 2}, b"x"]
)
def test_what_is_not_a_source_is_refused_in_one_sentence(wrong):
    for function in (wg.as_source, lambda x: wg.weat(x, "weat6"), lambda x: wg.discover(x)):
        with pytest.raises(
            UsageError, match="is not a source: give a name, path or spec"
        ) as raised:
            function(wrong)
        assert str(raised.value).endswith("or a function from sentences to rows.")


@pytest.mark.parametrize("wrong", [3, None, dict, len, object()])
def test_what_has_no_words_and_rows_is_refused_in_one_sentence(wrong):
    pairs = [("he", "she")]
    for function in (wg.open_vectors, wg.control, lambda x: wg.debias(x, pairs)):
        with pytest.raises(UsageError, match=r"is not a source of vectors: give a name or path"):
            function(wrong)
    with pytest.raises(UsageError, match=r"is not a source|has no vocabulary"):
        wg.generate_seeds(wrong, 3)


def test_rows_without_words_are_refused_with_the_way_to_give_both(matrix):
    with pytest.raises(UsageError, match=r"rows without words: give both as a pair, \(words, rows"):
        wg.weat(matrix, "weat6")
    with pytest.raises(UsageError, match="give it with its tokenizer"):
        wg.weat(Model(matrix), "weat6")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "it is empty"),
        ({1: [2.0]}, "'1' is not a word"),
        ({"a": [1.0], "b": [1.0, 2.0]}, "one of shape"),
        ({"a": "x"}, "must be numbers"),
        ((["a", "b"], [[1.0]]), "2 words and rows of shape"),
        (pa.table({"a": ["x"], "b": ["y"]}), "one column of words"),
        (
            pa.table({"word": ["x", None], "d0": [1.0, 2.0], "d1": [1.0, 2.0]}),
            "1 rows have no word",
        ),
    ],
)
def test_broken_objects_are_refused_in_a_sentence(wrong, message):
    with pytest.raises(BadContent, match=message):
        wg.as_source(wrong)


def test_an_encoder_has_no_vocabulary_to_search():
    with pytest.raises(UsageError, match="has no vocabulary"):
        wg.discover(by_letters)
    with pytest.raises(CannotMeasure, match="not for tables"):
        wg.discover(wg.AssociationTable([[1.0]], rows=["a"], columns=["b"]))
