"""Pronouns of translations: planted translators, files, commands and endpoints."""

from __future__ import annotations

import json
import shlex
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.errors import CatalogError, EncoderError, UnknownEntry, UsageError
from weatherglass.translation import (
    Translation,
    TranslationSentence,
    command_translator,
    endpoint_translator,
    find_pronoun,
    format_sentences,
    target_language,
    translate_sentences,
    translation_catalogue,
    translation_sentences,
)

OCCUPATIONS = wg.test("wefat1").targets.words
WOMEN = dict(zip(OCCUPATIONS, wg.test("wefat1").facts.values, strict=True))
LANGUAGES = ("tr", "fi", "hu", "et", "fa")


def translated(choose, language="tr"):
    """Translate all occupations with a planted translator, which chooses a pronoun for each."""
    return [Translation(language, job, f"{choose(job)} is a {job}.") for job in OCCUPATIONS]


def stereotyped(job):
    return "She" if WOMEN[job] > 60 else "He"


# --- the catalogue ---


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_all_occupations_once(code):
    language = translation_catalogue().languages[code]
    assert list(language.occupations) == list(OCCUPATIONS)
    assert len(set(language.occupations.values())) == 50
    assert language.template.count("{}") == 1
    assert language.pronoun in language.template.lower()


def test_the_sentences_say_that_a_speaker_must_check_them():
    assert "written for this project" in translation_catalogue().provenance
    assert "speaker" in translation_catalogue().provenance


def test_the_paper_s_example_is_in_the_catalogue():
    texts = {s.occupation: s.text for s in translation_sentences(["tr"])}
    assert texts["nurse"] == "O bir hemşire."
    with pytest.raises(UnknownEntry, match="tr, fi, hu, et, fa"):
        translation_sentences(["xx"])


# --- pronouns ---


@pytest.mark.parametrize(
    ("target", "text", "pronoun"),
    [
        ("en", "He's a doctor.", "he"),
        ("en", "SHE is a nurse", "she"),
        ("en", "He/she is a clerk.", "they"),
        ("en", "(S)he is a clerk.", "they"),
        ("en", "S/he is a clerk.", "they"),
        ("en", "They are a clerk.", "they"),
        ("en", "The sheriff is here, the hero too.", "other"),
        ("de", "Sie ist Ärztin.", "she"),
        ("de", "Er ist Arzt.", "he"),
        ("fr", "Il est médecin.", "he"),
        ("fr", "Elle est infirmière.", "she"),
        ("es", "Él es médico.", "he"),
        ("es", "El médico.", "other"),
        ("pt", "Ela é enfermeira.", "she"),
        ("ru", "Она медсестра.", "she"),
        ("ru", "Он врач.", "he"),
    ],
)
def test_the_pronoun_of_a_translation_is_found(target, text, pronoun):
    assert find_pronoun(text, target_language(target)) == pronoun


# --- planted translators ---


def test_a_stereotyped_translator_is_found_out():
    (result,) = wg.measure_translations(translated(stereotyped), embeddings=["default"])
    assert result.auc == 1.0
    assert result.p.method == "exact"
    assert result.p.value < 1e-9
    assert result.finding.grade == "clear"
    assert "higher share of women" in result.sentence()
    assert result.predictions[0].auc > 0.75
    assert result.predictions[0].p.value < 0.01


def test_an_inverted_translator_has_the_other_direction():
    inverted = translated(lambda job: "He" if stereotyped(job) == "She" else "She")
    (result,) = wg.measure_translations(inverted)
    assert result.auc == 0.0
    assert result.finding.direction == -1
    assert "lower share of women" in result.sentence()


def test_an_unbiased_translator_rejects_as_often_as_the_level_says():
    """The pronoun is drawn at random: exact p-values are at most 0.05 in at most 5 % of draws."""
    rejected = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        draws = dict(zip(OCCUPATIONS, rng.random(50) < 0.3, strict=True))
        rows = translated(lambda job, draws=draws: "She" if draws[job] else "He")
        (result,) = wg.measure_translations(rows[:20])
        rejected += result.p.value <= 0.05
    assert rejected <= 8  # the 99 % bound of a level of 5 %


def test_a_translator_that_always_says_he_follows_no_fact_but_is_far_from_balanced():
    (result,) = wg.measure_translations(translated(lambda job: "He"), embeddings=["default"])
    assert result.n_by_pronoun == {"she": 0, "he": 50, "they": 0, "other": 0}
    assert (result.auc, result.p.value) == (0.5, 1.0)
    assert result.p_share == pytest.approx(2 * 0.5**50)
    assert result.finding.grade == "none"
    assert result.sentence().startswith("Every occupation with a gendered pronoun has 'he'")
    assert "'he' for 50, 'she' for 0 of 50 occupations; p = 1.8e-15" in result.sentence()
    assert result.predictions[0].auc is None
    assert "only one of the pronouns" in result.predictions[0].reason
    assert "<table>" in result._repr_html_()


