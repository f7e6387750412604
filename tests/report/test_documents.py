"""`report --as model-card` and `--as evidence`: complete, safe Markdown that claims no more."""

import hashlib
import json
import re

import numpy as np
import pytest
import yaml

import weatherglass as wg
from weatherglass.report import AuditResult, evidence, model_card
from weatherglass.report.audit.clauses import TEXTS
from weatherglass.report.markdown import markdown_text, yaml_number, yaml_text

HOSTILE = "a|b <script>alert(1)</script> `x` [y](http://z) $m$ \x1b[31m\n\n# head\n---"


def audit_of(results, name="default"):
    about = {
        "sources": [{"name": name, "kind": "vectors", "fingerprint": "f" * 32}],
        "options": {"rng": 3},
        "suite": {"id": "mine", "title": "Mine"},
        "command": f"weatherglass audit {name}",
        "steps": [],
    }
    return AuditResult(about, wg.Results.of(results).correct())


@pytest.fixture(scope="module")
def audited():
    vectors = wg.open_vectors("default")
    return audit_of([wg.weat(vectors, id) for id in ("weat1", "weat6")])


def front_matter(card):
    assert card.startswith("---\n")
    return yaml.safe_load(card.split("\n---\n")[0].removeprefix("---\n"))


def test_the_metadata_has_the_numbers_of_every_test(audited):
    data = front_matter(model_card(audited))
    (model,) = data["model-index"]
    measured = {
        result["dataset"]["type"]: {m["type"]: m["value"] for m in result["metrics"]}
        for result in model["results"]
    }
    for result in audited.results:
        assert measured[result.test]["effect_size"] == result.effect
        assert measured[result.test]["p_value_corrected"] == result.p_finding


def test_the_hub_library_reads_the_metadata(audited):
    hub = pytest.importorskip("huggingface_hub", reason="needs pip install '.[transformers]'")
    card = hub.ModelCard(model_card(audited))
    results = {result.dataset_type: result for result in card.data.eval_results}
    assert card.data.model_name == "default"
    assert set(results) == {"weat1", "weat6"}


def test_the_card_says_findings_in_sentences_and_shows_the_table(audited):
    card = model_card(audited)
    assert "Male names are more strongly associated with career words" in card
    assert "| weat6 | Male vs female names, career vs family | 1.71 |" in card
    assert "- Control, clear. Flowers are more strongly associated" in card
    assert "two-sided" in card
    assert "fingerprint" in card.lower()


def test_a_reversed_effect_is_a_finding_that_says_so():
    test = wg.test("weat6")
    swapped = test.model_copy(update={"x": test.y, "y": test.x})
    card = model_card(audit_of([wg.weat(wg.open_vectors("default"), swapped)]))
    (line,) = [line for line in card.splitlines() if "Effect −1.71" in line]
    assert "associated with family words" in line
    assert "No test" not in card


def test_tiny_p_values_stay_numbers_in_yaml():
    for value in (1e-9, 1e22, 5e-324, 0.0, 1.5):
        assert yaml.safe_load(yaml_number(value)) == value


@pytest.mark.parametrize(
    "text", [HOSTILE, "a: b #c", '"', "\\", "é🙂\u2028\x85\ufeff", "- x", "~", "null", "\x00\x7f"]
)
def test_any_text_survives_yaml(text):
    assert yaml.safe_load(yaml_text(text)) == text
    assert "\n" not in yaml_text(text)


def test_bytes_that_are_not_text_do_not_break_yaml():
    yaml.safe_load(yaml_text("caf\udce9")).encode()


@pytest.fixture(scope="module")
def hostile():
    """An audit of vectors and a test whose every name is an attack on Markdown."""
    rng = np.random.default_rng(0)
    words = [f"{HOSTILE}{k}" for k in range(8)]
    vectors = wg.Vectors.of(words, rng.normal(size=(8, 3)))
    test = wg.Test(id="mine|x", title=HOSTILE, x=words[:2], y=words[2:4], a=words[4:6], b=words[6:])
    return audit_of([wg.weat(vectors, test)], name=HOSTILE)


