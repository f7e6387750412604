"""InferSent, GenSen and ELMo on small weights of the published shape, against plain numpy."""

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

TEXTS = ["This is Amy.", "Amy", "This is John here.", "John zzz Amy"]
WORDS = ["<s>", "</s>", "This", "is", "Amy", "John", ".", "this"]
DIM, HIDDEN = 6, 4
RNG = np.random.default_rng(5)
VECTORS = Vectors.of(WORDS, RNG.standard_normal((len(WORDS), DIM)))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_weights(gates, hidden=HIDDEN, dim=DIM):
    return {
        f"{kind}_l0{end}": RNG.standard_normal(shape) * 0.5
        for end in ("", "_reverse")
        for kind, shape in (
            ("weight_ih", (gates * hidden, dim)),
            ("weight_hh", (gates * hidden, hidden)),
            ("bias_ih", (gates * hidden,)),
            ("bias_hh", (gates * hidden,)),
        )
    }


def saved(path, weights, prefix):
    torch.save({prefix + k: torch.tensor(v, dtype=torch.float32) for k, v in weights.items()}, path)
    return path


def lstm(x, w, end):
    """One direction, PyTorch's gates: input, forget, cell, output."""
    h, c, made = np.zeros(HIDDEN), np.zeros(HIDDEN), []
    for row in x:
        gates = w[f"weight_ih_l0{end}"] @ row + w[f"bias_ih_l0{end}"]
        gates = gates + w[f"weight_hh_l0{end}"] @ h + w[f"bias_hh_l0{end}"]
        i, f, g, o = np.split(gates, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        made.append(h)
    return np.array(made)


def gru(x, w, end):
    """One direction, PyTorch's gates: reset, update, new."""
    h, made = np.zeros(HIDDEN), []
    for row in x:
        a = w[f"weight_ih_l0{end}"] @ row + w[f"bias_ih_l0{end}"]
        b = w[f"weight_hh_l0{end}"] @ h + w[f"bias_hh_l0{end}"]
        (ar, az, an), (br, bz, bn) = np.split(a, 3), np.split(b, 3)
        r, z = sigmoid(ar + br), sigmoid(az + bz)
        h = (1 - z) * np.tanh(an + r * bn) + z * h
        made.append(h)
    return np.array(made)


def both(x, w, cell):
    return np.hstack([cell(x, w, ""), cell(x[::-1], w, "_reverse")[::-1]])


@pytest.fixture
def infersent(tmp_path):
    weights = lstm_weights(4)
    return weights, saved(tmp_path / "infersent1.pkl", weights, "enc_lstm.")


@pytest.mark.parametrize("how", ["max", "mean"])
def test_infersent(infersent, how):
    weights, path = infersent
    rows = InferSent(path, VECTORS, pool=how).encode(TEXTS)
    for text, row in zip(TEXTS, rows, strict=True):
        words = ["<s>", *tokenize(text), "</s>"]
        states = both(VECTORS.take(words).rows.astype(float), weights, lstm)
        np.testing.assert_allclose(row, getattr(states, how)(axis=0), atol=1e-5)


def test_infersent_lists_missing_words_and_knows_when_it_knows_nothing(infersent, cache):
    encoder = InferSent(infersent[1], VECTORS)
    with pytest.raises(EncoderError, match="knows no word of 1 of 2 sentences: 'Zzz'"):
        encode_all(encoder, ["This is Zzz.", "Zzz"])
    assert encoder.missing == ("Zzz",)


def test_infersent_reads_only_the_rows_it_needs(infersent, tmp_path, cache):
    vectors = tmp_path / "v.txt"
    table = zip(WORDS, VECTORS.matrix.tolist(), strict=True)
    vectors.write_text("".join(f"{w} {' '.join(map(repr, row))}\n" for w, row in table))
    encoder = open_encoder(f"infersent:{infersent[1]}?vectors={vectors}")
    np.testing.assert_allclose(
        encode_all(encoder, TEXTS), InferSent(infersent[1], VECTORS).encode(TEXTS), atol=1e-6
    )
    assert encoder.missing == ("here", "zzz")


def test_the_old_and_the_new_file_of_pytorch(infersent, tmp_path):
    _, path = infersent
    old = tmp_path / "old.pkl"
    torch.save(torch.load(path, weights_only=True), old, _use_new_zipfile_serialization=False)
    np.testing.assert_array_equal(
        InferSent(old, VECTORS).encode(TEXTS), InferSent(path, VECTORS).encode(TEXTS)
    )


def test_wrong_weights(infersent, tmp_path):
    _, path = infersent
    narrow = Vectors.of(["Amy"], [[1, 2]])
    with pytest.raises(BadContent, match="wants word vectors of 6 numbers, and memory has 2"):
        InferSent(path, narrow).encode(["Amy"])
    other = saved(tmp_path / "other.pkl", lstm_weights(3), "enc_lstm.")
    with pytest.raises(BadContent, match="does not hold the weights of a LSTM"):
        InferSent(other, VECTORS).encode(["Amy"])
    torch.save([1, 2], tmp_path / "list.pkl")
    with pytest.raises(BadContent, match="holds no state_dict"):
        InferSent(tmp_path / "list.pkl", VECTORS).encode(["Amy"])
    with pytest.raises(SourceNotFound, match="no file of weights"):
        open_encoder(f"infersent:{tmp_path / 'none'}?vectors=default")


class Evil:
    """Runs code when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, (str(Evil.mark),)


def test_a_whole_model_in_a_pickle_is_refused_and_does_not_run(tmp_path):
    Evil.mark = tmp_path / "it ran"
    torch.save(Evil(), tmp_path / "infersent.allnli.pickle")
    with pytest.raises(PickleRefused, match="holds more than weights"):
        InferSent(tmp_path / "infersent.allnli.pickle", VECTORS).encode(["Amy"])
    assert not Evil.mark.exists()


def gensen_part(folder, name, words, seed):
    weights = lstm_weights(3)
    table = np.random.default_rng(seed).standard_normal((len(words), DIM))
    tensors = {f"encoder.{k}": v for k, v in weights.items()} | {"src_embedding.weight": table}
    saved(folder / f"{name}.model", tensors, "")
    (folder / f"{name}_vocab.json").write_text(json.dumps({w: i for i, w in enumerate(words)}))
    return weights, dict(zip(words, table, strict=True))


GENSEN = ["<s>", "<pad>", "</s>", "<unk>", "this", "is", "amy", "."]


def test_gensen_is_two_models_side_by_side(tmp_path):
    names = ("nli_large_bothskip_parse", "nli_large_bothskip")
    parts = [gensen_part(tmp_path, name, GENSEN, i) for i, name in enumerate(names)]
    encoder = open_encoder(f"gensen:{tmp_path}")
    rows = encoder.encode(TEXTS)
    assert rows.shape == (4, 4 * HIDDEN)
    for text, row in zip(TEXTS, rows, strict=True):
        expected = []
        for weights, table in parts:
            words = ["<s>", *(word.lower() for word in tokenize(text)), "</s>"]
            x = np.array([table.get(word, table["<unk>"]) for word in words])
            expected += [gru(x[::-1], weights, "_reverse")[-1], gru(x, weights, "")[-1]]
        np.testing.assert_allclose(row, np.hstack(expected), atol=1e-5)
    assert encoder.missing == ("John", "here", "zzz")


def test_gensen_max_pooling_of_one_model(tmp_path):
    weights, table = gensen_part(tmp_path, "one", GENSEN, 0)
    rows = open_encoder(f"gensen:{tmp_path / 'one.model'}?pool=max").encode(["amy"])
    states = both(np.array([table[w] for w in ("<s>", "amy", "</s>")]), weights, gru)
    np.testing.assert_allclose(rows[0], states.max(axis=0), atol=1e-5)


def test_gensen_carries_unknown_words_over_by_a_linear_map(tmp_path, cache):
    rng = np.random.default_rng(9)
    weights, table = gensen_part(tmp_path, "one", [*GENSEN, "a", "b", "c", "d", "e"], 0)
    own = np.array(list(table.values()))
    back = rng.standard_normal((DIM, DIM))
    words = [*table, "john"]
    john = rng.standard_normal(DIM)
    others = Vectors.of(words, np.vstack([own, john]) @ back + 0.5)
    encoder = GenSen([tmp_path / "one.model"], others)
    x = np.array([table["<s>"], john, table["</s>"]])
    expected = [gru(x[::-1], weights, "_reverse")[-1], gru(x, weights, "")[-1]]
    np.testing.assert_allclose(encode_all(encoder, ["john"])[0], np.hstack(expected), atol=1e-3)
    assert encoder.missing == ()
    assert encoder.fingerprint != GenSen([tmp_path / "one.model"]).fingerprint


def test_gensen_knows_when_it_knows_nothing(tmp_path, cache):
    gensen_part(tmp_path, "one", GENSEN, 0)
    with pytest.raises(EncoderError, match="knows no word of 1 of 1 sentences: 'Zzz'"):
        encode_all(open_encoder(f"gensen:{tmp_path / 'one.model'}"), ["Zzz"])


def test_gensen_words_in_a_pickle_are_refused_with_the_way_out(tmp_path):
    gensen_part(tmp_path, "one", GENSEN, 0)
    (tmp_path / "one_vocab.json").rename(tmp_path / "one_vocab.pkl")
    with pytest.raises(PickleRefused, match=r"convert it once:\n    import json, pickle"):
        open_encoder(f"gensen:{tmp_path / 'one.model'}")
    (tmp_path / "one_vocab.pkl").unlink()
    with pytest.raises(SourceNotFound, match=r"no .*one_vocab.json"):
        open_encoder(f"gensen:{tmp_path / 'one.model'}")
    (tmp_path / "one_vocab.txt").write_text("\n".join(GENSEN[:3]))
    with pytest.raises(BadContent, match=r"do not fit: .*<unk>"):
        open_encoder(f"gensen:{tmp_path / 'one.model'}").encode(["amy"])


FILTERS, PROJECTION, CELL = ((1, 3), (2, 4)), 5, 7


@pytest.fixture
def elmo(tmp_path):
    """Weights in the published layout, and by name."""
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
            own = f"RNN_{direction}/RNN/MultiRNNCell/Cell{i}/LSTMCell/"
            weights[own + "W_0"] = rng.standard_normal((2 * PROJECTION, 4 * CELL))
            weights[own + "B"] = rng.standard_normal(4 * CELL)
            weights[own + "W_P_0"] = 2 * rng.standard_normal((CELL, PROJECTION))
    path = tmp_path / "small_weights.hdf5"
    with h5py.File(path, "w") as file:
        for name, array in weights.items():
            file[name] = array.astype(np.float32)
    return weights, path


def elmo_token(word, w):
    """Characters, convolution, highway, projection (Peters et al. 2018, section 3.4)."""
    inside = [word] if isinstance(word, int) else list(word.encode())[:48]
    ids = [258, *inside, 259]
    x = w["char_embed"][ids + [260] * (50 - len(ids))]
    parts = []
    for i, (chars, _) in enumerate(FILTERS):
        windows = [
            np.tensordot(x[at : at + chars], w[f"CNN/W_cnn_{i}"][0], axes=([0, 1], [0, 1]))
            for at in range(50 - chars + 1)
        ]
        parts.append(np.maximum(np.max(windows, axis=0) + w[f"CNN/b_cnn_{i}"], 0))
    y = np.hstack(parts)
    for i in range(2):
        gate = sigmoid(y @ w[f"CNN_high_{i}/W_carry"] + w[f"CNN_high_{i}/b_carry"])
        new = np.maximum(y @ w[f"CNN_high_{i}/W_transform"] + w[f"CNN_high_{i}/b_transform"], 0)
        y = gate * new + (1 - gate) * y
    return y @ w["CNN_proj/W_proj"] + w["CNN_proj/b_proj"]


def elmo_layer(x, w, own):
    h, c, made = np.zeros(PROJECTION), np.zeros(CELL), []
    for row in x:
        i, j, f, o = np.split(np.hstack([row, h]) @ w[own + "W_0"] + w[own + "B"], 4)
        c = np.clip(sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j), -3, 3)
        h = np.clip((sigmoid(o) * np.tanh(c)) @ w[own + "W_P_0"], -3, 3)
        made.append(h)
    return np.array(made)


def elmo_layers(text, w):
    x = np.array([elmo_token(word, w) for word in (256, *tokenize(text), 257)])
    directions = []
    for direction, inputs in enumerate((x, x[::-1])):
        own = f"RNN_{direction}/RNN/MultiRNNCell/Cell{{}}/LSTMCell/"
        first = elmo_layer(inputs, w, own.format(0))
        second = elmo_layer(first, w, own.format(1)) + first
        directions.append([first, second] if not direction else [first[::-1], second[::-1]])
    layers = [np.hstack([x, x])]
    layers += [np.hstack(pair) for pair in zip(*directions, strict=True)]
    return np.array(layers)[:, 1:-1]


LONG = ["This is Amy.", "naïve", "a " + "very" * 20 + " long word", "x"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", lambda h: h.mean(1).sum(0)),
        ("?pool=max", lambda h: h.max(1).sum(0)),
        ("?pool=max&layer=concat", lambda h: h.max(1).ravel()),
        ("?layer=1", lambda h: h[1].mean(0)),
    ],
)
def test_elmo(elmo, options, expected):
    weights, path = elmo
    rows = open_encoder(f"elmo:{path}{options}").encode(LONG)
    wanted = [expected(elmo_layers(text, weights)) for text in LONG]
    np.testing.assert_allclose(rows, wanted, atol=1e-4)


def test_elmo_takes_the_options_beside_it(elmo):
    path = elmo[1]
    plain = open_encoder(f"elmo:{path}")
    options = {
        "lstm": {"use_skip_connections": True, "cell_clip": 3, "proj_clip": 3},
        "char_cnn": {"activation": "relu", "max_characters_per_token": 50},
    }
    beside = path.with_name("small_options.json")
    beside.write_text(json.dumps(options))
    np.testing.assert_array_equal(open_encoder(f"elmo:{path}").encode(LONG), plain.encode(LONG))
    options["lstm"]["proj_clip"] = 0.1
    beside.write_text(json.dumps(options))
    clipped = open_encoder(f"elmo:{path}?layer=1").encode(LONG)
    assert np.abs(clipped).max() <= np.float32(0.1)
    beside.write_text("{}")
    with pytest.raises(BadContent, match="does not hold ELMo's options"):
        open_encoder(f"elmo:{path}").encode(LONG)


def test_elmo_files_that_are_none(elmo, tmp_path):
    with pytest.raises(EncoderError, match="has no word for the sentence ' '"):
        open_encoder(f"elmo:{elmo[1]}").encode([" "])
    (tmp_path / "bad_weights.hdf5").write_bytes(b"no HDF5")
    with pytest.raises(BadContent, match="damaged or foreign"):
        open_encoder(f"elmo:{tmp_path / 'bad_weights.hdf5'}").encode(["a"])
    import h5py

    with h5py.File(tmp_path / "other.hdf5", "w") as file:
        file["x"] = [1.0]
    with pytest.raises(BadContent, match="does not hold ELMo's weights: 'x'"):
        open_encoder(f"elmo:{tmp_path / 'other.hdf5'}").encode(["a"])
