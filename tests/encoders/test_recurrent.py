"""InferSent, GenSen and ELMo with small weights of the published layout, against plain numpy."""

import json
import os

import numpy as np
import pytest

from weatherglass.encoders import encode_all, open_encoder
from weatherglass.encoders.cbow import tokenize
from weatherglass.encoders.gensen import GenSen
from weatherglass.encoders.infersent import InferSent
from weatherglass.errors import BadContent, EncoderError, PickleRefused, SourceNotFound
from weatherglass.vectors import Vectors

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore:::torch")]
torch = pytest.importorskip(
    "torch", reason="needs PyTorch: pip install 'weatherglass[transformers]'"
)

SENTENCES = ["This is Amy.", "Amy", "This is John here.", "John zzz Amy"]
WORDS = ["<s>", "</s>", "This", "is", "Amy", "John", ".", "this"]
DIM, HIDDEN = 6, 4
RNG = np.random.default_rng(5)
VECTORS = Vectors.of(WORDS, RNG.standard_normal((len(WORDS), DIM)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def random_weights(gates, hidden=HIDDEN, dim=DIM):
    """Return random weights of a bidirectional LSTM (4 gates) or GRU (3 gates)."""
    return {
        f"{kind}_l0{suffix}": RNG.standard_normal(shape) * 0.5
        for suffix in ("", "_reverse")
        for kind, shape in (
            ("weight_ih", (gates * hidden, dim)),
            ("weight_hh", (gates * hidden, hidden)),
            ("bias_ih", (gates * hidden,)),
            ("bias_hh", (gates * hidden,)),
        )
    }


def save_weights(path, weights, prefix):
    """Write a state_dict of PyTorch; return its path."""
    torch.save({prefix + k: torch.tensor(v, dtype=torch.float32) for k, v in weights.items()}, path)
    return path


def lstm(x, w, suffix):
    """Return the states of one direction; gates in PyTorch's order: input, forget, cell, output."""
    h, c, states = np.zeros(HIDDEN), np.zeros(HIDDEN), []
    for row in x:
        gates = w[f"weight_ih_l0{suffix}"] @ row + w[f"bias_ih_l0{suffix}"]
        gates = gates + w[f"weight_hh_l0{suffix}"] @ h + w[f"bias_hh_l0{suffix}"]
        i, f, g, o = np.split(gates, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return np.array(states)


def gru(x, w, suffix):
    """Return the states of one direction; gates in PyTorch's order: reset, update, new."""
    h, states = np.zeros(HIDDEN), []
    for row in x:
        a = w[f"weight_ih_l0{suffix}"] @ row + w[f"bias_ih_l0{suffix}"]
        b = w[f"weight_hh_l0{suffix}"] @ h + w[f"bias_hh_l0{suffix}"]
        (ar, az, an), (br, bz, bn) = np.split(a, 3), np.split(b, 3)
        r, z = sigmoid(ar + br), sigmoid(az + bz)
        h = (1 - z) * np.tanh(an + r * bn) + z * h
        states.append(h)
    return np.array(states)


def both_directions(x, w, cell):
    """Return the states of both directions, concatenated."""
    return np.hstack([cell(x, w, ""), cell(x[::-1], w, "_reverse")[::-1]])


@pytest.fixture
def infersent(tmp_path):
    weights = random_weights(4)
    return weights, save_weights(tmp_path / "infersent1.pkl", weights, "enc_lstm.")


@pytest.mark.parametrize("pooling", ["max", "mean"])
def test_infersent_equals_a_bidirectional_lstm_in_numpy(infersent, pooling):
    weights, path = infersent
    rows = InferSent(path, VECTORS, pool=pooling).encode(SENTENCES)
    for text, row in zip(SENTENCES, rows, strict=True):
        words = ["<s>", *tokenize(text), "</s>"]
        states = both_directions(VECTORS.take(words).rows.astype(float), weights, lstm)
        np.testing.assert_allclose(row, getattr(states, pooling)(axis=0), atol=1e-5)


def test_infersent_lists_missing_words_and_refuses_sentences_without_known_words(infersent, cache):
    encoder = InferSent(infersent[1], VECTORS)
    with pytest.raises(EncoderError, match="knows no word of 1 of 2 sentences: 'Zzz'"):
        encode_all(encoder, ["This is Zzz.", "Zzz"])
    assert encoder.missing == ("Zzz",)


def test_infersent_gives_the_same_rows_with_vectors_from_a_file(infersent, tmp_path, cache):
    vectors = tmp_path / "v.txt"
    table = zip(WORDS, VECTORS.matrix.tolist(), strict=True)
    vectors.write_text("".join(f"{w} {' '.join(map(repr, row))}\n" for w, row in table))
    encoder = open_encoder(f"infersent:{infersent[1]}?vectors={vectors}")
    np.testing.assert_allclose(
        encode_all(encoder, SENTENCES),
        InferSent(infersent[1], VECTORS).encode(SENTENCES),
        atol=1e-6,
    )
    assert encoder.missing == ("here", "zzz")


def test_infersent_reads_both_file_formats_of_pytorch(infersent, tmp_path):
    _, path = infersent
    old = tmp_path / "old.pkl"
    torch.save(torch.load(path, weights_only=True), old, _use_new_zipfile_serialization=False)
    np.testing.assert_array_equal(
        InferSent(old, VECTORS).encode(SENTENCES), InferSent(path, VECTORS).encode(SENTENCES)
    )


def test_infersent_refuses_weights_of_another_shape_or_kind(infersent, tmp_path):
    _, path = infersent
    narrow = Vectors.of(["Amy"], [[1, 2]])
    with pytest.raises(BadContent, match="needs word vectors of 6 numbers, but memory has 2"):
        InferSent(path, narrow).encode(["Amy"])
    other = save_weights(tmp_path / "other.pkl", random_weights(3), "enc_lstm.")
    with pytest.raises(BadContent, match="does not hold the weights of a LSTM"):
        InferSent(other, VECTORS).encode(["Amy"])
    torch.save([1, 2], tmp_path / "list.pkl")
    with pytest.raises(BadContent, match="holds no state_dict"):
        InferSent(tmp_path / "list.pkl", VECTORS).encode(["Amy"])
    with pytest.raises(SourceNotFound, match="no weights file"):
        open_encoder(f"infersent:{tmp_path / 'none'}?vectors=default")


class Evil:
    """Runs code when unpickled: it creates a folder."""

    def __reduce__(self):
        return os.mkdir, (str(Evil.mark),)


def test_a_pickled_infersent_model_is_refused_and_its_code_does_not_run(tmp_path):
    Evil.mark = tmp_path / "code ran"
    torch.save(Evil(), tmp_path / "infersent.allnli.pickle")
    with pytest.raises(PickleRefused, match="a pickle with more than weights"):
        InferSent(tmp_path / "infersent.allnli.pickle", VECTORS).encode(["Amy"])
    assert not Evil.mark.exists()


def gensen_part(folder, name, words, seed):
    """Write the weights and the vocabulary of a GRU; return its weights and word vectors."""
    weights = random_weights(3)
    table = np.random.default_rng(seed).standard_normal((len(words), DIM))
    tensors = {f"encoder.{k}": v for k, v in weights.items()} | {"src_embedding.weight": table}
    save_weights(folder / f"{name}.model", tensors, "")
    (folder / f"{name}_vocab.json").write_text(json.dumps({w: i for i, w in enumerate(words)}))
    return weights, dict(zip(words, table, strict=True))


GENSEN_WORDS = ["<s>", "<pad>", "</s>", "<unk>", "this", "is", "amy", "."]


def test_gensen_concatenates_the_last_states_of_two_models(tmp_path):
    names = ("nli_large_bothskip_parse", "nli_large_bothskip")
    parts = [gensen_part(tmp_path, name, GENSEN_WORDS, i) for i, name in enumerate(names)]
    encoder = open_encoder(f"gensen:{tmp_path}")
    rows = encoder.encode(SENTENCES)
    assert rows.shape == (4, 4 * HIDDEN)
    for text, row in zip(SENTENCES, rows, strict=True):
        expected = []
        for weights, table in parts:
            words = ["<s>", *(word.lower() for word in tokenize(text)), "</s>"]
            x = np.array([table.get(word, table["<unk>"]) for word in words])
            expected += [gru(x[::-1], weights, "_reverse")[-1], gru(x, weights, "")[-1]]
        np.testing.assert_allclose(row, np.hstack(expected), atol=1e-5)
    assert encoder.missing == ("John", "here", "zzz")


def test_gensen_can_pool_a_single_model_by_maximum(tmp_path):
    weights, table = gensen_part(tmp_path, "one", GENSEN_WORDS, 0)
    rows = open_encoder(f"gensen:{tmp_path / 'one.model'}?pool=max").encode(["amy"])
    states = both_directions(np.array([table[w] for w in ("<s>", "amy", "</s>")]), weights, gru)
    np.testing.assert_allclose(rows[0], states.max(axis=0), atol=1e-5)


def test_gensen_maps_unknown_words_from_other_vectors_by_a_linear_map(tmp_path, cache):
    rng = np.random.default_rng(9)
    weights, table = gensen_part(tmp_path, "one", [*GENSEN_WORDS, "a", "b", "c", "d", "e"], 0)
    own_rows = np.array(list(table.values()))
    matrix = rng.standard_normal((DIM, DIM))
    words = [*table, "john"]
    john = rng.standard_normal(DIM)
    other = Vectors.of(words, np.vstack([own_rows, john]) @ matrix + 0.5)
    encoder = GenSen([tmp_path / "one.model"], other)
    x = np.array([table["<s>"], john, table["</s>"]])
    expected = [gru(x[::-1], weights, "_reverse")[-1], gru(x, weights, "")[-1]]
    np.testing.assert_allclose(encode_all(encoder, ["john"])[0], np.hstack(expected), atol=1e-3)
    assert encoder.missing == ()
    assert encoder.fingerprint != GenSen([tmp_path / "one.model"]).fingerprint


def test_gensen_refuses_a_sentence_without_known_words(tmp_path, cache):
    gensen_part(tmp_path, "one", GENSEN_WORDS, 0)
    with pytest.raises(EncoderError, match="knows no word of 1 of 1 sentences: 'Zzz'"):
        encode_all(open_encoder(f"gensen:{tmp_path / 'one.model'}"), ["Zzz"])


def test_a_missing_or_pickled_vocabulary_of_gensen_is_refused_with_the_remedy(tmp_path):
    gensen_part(tmp_path, "one", GENSEN_WORDS, 0)
    (tmp_path / "one_vocab.json").rename(tmp_path / "one_vocab.pkl")
    with pytest.raises(PickleRefused, match=r"convert it once:\n    import json, pickle"):
        open_encoder(f"gensen:{tmp_path / 'one.model'}")
    (tmp_path / "one_vocab.pkl").unlink()
    with pytest.raises(SourceNotFound, match=r"no .*one_vocab.json"):
        open_encoder(f"gensen:{tmp_path / 'one.model'}")
    (tmp_path / "one_vocab.txt").write_text("\n".join(GENSEN_WORDS[:3]))
    with pytest.raises(BadContent, match=r"do not fit: .*<unk>"):
        open_encoder(f"gensen:{tmp_path / 'one.model'}").encode(["amy"])


FILTERS, PROJECTION, CELL = ((1, 3), (2, 4)), 5, 7


@pytest.fixture
def elmo(tmp_path):
    """Return random weights by name, and a file of them in the published layout."""
    h5py = pytest.importorskip("h5py", reason="needs 'weatherglass[formats]'")
    rng, width = np.random.default_rng(3), sum(n for _, n in FILTERS)
    weights = {
        "char_embed": rng.standard_normal((261, 4)),
        "CNN_proj/W_proj": rng.standard_normal((width, PROJECTION)),
        "CNN_proj/b_proj": rng.standard_normal(PROJECTION),
    }
    for i, (chars, count) in enumerate(FILTERS):
        weights[f"CNN/W_cnn_{i}"] = rng.standard_normal((1, chars, 4, count))
        weights[f"CNN/b_cnn_{i}"] = rng.standard_normal(count)
    for i in range(2):
        for part in ("carry", "transform"):
            weights[f"CNN_high_{i}/W_{part}"] = rng.standard_normal((width, width))
            weights[f"CNN_high_{i}/b_{part}"] = rng.standard_normal(width)
    for direction in range(2):
        for i in range(2):
            prefix = f"RNN_{direction}/RNN/MultiRNNCell/Cell{i}/LSTMCell/"
            weights[prefix + "W_0"] = rng.standard_normal((2 * PROJECTION, 4 * CELL))
            weights[prefix + "B"] = rng.standard_normal(4 * CELL)
            weights[prefix + "W_P_0"] = 2 * rng.standard_normal((CELL, PROJECTION))
    path = tmp_path / "small_weights.hdf5"
    with h5py.File(path, "w") as file:
        for name, array in weights.items():
            file[name] = array.astype(np.float32)
    return weights, path


def elmo_token(word, w):
    """Return the row of a word: convolution, highways, projection (Peters et al. 2018, 3.4)."""
    content = [word] if isinstance(word, int) else list(word.encode())[:48]
    ids = [258, *content, 259]
    x = w["char_embed"][ids + [260] * (50 - len(ids))]
    parts = []
    for i, (chars, _) in enumerate(FILTERS):
        windows = [
            np.tensordot(x[start : start + chars], w[f"CNN/W_cnn_{i}"][0], axes=([0, 1], [0, 1]))
            for start in range(50 - chars + 1)
        ]
        parts.append(np.maximum(np.max(windows, axis=0) + w[f"CNN/b_cnn_{i}"], 0))
    y = np.hstack(parts)
    for i in range(2):
        gate = sigmoid(y @ w[f"CNN_high_{i}/W_carry"] + w[f"CNN_high_{i}/b_carry"])
        new = np.maximum(y @ w[f"CNN_high_{i}/W_transform"] + w[f"CNN_high_{i}/b_transform"], 0)
        y = gate * new + (1 - gate) * y
    return y @ w["CNN_proj/W_proj"] + w["CNN_proj/b_proj"]


def elmo_layer(x, w, prefix):
    """Return the states of an LSTM with a projected and clipped state."""
    h, c, states = np.zeros(PROJECTION), np.zeros(CELL), []
    for row in x:
        i, j, f, o = np.split(np.hstack([row, h]) @ w[prefix + "W_0"] + w[prefix + "B"], 4)
        c = np.clip(sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j), -3, 3)
        h = np.clip((sigmoid(o) * np.tanh(c)) @ w[prefix + "W_P_0"], -3, 3)
        states.append(h)
    return np.array(states)


def elmo_layers(text, w):
    """Return the three layers of a sentence, without those of the sentence marks."""
    x = np.array([elmo_token(word, w) for word in (256, *tokenize(text), 257)])
    directions = []
    for direction, inputs in enumerate((x, x[::-1])):
        prefix = f"RNN_{direction}/RNN/MultiRNNCell/Cell{{}}/LSTMCell/"
        first = elmo_layer(inputs, w, prefix.format(0))
        second = elmo_layer(first, w, prefix.format(1)) + first
        directions.append([first, second] if not direction else [first[::-1], second[::-1]])
    layers = [np.hstack([x, x])]
    layers += [np.hstack(pair) for pair in zip(*directions, strict=True)]
    return np.array(layers)[:, 1:-1]


ELMO_SENTENCES = ["This is Amy.", "naïve", "a " + "very" * 20 + " long word", "x"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", lambda h: h.mean(1).sum(0)),
        ("?pool=max", lambda h: h.max(1).sum(0)),
        ("?pool=max&layer=concat", lambda h: h.max(1).ravel()),
        ("?layer=1", lambda h: h[1].mean(0)),
    ],
)
def test_elmo_equals_the_published_network_in_numpy(elmo, options, expected):
    weights, path = elmo
    rows = open_encoder(f"elmo:{path}{options}").encode(ELMO_SENTENCES)
    expected_rows = [expected(elmo_layers(text, weights)) for text in ELMO_SENTENCES]
    np.testing.assert_allclose(rows, expected_rows, atol=1e-4)


def test_elmo_reads_the_options_file_next_to_its_weights(elmo):
    path = elmo[1]
    default = open_encoder(f"elmo:{path}")
    options = {
        "lstm": {"use_skip_connections": True, "cell_clip": 3, "proj_clip": 3},
        "char_cnn": {"activation": "relu", "max_characters_per_token": 50},
    }
    options_path = path.with_name("small_options.json")
    options_path.write_text(json.dumps(options))
    np.testing.assert_array_equal(
        open_encoder(f"elmo:{path}").encode(ELMO_SENTENCES), default.encode(ELMO_SENTENCES)
    )
    options["lstm"]["proj_clip"] = 0.1
    options_path.write_text(json.dumps(options))
    clipped = open_encoder(f"elmo:{path}?layer=1").encode(ELMO_SENTENCES)
    assert np.abs(clipped).max() <= np.float32(0.1)
    options_path.write_text("{}")
    with pytest.raises(BadContent, match="does not hold ELMo's options"):
        open_encoder(f"elmo:{path}").encode(ELMO_SENTENCES)


def test_elmo_refuses_empty_sentences_and_files_that_are_not_elmo(elmo, tmp_path):
    with pytest.raises(EncoderError, match="finds no word in the sentence ' '"):
        open_encoder(f"elmo:{elmo[1]}").encode([" "])
    (tmp_path / "bad_weights.hdf5").write_bytes(b"no HDF5")
    with pytest.raises(BadContent, match="damaged or foreign HDF5 file"):
        open_encoder(f"elmo:{tmp_path / 'bad_weights.hdf5'}").encode(["a"])
    import h5py

    with h5py.File(tmp_path / "other.hdf5", "w") as file:
        file["x"] = [1.0]
    with pytest.raises(BadContent, match="does not hold ELMo's weights: 'x'"):
        open_encoder(f"elmo:{tmp_path / 'other.hdf5'}").encode(["a"])
