"""The files around the package agree with each other: metadata, constraints, notices, citation."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import weatherglass as wg

ROOT = Path(__file__).parent.parent
DATA = ROOT / "src" / "weatherglass" / "catalog" / "data"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def constraints() -> dict[str, Requirement]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    requirements = [Requirement(line) for line in lines if not line.startswith("#")]
    return {canonicalize_name(requirement.name): requirement for requirement in requirements}


def test_every_dependency_has_one_tested_version(constraints):
    extras = PROJECT["optional-dependencies"]
    # MLflow needs an older importlib-metadata. UMAP is not part of the tested environment: the
    # layout of the bundled embedding ships, and tests replace the package or skip.
    tested = [name for name in extras if name not in ("mlflow", "map")]
    lines = [*PROJECT["dependencies"], *(line for name in tested for line in extras[name])]
    for requirement in map(Requirement, lines):
        name = canonicalize_name(requirement.name)
        if name in ("weatherglass", "atheris"):  # the fuzzer has wheels for few Pythons
            continue
        pinned = constraints[name]
        (version,) = pinned.specifier
        assert version.operator == "=="
        assert requirement.specifier.contains(version.version), f"{requirement}, {pinned}"


def test_constraints_apply_to_every_supported_python(constraints):
    pythons = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert len(pythons) > 1
    for requirement in constraints.values():
        assert requirement.url is None
        assert requirement.marker is not None
        for python in pythons:
            assert requirement.marker.evaluate({"python_version": python})


EXTRAS_OF_LOCK = {
    "run": ["all"],
    "test": ["dev"],
    "docs": ["docs"],
    "test-all": ["all", "dev", "docs", "notebooks", "release"],
    "models": [],
    "cuda": [],
    "cpu": [],
}


def read_lock(name: str) -> dict[str, tuple[Requirement, list[str]]]:
    """Return the requirements of a lock by name, each with its hashes."""
    text = (ROOT / "requirements" / f"{name}.lock").read_text(encoding="utf-8")
    found = {}
    for entry in re.split(r"\n(?=\w)", re.sub(r"(?m)^#.*\n", "", text).strip()):
        pinned, *hashes = entry.replace("\\\n", "").split(" --hash=")
        requirement = Requirement(pinned)
        found[canonicalize_name(requirement.name)] = (requirement, [h.strip() for h in hashes])
    return found


def direct_dependencies(extras: list[str]) -> set[str]:
    """Return the names of the packages that the package and some of its extras ask for."""
    lines = list(PROJECT["dependencies"])
    waiting, seen = list(extras), set()
    while waiting:
        extra = waiting.pop()
        seen.add(extra)
        for line in PROJECT["optional-dependencies"][extra]:
            requirement = Requirement(line)
            if requirement.name == "weatherglass":
                waiting += [name for name in requirement.extras if name not in seen]
            else:
                lines.append(line)
    return {canonicalize_name(Requirement(line).name) for line in lines}


def test_every_lock_is_tested():
    assert {path.stem for path in (ROOT / "requirements").iterdir()} == set(EXTRAS_OF_LOCK)


@pytest.mark.parametrize("name", EXTRAS_OF_LOCK)
def test_a_lock_has_the_tested_version_and_hashes_of_every_package(name, constraints):
    lock = read_lock(name)
    for package, (requirement, hashes) in lock.items():
        (version,) = requirement.specifier
        assert version.operator == "=="
        assert requirement.url is None
        assert hashes
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in hashes), package
        if package in constraints:
            assert constraints[package].specifier.contains(version.version)
        elif name != "cuda":  # which pip freeze leaves out, or which only other interpreters need
            assert package in ("pip", "setuptools", "cffi", "pycparser"), package
    extras = EXTRAS_OF_LOCK[name]
    assert not extras or direct_dependencies(extras) <= lock.keys()


@pytest.mark.parametrize("name", EXTRAS_OF_LOCK)
@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_a_lock_applies_to_every_tested_python(name, python):
    environment = {"python_version": python, "python_full_version": f"{python}.0"}
    environment |= {"sys_platform": "linux", "platform_python_implementation": "CPython"}
    environment |= {"platform_machine": "x86_64", "implementation_name": "cpython"}
    lock = read_lock(name)
    needed = direct_dependencies(EXTRAS_OF_LOCK[name]) if EXTRAS_OF_LOCK[name] else lock.keys()
    for package in needed - ({"torch"} if name == "cpu" else set()):  # tested on one Python only
        marker = lock[package][0].marker
        assert marker is None or marker.evaluate(environment), package


def test_locks_name_no_package_index():
    for path in (ROOT / "requirements").iterdir():
        text = path.read_text(encoding="utf-8")
        assert "://" not in text
        options = re.findall(r"(?m)(?:^|\s)--?([a-z-]+)", re.sub(r"(?m)^#.*", "", text))
        assert set(options) == {"hash"}


@pytest.fixture(scope="module")
def write_constraints() -> ModuleType:
    path = ROOT / "scripts" / "write_constraints.py"
    spec = importlib.util.spec_from_file_location("write_constraints", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_constraints_contain_no_local_versions_or_paths(write_constraints):
    lines = write_constraints.pin(["torch==2.13.0+cpu", "Jinja2==3.1.6", "mypy_extensions==1.2.0"])
    assert [line.split(" ;")[0] for line in lines] == [
        "jinja2==3.1.6",
        "mypy-extensions==1.2.0",
        "torch==2.13.0",
    ]
    with pytest.raises(SystemExit, match="not installed from an index"):
        write_constraints.pin(["torch @ file:///home/me/torch.whl"])


def test_every_slur_list_has_a_licence_and_is_credited():
    sources = yaml.safe_load((DATA / "slurs.yaml").read_text(encoding="utf-8"))
    rows = (DATA / "slurs.csv").read_text(encoding="utf-8").splitlines()[1:]
    used = {source for row in rows for source in row.rpartition(",")[2].split()}
    assert used == set(sources)
    notice = " ".join((ROOT / "NOTICE").read_text(encoding="utf-8").split())
    for name, source in sources.items():
        assert source["licence"], name
        if "version" in source:
            assert source["version"].removeprefix("npm ") in notice
            assert source["url"] in notice


def test_every_bundled_table_is_in_the_notice():
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    for table in ("names/ssa.csv", "names/surnames.csv", "slurs.csv", "axes/gender.yaml"):
        assert f"catalog/data/{table}\n" in notice
    for path in (DATA / "facts").iterdir():
        assert f"catalog/data/facts/{path.name}\n" in notice


def test_the_citation_names_the_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == wg.__version__
    assert citation["license"] == PROJECT["license"]
    assert f"## {wg.__version__}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
