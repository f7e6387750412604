"""Parts of speech: real taggers if they are installed, otherwise the install command."""

import importlib.util
import re
import sys
from importlib.machinery import PathFinder

import pytest

from weatherglass.corpus import pos
from weatherglass.corpus.pos import part_of_speech
from weatherglass.errors import CannotMeasure, MissingExtra, UsageError, install_command

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
def test_hanta_tags_common_words():
    pytest.importorskip("HanTa", reason="needs the extra 'pos'")
    tags = part_of_speech([*EXPECTED, "john", "mother"], tagger="hanta")
    assert tags == EXPECTED | {"john": "PROPN"}


@pytest.mark.slow
def test_spacy_tags_words_if_a_model_is_installed():
    pytest.importorskip("spacy", reason="needs spaCy and one of its models")
    if not pos._spacy_models():
        pytest.skip("needs a spaCy model")
    tags = part_of_speech(EXPECTED)
    assert sum(tags[word] == tag for word, tag in EXPECTED.items()) >= len(EXPECTED) - 1
    assert tags.keys() == EXPECTED.keys()
    with pytest.raises(UsageError, match="no spaCy model 'en_none'"):
        part_of_speech(["a"], tagger="en_none")


def test_the_largest_spacy_model_of_the_language_is_the_default(monkeypatch):
    models = ["de_core_news_lg", "en_core_web_md", "en_core_web_sm", "en_core_web_trf"]
    monkeypatch.setattr(pos, "_spacy_models", lambda: models)
    assert pos._choose_model(None, "en") == "en_core_web_md"
    assert pos._choose_model(None, "de") == "de_core_news_lg"
    assert pos._choose_model("de_core_news_lg", "en") == "de_core_news_lg"
    with pytest.raises(CannotMeasure, match="no tagger of French"):
        pos._choose_model(None, "fr")


def test_hanta_tells_german_nouns_from_names():
    pytest.importorskip("HanTa", reason="needs the extra 'pos'")
    words = ["Mann", "Tochter", "Mädchen", "Berlin", "er", "arbeiten"]
    tags = part_of_speech(words, tagger="hanta", language="de")
    assert list(tags.values()) == ["NOUN", "NOUN", "NOUN", "PROPN", "PRON", "VERB"]


def test_a_missing_tagger_is_reported_with_the_install_command(monkeypatch):
    monkeypatch.setattr(pos, "_spacy_models", list)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=re.escape(install_command("pos"))):
        part_of_speech(["mother"])


def test_a_folder_named_like_a_tagger_does_not_count_as_installed(monkeypatch, tmp_path):
    for name in ("spacy", "HanTa"):
        (tmp_path / name).mkdir()
        for module in [key for key in sys.modules if key.partition(".")[0] == name]:
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setattr(sys, "meta_path", [PathFinder])
    with pytest.raises(MissingExtra, match=re.escape(install_command("pos"))):
        part_of_speech(["mother"])
    (tmp_path / "spacy" / "__init__.py").write_text("")
    with pytest.raises(MissingExtra, match=re.escape(install_command("pos"))):
        part_of_speech(["mother"])
