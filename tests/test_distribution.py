"""What people install: the wheel and the source archive, built, looked into, installed and run."""

from __future__ import annotations

import hashlib
import json
import os
import re
import runpy
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import weatherglass as wg

pytestmark = pytest.mark.slow
pytest.importorskip("build", reason="needs the package build, which `make test` installs")

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "weatherglass"
LICENCES = ("LICENSE", "NOTICE", "src/weatherglass/_web/static/htmx.LICENSE.txt")
# Eight words whose two sides are as far apart as can be.
VECTORS = "rose 3 4\nlily 3 4\nwasp 4 3\ngnat 4 3\nkind 0 1\ngood 0 1\nfoul 1 0\nbad 1 0\n"
TEST = "{x: [rose, lily], y: [wasp, gnat], a: [kind, good], b: [foul, bad]}"


def call(*line: object, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a program outside the repository, so that nothing of it is imported by chance."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(part) for part in line],
        capture_output=True,
        text=True,
        check=False,
        env=clean,
        **options,  # type: ignore[call-overload]
    )


def without_network(output: str) -> bool:
    """Whether pip could not get at packages."""
    marks = ("No matching distribution", "Could not find a version", "NewConnectionError")
    return any(mark in output for mark in (*marks, "Failed to establish", "Name or service"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    ran = call(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    if ran.returncode and without_network(ran.stdout + ran.stderr):
        pytest.skip("needs a package index, for hatchling")
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    """The wheel."""
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def archive(built: Path) -> Path:
    """The source archive."""
    (found,) = built.glob("*.tar.gz")
    return found


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
    tracked = call("git", "ls-files", "-co", "--exclude-standard", "src/weatherglass", cwd=ROOT)
    if tracked.returncode:
        pytest.skip("not a git checkout")
    package = {name.removeprefix("src/") for name in tracked.stdout.splitlines()}
    assert {name for name in names if name.startswith("weatherglass/")} == package
    rest = {name.split("/", 1)[1] for name in names - package}
    licences = {f"licenses/{name}" for name in LICENCES}
    assert rest == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", *licences}


def test_the_wheel_contains_data_templates_and_licences(wheel):
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
    for name in (
        *("py.typed", "catalog/data/studies.yaml", "catalog/data/suites/quick.yaml"),
        *("catalog/data/words.csv", "_web/static/htmx.min.js", "_web/pages/upload.html"),
        *("report/discovery.css", "report/report.js", "_web/static/htmx.LICENSE.txt"),
    ):
        assert f"weatherglass/{name}" in names


def test_the_source_archive_holds_what_is_needed_to_build(archive):
    with tarfile.open(archive) as opened:
        names = {name.split("/", 1)[1] for name in opened.getnames() if "/" in name}
    top = {name.split("/")[0] for name in names}
    files = {"CHANGELOG.md", "CITATION.cff", "LICENSE", "NOTICE", "README.md"}
    files |= {"constraints.txt", "pyproject.toml", "PKG-INFO"}
    assert top <= {"src", ".gitignore", *files}
    assert top >= {"src", *files}
    assert "src/weatherglass/py.typed" in names


@pytest.fixture(scope="module", params=["wheel", "archive"])
def distribution_file(request: pytest.FixtureRequest) -> Path:
    """The file that Weatherglass is installed from."""
    path: Path = request.getfixturevalue(request.param)
    return path


@pytest.fixture(scope="module")
def program(distribution_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command, installed with the default vectors into an environment of its own."""
    folder = tmp_path_factory.mktemp("clean")
    assert call(sys.executable, "-m", "venv", folder / "venv").returncode == 0
    binary = folder / "venv" / "bin"
    ran = call(binary / "pip", "install", "--quiet", f"{distribution_file}[default]", cwd=folder)
    if ran.returncode and without_network(ran.stdout + ran.stderr):
        pytest.skip("needs a package index, for what the package stands on")
    assert ran.returncode == 0, ran.stderr[-3000:]
    return binary / "weatherglass"


def test_the_installed_package_runs_in_a_clean_environment(
    program, distribution_file, tmp_path, monkeypatch
):
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "v.txt").write_text(VECTORS)
    (tmp_path / "t.yaml").write_text(TEST)

    def run(*line: object) -> str:
        ran = call(program, *line, cwd=tmp_path)
        assert ran.returncode == 0, (line, ran.stdout, ran.stderr)
        assert "Traceback" not in ran.stderr
        return ran.stdout

    assert run("--version") == f"weatherglass, version {wg.__version__}\n"
    report = run("doctor")
    assert "The core works" in report
    assert f"pip install '{distribution_file}[transformers]'" in report
    assert f"pip install '{distribution_file}[default]'" not in report
    assert "1.73" in run("weat", "v.txt", "--tests", "t.yaml")
    assert "weat10" in run("weat", "default")
    assert "weat6" in run("catalog", "list")
    python = program.with_name("python")
    code = "import weatherglass as wg; print(wg.__version__, len(wg.tests('weat*')) > 9)"
    ran = call(python, "-c", code, cwd=tmp_path)
    assert ran.stdout == f"{wg.__version__} True\n", ran.stderr
    missing = call(program, "serve", cwd=tmp_path, timeout=300)
    assert missing.returncode == 3
    assert f"pip install '{distribution_file}[web]'" in missing.stderr


def test_the_list_of_components_has_every_dependency_and_bundled_file_with_hashes(tmp_path):
    pytest.importorskip("cyclonedx_py", reason="needs 'weatherglass[release]'")
    out = tmp_path / "weatherglass.cdx.json"
    # As `make dist` does it.
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8")
    command = ["requirements", "--pyproject", "pyproject.toml", "--output-reproducible"]
    assert f"cyclonedx_py {' '.join(command)} " in recipe
    made = call(
        *(sys.executable, "-m", "cyclonedx_py", *command, "--output-file", out),
        "requirements/run.lock",
        cwd=ROOT,
    )
    assert made.returncode == 0, made.stderr[-3000:]
    assert "scripts/complete_sbom.py dist/weatherglass.cdx.json" in recipe
    completed = call(sys.executable, "scripts/complete_sbom.py", out, cwd=ROOT)
    assert completed.returncode == 0, completed.stderr[-3000:]
    (out,) = tmp_path.iterdir()
    assert out.name == f"weatherglass-{wg.__version__}.cdx.json"
    document = json.loads(out.read_text(encoding="utf-8"))
    assert document["bomFormat"] == "CycloneDX"
    assert "serialNumber" not in document  # the same list each time
    package = document["metadata"]["component"]
    assert (package["name"], package["version"]) == ("weatherglass", wg.__version__)
    kinds = {kind: {} for kind in ("library", "file")}
    for component in document["components"]:
        kinds[component["type"]][component["name"]] = component
    lock = (ROOT / "requirements" / "run.lock").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"(?m)^([a-z0-9-]+)==(\S+) ", lock))
    assert kinds["library"].keys() == pinned.keys()
    assert {"numpy", "pyarrow", "fastapi", "h5py", "torch"} <= pinned.keys()
    for name, component in kinds["library"].items():
        assert component["version"] == pinned[name]
        assert component["purl"].startswith(f"pkg:pypi/{name}@")
        references = component["externalReferences"]
        assert all(reference["hashes"] for reference in references), name
    tables = runpy.run_path(str(ROOT / "tests" / "test_bundled.py"))
    bundled = {f"weatherglass/{name}" for name in (tables["FILES"] | tables["LISTS"])}
    assert kinds["file"].keys() == bundled
    for name, component in kinds["file"].items():
        content = (ROOT / "src" / name).read_bytes()
        assert component["hashes"][0]["content"] == hashlib.sha256(content).hexdigest()
        assert component["licenses"], name
    (root,) = (d for d in document["dependencies"] if d["ref"] == package["bom-ref"])
    assert len(root["dependsOn"]) == len(document["components"])