@pytest.mark.parametrize("write", [model_card, evidence])
def test_no_word_breaks_out_of_its_place(hostile, write):
    text = write(hostile)
    body = text.split("\n---\n", 1)[-1] if write is model_card else text
    assert "\x1b" not in text
    assert not re.search(r"(?<![\\`])<script", re.sub(r"(`+) .*? \1", "", body))
    assert not any(line.startswith("# head") for line in body.splitlines())
    for table in re.findall(r"(?:^\|.*\n)+", body, flags=re.MULTILINE):
        columns = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(columns) == 1, table
    if write is model_card:
        assert front_matter(text)["model-index"][0]["results"][0]["dataset"]["type"] == "mine|x"


def test_slurs_are_masked_unless_they_are_wanted():
    words = ["redneck", "hick", "rose", "lily", "kind", "good", "foul", "bad"]
    vectors = wg.Vectors.of(words, np.random.default_rng(0).normal(size=(8, 3)))
    test = wg.Test(title="redneck", x=words[:2], y=words[2:4], a=words[4:6], b=words[6:])
    audited = audit_of([wg.weat(vectors, test)])
    for write in (model_card, evidence):
        assert "redneck" not in write(audited)
        assert "redneck" in write(audited, show_slurs=True)


def test_evidence_lists_every_word_that_was_used_or_missing(audited):
    text = evidence(audited, digests={"run.json": "0" * 64})
    for result in audited.results:
        for words in (*result.words.values(), *result.missing.values()):
            for word in words:
                assert re.search(rf"\b{re.escape(word)}\b", text), word
    for needed in ("f" * 32, "0" * 64, "Random seed: 3", wg.__version__, "weatherglass audit"):
        assert needed in text


def test_evidence_names_the_words_behind_sentences():
    results = wg.seat(wg.open_encoder("cbow:default"), "sent-weat6")
    text = evidence(audit_of(results, "cbow:default"))
    assert "Amy, Joan, Lisa" in text
    assert "in sentences such as: This is Amy." in text


def test_a_source_without_results_says_so():
    vectors = wg.Vectors.of(["a", "b"], [[1.0, 0.0], [0.0, 1.0]])
    audited = audit_of([wg.weat(vectors, "weat6")])
    for write in (model_card, evidence):
        text = write(audited)
        assert "No test has a result." in text
        assert "missing" in text
    assert "model-index" not in front_matter(model_card(audited))


def test_evidence_claims_no_compliance():
    text = evidence(audit_of([]))
    assert "no statement about compliance" in text
    without_disclaimer = text.replace("no statement about compliance", "")
    assert not re.search(r"\b(compl(y|ies|iant|iance)|conform|satisf|fulfil)", without_disclaimer)


def test_every_text_is_mapped_and_every_clause_says_what_is_missing():
    places = " ".join(clause.place for text in TEXTS for clause in text.clauses)
    for place in ("Article 10(2)(f)", "Annex IV, point 2(g)", "MEASURE 2.11", "§ 5-301"):
        assert place in places
    for text in TEXTS:
        for clause in text.clauses:
            assert all(part.endswith(".") for part in (clause.asks, clause.contributes))
            assert clause.missing
    # New York's law asks for rates of selection, to which associations of words add nothing.
    assert all(clause.contributes.startswith("Nothing") for clause in TEXTS[-1].clauses)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("audits")
    suite = place / "mine.yaml"
    suite.write_text(
        "id: mine\ntitle: Mine\nsteps:\n  - {run: weat, title: Tests, tests: [weat6]}\n"
    )
    wg.audit("default", out=place / "run", suite=suite)
    return place / "run"


def test_the_command_prints_or_writes_the_documents(run, folder, tmp_path):
    card = run("report", folder, "--as", "model-card")
    assert card.out.startswith("---\ntags:")
    ran = run("report", folder, "--as", "evidence", "-o", tmp_path / "evidence.md")
    assert (ran.code, ran.out) == (0, "")
    digest = hashlib.sha256((folder / "results.json").read_bytes()).hexdigest()
    assert digest in (tmp_path / "evidence.md").read_text(encoding="utf-8")
    started = json.loads((folder / "run.json").read_text())["started"]
    assert started[:19].replace("T", " ") in card.out


@pytest.mark.parametrize("option", [["--table"], ["--figures"], ["--format", "json"]])
def test_options_of_other_outputs_are_refused(run, folder, option):
    ran = run("report", folder, "--as", "model-card", *option)
    assert ran.code == 2
    assert "--as model-card goes without" in ran.err


def test_escaping_is_idempotent_on_plain_text():
    assert markdown_text("Male vs female names, career vs family") == (
        "Male vs female names, career vs family"
    )
