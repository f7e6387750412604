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
    tested = [name for name in extras if name != "mlflow"]  # it needs an older importlib-metadata
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
