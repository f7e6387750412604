"""One grammar for the names of encoders, and clear sentences about wrong ones."""

from importlib.metadata import EntryPoint

import pytest

from weatherglass.encoders import Encoder, encoder, open_encoder, schemes
from weatherglass.errors import SourceNotFound, UsageError

BUILT_IN = [
    *("cbow", "elmo", "gensen", "hf", "http", "https"),
    *("infersent", "onnx", "st", "static", "use", "vectors"),
]


def test_the_built_in_schemes_are_entry_points():
    assert set(BUILT_IN) <= set(schemes())


@pytest.mark.parametrize("scheme", BUILT_IN)
def test_every_scheme_can_be_imported_without_its_package(scheme):
    assert callable(encoder._entry_points()[scheme].load())


@pytest.mark.parametrize("scheme", BUILT_IN)
def test_every_scheme_needs_a_model_name(scheme):
    with pytest.raises(UsageError, match="names no model"):
        open_encoder(f"{scheme}:")


def test_an_unknown_scheme_suggests_a_similar_one():
    with pytest.raises(SourceNotFound, match=r"'cbwo'. Did you mean cbow?"):
        open_encoder("cbwo:default")
    with pytest.raises(SourceNotFound, match="Known schemes: cbow, elmo"):
        open_encoder("quantum:cat")


def test_an_encoder_object_is_returned_unchanged(counting):
    encoder = counting()
    assert open_encoder(encoder) is encoder
    with pytest.raises(UsageError, match="int is not an encoder"):
        open_encoder(3)


def test_encoders_of_other_packages_open_by_their_scheme(monkeypatch, counting):
    points = [EntryPoint("mine", f"{__name__}:unused", encoder.GROUP)]
    monkeypatch.setattr(
        EntryPoint, "load", lambda self: lambda spec: counting(fingerprint=spec.rest)
    )
    monkeypatch.setattr(encoder, "entry_points", lambda group: points)
    opened = open_encoder("mine:model?x=1")
    assert isinstance(opened, Encoder)
    assert opened.fingerprint == "model"


@pytest.mark.parametrize(
    ("mark", "scheme"),
    [
        ("modules.json", "st"),
        ("config.json", "hf"),
        ("model.onnx", "onnx"),
        ("saved_model.pb", "use"),
    ],
)
def test_a_folder_without_a_scheme_suggests_its_scheme(tmp_path, mark, scheme):
    (tmp_path / mark).write_text("{}")
    with pytest.raises(UsageError, match=f"write {scheme}:"):
        open_encoder(str(tmp_path))


def test_a_file_or_name_without_a_scheme_is_explained(tmp_path):
    (tmp_path / "v.txt").write_text("a 1 2\n")
    with pytest.raises(UsageError, match=r"write cbow:.* or vectors:"):
        open_encoder(str(tmp_path / "v.txt"))
    with pytest.raises(
        UsageError, match="write scheme: before it, where scheme is one of cbow, elmo"
    ):
        open_encoder("bert")
