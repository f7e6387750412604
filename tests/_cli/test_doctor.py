"""`weatherglass doctor` shows what is installed, what is missing, and how to install it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import weatherglass as wg
from weatherglass._cli import doctor
from weatherglass._cli.doctor import Package, import_problem, packages
from weatherglass.errors import install_command

ROOT = Path(__file__).parent.parent.parent
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a package into a folder on the path; without its module if `code` is None."""
    monkeypatch.syspath_prepend(tmp_path)

    def put(
        name: str, version: str = "1.0", needs: tuple[str, ...] = (), code: str | None = ""
    ) -> None:
        module = name.replace("-", "_")
        about = tmp_path / f"{module}-{version}.dist-info"
        about.mkdir()
        lines = [f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {n}" for n in needs)]
        (about / "METADATA").write_text("Metadata-Version: 2.1\n" + "\n".join(lines) + "\n")
        (about / "RECORD").write_text(f"{module}/__init__.py,,\n")
        if code is not None:
            (tmp_path / module).mkdir()
            (tmp_path / module / "__init__.py").write_text(code)

    return put


def test_packages_are_installed_missing_too_old_or_broken(install):
    needs = (
        *("there-one>=1.0", "there-old>=2.10", "there-not>=3", 'there-half (>=1); extra == "more"'),
        *("there-any; extra == 'more'", "there-not>=3; python_version > '3' and extra == 'other'"),
        *("there-any; extra == 'sum'", "there-half; extra == 'sum'", "there-not; extra == 'sum'"),
    )
    install("the-whole", needs=needs)
    install("there-one", "1.0.0")
    install("there-old", "2.9.3")
    install("there-any", "0.1")
    install("there-half", "5", code=None)
    found = {(package.extra, package.name): package for package in packages("the-whole")}
    assert {key: package.status for key, package in found.items()} == {
        ("", "there-one"): "installed",
        ("", "there-old"): "too old",
        ("", "there-not"): "missing",
        ("more", "there-half"): "broken",
        ("more", "there-any"): "installed",
        ("other", "there-not"): "missing",
    }
    assert found["", "there-old"].version == "2.9.3"
    assert found["", "there-old"].least == "2.10"
    assert "its module there_half does not exist" in found["more", "there-half"].problem


def test_a_package_that_fails_to_import_is_reported_in_one_line(install, tmp_path, monkeypatch):
    install("sound-one")
    install("broken-one", code="def f():\n    raise OSError('no such library')\n\n\nf()\n")
    install("fatal-one", code="import os\n\nos.abort()\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert import_problem("sound-one") == ""
    assert import_problem("broken-one") == "OSError: no such library"
    assert import_problem("fatal-one")


def test_doctor_prints_the_install_command_of_every_missing_extra(run):
    ran = run("doctor")
    assert ran.code == 0, ran.out
    assert ran.out.startswith(f"Weatherglass {wg.__version__}, Python {sys.version.split()[0]} on ")
    assert "packages installed, self-test passed." in ran.out
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = set(extras["optional-dependencies"])
    missing = {p.extra for p in packages() if p.extra and p.status == "missing"}
    assert missing <= known
    for extra in missing:
        assert install_command(extra) in ran.out
    assert str(os.environ["WEATHERGLASS_CACHE_DIR"]) in ran.out


def test_doctor_json_has_packages_and_folders(run):
    ran = run("doctor", "--format", "json")
    about = json.loads(ran.out)
    assert about["works"] is True
    assert about["cores"] == os.cpu_count()
    assert {"name", "extra", "least", "version", "status", "problem"} == set(about["packages"][0])
    assert about["places"]["cache"]["path"] == os.environ["WEATHERGLASS_CACHE_DIR"]
    assert about["places"]["cache"]["writable"] is True
    assert about["places"]["compiled kernels"]["path"]


def test_doctor_fails_if_a_core_package_is_too_old(run, monkeypatch):
    lost = Package("numpy", "", "1.26", "1.2", "too old")
    monkeypatch.setattr(doctor, "packages", lambda: (lost,))
    ran = run("doctor")
    assert ran.code == 1
    assert "numpy is too old: 1.2, at least 1.26 is needed" in ran.out


def test_doctor_passes_if_an_extra_is_missing(run, monkeypatch):
    lost = Package("torch", "transformers", "2.2", "", "missing")
    half = Package("gensim", "train", "4.3", "4.4", "broken", "OSError: \x1b[31mno library")
    monkeypatch.setattr(doctor, "packages", lambda: (lost, half))
    ran = run("doctor")
    assert ran.code == 0
    assert install_command("transformers") in ran.out
    assert "pip install --force-reinstall gensim" in ran.out
    assert "\x1b" not in ran.out


def test_doctor_fails_if_the_self_test_gives_a_wrong_number(run, monkeypatch):
    monkeypatch.setattr(doctor, "_EFFECT", 1.5)
    ran = run("doctor", "--format", "json")
    assert ran.code == 1
    about = json.loads(ran.out)
    assert about["works"] is False
    assert "1.73" in about["trial"]


def test_doctor_fails_if_the_self_test_raises_an_error(run, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("cannot cache function:\nno locator")

    monkeypatch.setattr(wg, "weat", broken)
    ran = run("doctor")
    assert ran.code == 1
    assert "RuntimeError: cannot cache function: no locator" in ran.out


@pytest.mark.parametrize("lost", ["numpy", "rich"])
def test_doctor_runs_even_if_the_core_is_broken(lost):
    code = (
        f"import sys; sys.modules[{lost!r}] = None\n"
        "from weatherglass._cli.main import main\n"
        "main(['doctor'])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert ran.returncode == 1, ran.stderr
    assert "Traceback" not in ran.stderr
    assert f"The core does not work: {lost} is broken" in ran.stdout


def test_doctor_reports_a_cache_that_is_not_writable(run, monkeypatch, tmp_path):
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "none"))
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: False)
    ran = run("doctor")
    assert f"Cache: {tmp_path / 'none'}, empty, NOT writable." in ran.out
    assert ran.code == 0


@pytest.mark.slow
def test_doctor_deep_imports_every_installed_package(run):
    ran = run("doctor", "--deep", "--format", "json")
    assert ran.code == 0, ran.out
    core = [p for p in json.loads(ran.out)["packages"] if not p["extra"]]
    assert {package["status"] for package in core} == {"installed"}