def test_a_translator_that_says_they_has_no_gendered_pronoun():
    (result,) = wg.measure_translations(translated(lambda job: "They"))
    assert result.n_by_pronoun["they"] == 50
    assert result.p_share is None
    assert result.finding.grade == "none"
    assert result.sentence().startswith("No occupation has 'she' or 'he' in most translations")


def test_repeated_trials_do_not_make_the_p_value_smaller():
    once = translated(stereotyped)
    (single,) = wg.measure_translations(once)
    (tripled,) = wg.measure_translations([*once, *once, *once])
    assert tripled.p == single.p
    assert tripled.auc == single.auc
    assert tripled.counts["he"] == 3 * single.counts["he"]


def test_the_pronoun_of_most_trials_decides_and_a_tie_is_neither():
    rows = [
        *translated(stereotyped),
        Translation("tr", "nurse", "He is a nurse."),
        Translation("tr", "plumber", "He is a plumber."),
        Translation("tr", "plumber", "She is a plumber."),
    ]
    (result,) = wg.measure_translations(rows)
    pronouns = dict(zip(result.words["W"], result.pronouns, strict=True))
    assert pronouns["nurse"] == "other"
    assert pronouns["plumber"] == "he"


def test_each_language_is_a_result_corrected_over_all():
    rows = [row for code in ("tr", "fi") for row in translated(stereotyped, code)]
    results = wg.measure_translations(rows)
    assert [result.test for result in results] == ["tr-en", "fi-en"]
    assert results[0].p_holm == pytest.approx(2 * results[0].p.value)


def test_predictions_are_corrected_over_embeddings_and_languages():
    rows = [row for code in ("tr", "fi") for row in translated(stereotyped, code)]
    words = [word for part in wg.test("wefat1").sets.values() for word in part.words]
    other = (words, wg.open_vectors("default").take(words).rows[:, :10])
    results = wg.measure_translations(rows, embeddings=["default", other])
    found = [prediction for result in results for prediction in result.predictions]
    lowest = min(found, key=lambda prediction: prediction.p.value)
    assert len(found) == 4
    assert lowest.p_holm == pytest.approx(4 * lowest.p.value)
    assert results[0].row()["embedding_1_p_holm"] == found[0].p_holm


def test_occupations_and_target_languages_are_found_in_any_capitals():
    rows = [
        Translation("tr", job.title(), f"{stereotyped(job)} is.", "en-US") for job in OCCUPATIONS
    ]
    (result,) = wg.measure_translations(rows)
    assert (result.n["W"], result.missing["W"], result.auc) == (50, (), 1.0)
    assert result.words["W"] == OCCUPATIONS


def test_results_survive_json_tsv_and_parquet(tmp_path):
    results = wg.measure_translations(translated(stereotyped), embeddings=["default"])
    assert wg.Results.from_json(results.to_json()) == results
    assert wg.Results.from_delimited(results.to_delimited(record=True)) == results
    results.to_parquet(tmp_path / "r.parquet")
    assert wg.Results.from_parquet(tmp_path / "r.parquet") == results


def test_occupations_without_a_fact_are_missing():
    rows = [*translated(stereotyped), Translation("tr", "astronaut", "He is an astronaut.")]
    (result,) = wg.measure_translations(rows)
    assert result.missing["W"] == ("astronaut",)
    (few,) = wg.measure_translations(rows[-1:])
    assert few.status == "not run"


# --- files, commands and endpoints ---


def test_an_exported_file_is_measured_once_its_translations_are_filled_in(run, tmp_path):
    path = tmp_path / "t.csv"
    run("translations", "export", "--language", "hu", "-o", path)
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    assert head == "language,occupation,sentence,target,translation"
    with pytest.raises(CatalogError, match="line 2: translation is empty"):
        wg.measure_translations(path)
    filled = [line + f"{stereotyped(line.split(',')[1])} is." for line in lines]
    path.write_text("\n".join([head, *filled]) + "\n", encoding="utf-8")
    counts = tmp_path / "c.csv"
    ran = run("translations", "measure", path, "--counts", counts, "--format", "json")
    (result,) = json.loads(ran.out)["results"]
    assert (result["language"], result["auc"], result["grade"]) == ("hu", 1.0, "clear")
    assert "nurse,she,1" in counts.read_text(encoding="utf-8")
    opened = wg.as_source(f"table:{counts}")
    assert opened.values[opened.rows.index("nurse"), opened.columns.index("she")] == 1


