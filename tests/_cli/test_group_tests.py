"""Tests of several groups on the command line, in files, audits, checks and comparisons."""

import json

import numpy as np
import pytest

import weatherglass as wg
from weatherglass.auditing import steps
from weatherglass.catalog import Step, Suite, load_tests
from weatherglass.report import AuditResult, audit_page

FILE = """
tests:
  - id: jobs
    title: Jobs by kind
    dimension: gender
    groups:
      Care: [nurse, midwife, nanny, maid, hairdresser]
      Office: [secretary, clerk, typist, cashier, accountant]
      Trades: {label: Trades, words: [plumber, mechanic, carpenter, welder, electrician]}
    a: {label: Female words, words: [she, her, woman, girl]}
    b: {label: Male words, words: [he, his, man, boy]}
  - id: kinds
    groups:
      Cities: [paris, london, berlin, rome, madrid]
      Animals: [dog, cat, horse, cow, sheep]
      Foods: [bread, cheese, butter, rice, soup]
    attributes:
      Foods: [eat, taste, dinner]
      Cities: [city, town, capital]
      Animals: [fur, tail, animal]
  - id: two
    x: [nurse, midwife, nanny]
    y: [plumber, mechanic, welder]
    a: [she, her]
    b: [he, his]
"""


@pytest.fixture
def tests_file(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text(FILE)
    return file


def test_weat_runs_tests_of_groups_beside_others(run, tests_file):
    ran = run("weat", "default", "--tests", tests_file)
    assert ran.code == 0
    text = " ".join(ran.out.split())
    assert "Generalised WEAT on default" in text
    assert "WEAT on default" in text
    assert "Care vs Office" in text
    assert (
        "jobs, clear: Care words, office words and trades are not equally associated with female "
        "words rather than male words: care words more strongly than office words and trades."
    ) in text
    assert "the pairs that differ are Cities and Animals, Cities and Foods" in text
    assert "corrected for 3 tests" in text


def test_results_of_groups_are_written_as_json_and_tables(run, tests_file):
    ran = run("weat", "default", "--tests", tests_file, "--format", "json")
    results = json.loads(ran.out)["results"]
    assert [result["measure"] for result in results] == [
        "generalised-weat",
        "generalised-weat",
        "weat",
    ]
    assert results[0]["grade"] == "clear"
    assert len(results[0]["pairs"]) == 3
    assert results[1]["g"] > 0
    table = run("weat", "default", "--tests", tests_file, "--format", "csv").out
    assert "Care 5; Office 5; Trades 5" in table


def test_a_chart_of_groups_is_drawn_beside_that_of_other_tests(run, tests_file, tmp_path):
    picture = tmp_path / "chart.json"
    ran = run("weat", "default", "--tests", tests_file, "--plot", picture)
    assert ran.code == 0
    drawn = picture.read_text()
    assert "Care (5 words)" in drawn
    assert "Jobs by kind: effect" in drawn


def test_measure_takes_groups_as_sets(run):
    sets = {"X1": "nurse,midwife,nanny", "X2": "clerk,typist,cashier", "X3": "plumber,welder,miner"}
    words = [f"--set={name}={words}" for name, words in (sets | {"A": "she,her"}).items()]
    ran = run("measure", "default", "generalised_weat", *words)
    assert ran.code == 0
    assert "nurse, midwife… vs" in ran.out  # a group without a label is named by its words
    assert "X1, X2, X3" in run("measure", "default", "generalised-weat", "--set=X1=a,b").err


def test_the_catalogue_command_validates_and_the_schema_accepts_groups(run, tests_file):
    jsonschema = pytest.importorskip("jsonschema")
    yaml = pytest.importorskip("yaml")
    ran = run("catalog", "validate", tests_file)
    assert ran.code == 0
    assert "jobs is a well-formed groups test" in ran.out
    schema = json.loads(run("schema", "tests").out)
    jsonschema.Draft202012Validator(schema).validate(yaml.safe_load(FILE))
    few = {"groups": {"a": ["x"], "b": ["y"]}, "a": ["z"]}
    assert not jsonschema.Draft202012Validator(schema).is_valid(few)


def test_other_commands_say_which_command_runs_a_test_of_groups(run, tests_file):
    ran = run("wefat", "default", "--tests", tests_file)
    assert ran.code == 2
    vectors = wg.open_vectors("default")
    jobs = load_tests(tests_file)[0]
    with pytest.raises(wg.errors.UsageError, match="generalised_weat"):
        wg.weat(vectors, jobs)


def test_an_audit_runs_tests_of_groups_and_the_report_has_their_findings(tests_file):
    own = load_tests(tests_file)
    step = Step(title="Own", run="weat", own_tests=own, options={"baseline": "no"})
    suite = Suite(id="own", title="Own", steps=(step,))
    (task,) = steps.list_tasks(suite, [_Source()])
    results = steps.perform(task, 0, 1, lambda done, total: None).correct()
    assert [result.test for result in results] == ["jobs", "kinds", "two"]
    page = audit_page(AuditResult({"sources": [{"name": "default"}]}, results))
    assert "Care words, office words and trades are not equally associated" in page
    assert "Generalised WEAT" in page
    assert "Office vs Trades" in page


class _Source:
    name, is_encoder = "default", False

    @property
    def embedding(self):
        return wg.open_vectors("default")

    def controls(self, names):
        return []


def test_a_policy_may_limit_a_test_of_groups(run, tests_file, tmp_path):
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "controls: none\nrules:\n  - {id: jobs, tests: [jobs], p: 0.05, description: Jobs differ}\n"
    )
    ran = run("check", "default", "--policy", policy, "--tests", tests_file)
    assert ran.code == 1, ran.err + ran.out
    assert "jobs" in ran.out


def test_corpora_are_compared_by_a_test_of_groups(tmp_path):
    rng = np.random.default_rng(0)
    kinds = {"sea": ["ship", "boat"], "wood": ["oak", "elm"], "town": ["street", "house"]}
    topics = {"sea": ["wave", "salt"], "wood": ["leaf", "moss"], "town": ["noise", "crowd"]}

    def texts(leaning):
        lines = []
        for _ in range(150):
            kind = str(rng.choice(list(kinds)))
            topic = kind if rng.random() < leaning else str(rng.choice(list(topics)))
            noun, word = rng.choice(kinds[kind]), rng.choice(topics[topic])
            lines.append(f"{noun} {topic}ward {word} {topic}ward {noun}")
        return lines

    test = wg.GroupsTest(id="kinds", groups=kinds, attributes=topics)
    training = {"method": "ppmi-svd", "dim": 6, "min_count": 2, "workers": 1, "bootstrap": 2}
    compared = wg.compare(
        {"strict": texts(1.0), "loose": texts(0.0)},
        [test],
        out=tmp_path / "models",
        permutations=4,
        **training,
    )
    strict, loose = (effect.effect for effect in compared.effects)
    assert strict > loose
    assert len(compared.differences) == 1
