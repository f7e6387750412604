"""Parts of speech: real taggers where they are installed, and a plain word where they are not."""

import importlib.util
import re
import sys
from importlib.machinery import PathFinder

import pytest

from weatherglass.corpus import pos
from weatherglass.corpus.pos import part_of_speech
from weatherglass.errors import MissingExtra, UsageError, install_command

EXPECTED = {
    "mother": "NOUN",
    "kitchens": "NOUN",
    "beautiful": "ADJ",
    "ran": "VERB",
    "quickly": "ADV",
    "she": "PRON",
    "the": "DET",
}


@pytest.mark.slow
def test_hanta_knows_ordinary_words():
    pytest.importorskip("HanTa", reason="needs the extra 'pos'")
    found = part_of_speech([*EXPECTED, "john", "mother"], tagger="hanta")
    assert found == EXPECTED | {"john": "PROPN"}


@pytest.mark.slow
def test_spacy_is_used_where_a_model_is_installed():
    pytest.importorskip("spacy", reason="needs spaCy and one of its models")
    if not pos._spacy_models():
        pytest.skip("needs a spaCy model")
    found = part_of_speech(EXPECTED)
    assert sum(found[word] == tag for word, tag in EXPECTED.items()) >= len(EXPECTED) - 1
    assert found.keys() == EXPECTED.keys()
    with pytest.raises(UsageError, match="no spaCy model 'en_none'"):
        part_of_speech(["a"], tagger="en_none")


def test_the_largest_english_model_is_taken(monkeypatch):
    models = ["de_core_news_lg", "en_core_web_md", "en_core_web_sm", "en_core_web_trf"]
    monkeypatch.setattr(pos, "_spacy_models", lambda: models)
    assert pos._chosen(None) == "en_core_web_md"
    assert pos._chosen("de_core_news_lg") == "de_core_news_lg"


def test_without_a_tagger_the_package_to_install_is_named(monkeypatch):
    monkeypatch.setattr(pos, "_spacy_models", list)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=re.escape(install_command("pos"))):
        part_of_speech(["mother"])


def test_a_folder_that_is_called_like_a_tagger_is_none(monkeypatch, tmp_path):
    for name in ("spacy", "HanTa"):
        (tmp_path / name).mkdir()
        for module in [one for one in sys.modules if one.partition(".")[0] == name]:
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setattr(sys, "meta_path", [PathFinder])
    with pytest.raises(MissingExtra, match=re.escape(install_command("pos"))):
        part_of_speech(["mother"])
    (tmp_path / "spacy" / "__init__.py").write_text("")
    with pytest.raises(MissingExtra, match=re.escape(install_command("pos"))):
        part_of_speech(["mother"])