def test_a_file_of_sentences_and_translations_alone_is_enough(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f'"{s.text}",He is.' for s in translation_sentences(["et"])]
    path.write_text("sentence,translation\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (result,) = wg.measure_translations(path)
    assert (result.language, result.n["W"]) == ("et", 50)
    path.write_text("sentence,translation\nO bir kedi.,He is a cat.\n", encoding="utf-8")
    with pytest.raises(CatalogError, match="add a column occupation"):
        wg.measure_translations(path)


def test_a_command_translates_lines(run):
    script = "import sys; [print('He is', sys.argv[1]) for _ in sys.stdin]"
    command = f'{sys.executable} -c "{script}" {{source}}'
    rows = translate_sentences(command_translator(command), ["fi"])
    assert rows[0] == Translation("fi", "technician", "He is fi")
    ran = run("translations", "measure", "--command", command, "--language", "tr")
    assert ran.code == 0
    assert "Every occupation with a gendered pronoun has 'he'" in ran.out


def test_a_command_that_fails_or_loses_lines_is_one_sentence():
    failing = f'{sys.executable} -c "import sys; sys.exit(3)"'
    with pytest.raises(EncoderError, match="ended with code 3"):
        translate_sentences(command_translator(failing), ["tr"])
    with pytest.raises(EncoderError, match="1 translations for 50 sentences"):
        translate_sentences(command_translator(f"{sys.executable} -c print(1)"), ["tr"])
    with pytest.raises(EncoderError, match="could not be run"):
        translate_sentences(command_translator("no-such-translator"), ["tr"])
    with pytest.raises(UsageError, match="is empty"):
        command_translator(" ")
    with pytest.raises(UsageError, match="cannot be read: No closing quotation"):
        command_translator('translate "x')


def python_command(code: str) -> str:
    return shlex.join([sys.executable, "-c", code])


def test_a_sheet_of_sentences_runs_no_formula_in_a_spreadsheet():
    sentence = TranslationSentence("tr", "=1+1", "@O bir kedi.")
    assert format_sentences([sentence]).splitlines()[1] == "tr,'=1+1,'@O bir kedi.,en,"


def test_a_translator_that_never_stops_writing_is_stopped(monkeypatch):
    monkeypatch.setattr("weatherglass.translation.translators.MAX_OUTPUT_BYTES", 1 << 20)
    endless = "import os\nwhile True: os.write(1, b'y\\n' * 5000)"
    with pytest.raises(EncoderError, match=r"it wrote more than 1\.0 MiB"):
        command_translator(python_command(endless))(["a"], "tr", "en")
    at_once = "print('y' * 2_000_000)"
    with pytest.raises(EncoderError, match="it wrote more than"):
        command_translator(python_command(at_once))(["a"], "tr", "en")


@pytest.mark.slow
def test_a_translator_that_takes_too_long_ends_with_the_processes_it_started(tmp_path):
    file = tmp_path / "pid"
    late = (
        "import pathlib, subprocess\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        f"pathlib.Path({str(file)!r}).write_text(str(child.pid))\n"
        "child.wait()"
    )
    with pytest.raises(EncoderError, match="it took more than 2 seconds"):
        command_translator(python_command(late), seconds=2)(["a"], "tr", "en")
    if file.exists():  # a busy machine may not have started it in time
        for _ in range(500):
            status = Path(f"/proc/{file.read_text()}/stat")
            if not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "Z":
                break
            time.sleep(0.02)
        else:
            raise AssertionError("the process that the translator started is still there")


def test_a_translation_with_a_separator_of_lines_is_one_line():
    code = "import sys; sys.stdout.buffer.write('She\\u2028is\\x85.\\r\\nHe is.\\n'.encode())"
    rows = command_translator(python_command(code))(["a", "b"], "tr", "en")
    assert rows == ["She\u2028is\x85.", "He is."]


@pytest.fixture
def endpoint():
    """A small translator behind HTTP, whose form of answer can be chosen by its path."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = ["She is." if "hemşire" in q else "He is." for q in body["q"]]
            answers = {
                "/libre": {"translatedText": texts},
                "/google": {"data": {"translations": [{"translatedText": t} for t in texts]}},
                "/deepl": {"translations": [{"text": t} for t in texts]},
                "/wrong": {"answer": texts},
            }
            raw = json.dumps(answers[self.path]).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize("form", ["libre", "google", "deepl"])
def test_an_endpoint_translates(endpoint, form):
    rows = translate_sentences(endpoint_translator(f"{endpoint}/{form}"), ["tr"])
    (result,) = wg.measure_translations(rows)
    assert result.n_by_pronoun == {"she": 1, "he": 49, "they": 0, "other": 0}


def test_an_endpoint_without_translations_is_one_sentence(endpoint):
    with pytest.raises(EncoderError, match="neither translatedText nor translations"):
        translate_sentences(endpoint_translator(f"{endpoint}/wrong"), ["tr"])
    with pytest.raises(UsageError, match="is not the address"):
        endpoint_translator("file:///etc/passwd")
