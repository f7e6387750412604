"""`weatherglass doctor` says what is there, what is not, and how to get it."""

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
    """Put a package where packages are found: its metadata, and such of its files as there are."""
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


def test_each_package_is_looked_up(install):
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
    found = {(one.extra, one.name): one for one in packages("the-whole")}
    assert {place: one.status for place, one in found.items()} == {
        ("", "there-one"): "installed",
        ("", "there-old"): "too old",
        ("", "there-not"): "missing",
        ("more", "there-half"): "broken",
        ("more", "there-any"): "installed",
        ("other", "there-not"): "missing",
    }
    assert found["", "there-old"].version == "2.9.3"
    assert found["", "there-old"].least == "2.10"
    assert "there_half is not there" in found["more", "there-half"].problem


def test_a_package_that_breaks_on_import_is_told_in_a_line(install, tmp_path, monkeypatch):
    install("sound-one")
    install("broken-one", code="def f():\n    raise OSError('no such library')\n\n\nf()\n")
    install("fatal-one", code="import os\n\nos.abort()\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert import_problem("sound-one") == ""
    assert import_problem("broken-one") == "OSError: no such library"
    assert import_problem("fatal-one")


def test_the_core_works_here_and_every_missing_extra_has_its_line(run):
    ran = run("doctor")
    assert ran.code == 0, ran.out
    assert ran.out.startswith(f"Weatherglass {wg.__version__}, Python {sys.version.split()[0]} on ")
    assert "The core works" in ran.out
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = set(extras["optional-dependencies"])
    missing = {one.extra for one in packages() if one.extra and one.status == "missing"}
    assert missing <= known
    for extra in missing:
        assert install_command(extra) in ran.out
    assert str(os.environ["WEATHERGLASS_CACHE_DIR"]) in ran.out


def test_json_holds_everything(run):
    ran = run("doctor", "--format", "json")
    about = json.loads(ran.out)
    assert about["works"] is True
    assert about["cores"] == os.cpu_count()
    assert {"name", "extra", "least", "version", "status", "problem"} == set(about["packages"][0])
    assert about["places"]["cache"]["path"] == os.environ["WEATHERGLASS_CACHE_DIR"]
    assert about["places"]["cache"]["writable"] is True
    assert about["places"]["compiled kernels"]["path"]


def test_a_core_package_that_is_missing_is_an_error(run, monkeypatch):
    lost = Package("numpy", "", "1.26", "1.2", "too old")
    monkeypatch.setattr(doctor, "packages", lambda: (lost,))
    ran = run("doctor")
    assert ran.code == 1
    assert "numpy is too old: 1.2, at least 1.26 is needed" in ran.out


def test_a_missing_extra_is_no_error(run, monkeypatch):
    lost = Package("torch", "transformers", "2.2", "", "missing")
    half = Package("gensim", "train", "4.3", "4.4", "broken", "OSError: \x1b[31mno library")
    monkeypatch.setattr(doctor, "packages", lambda: (lost, half))
    ran = run("doctor")
    assert ran.code == 0
    assert install_command("transformers") in ran.out
    assert "pip install --force-reinstall gensim" in ran.out
    assert "\x1b" not in ran.out


def test_a_wrong_number_is_an_error(run, monkeypatch):
    monkeypatch.setattr(doctor, "_EFFECT", 1.5)
    ran = run("doctor", "--format", "json")
    assert ran.code == 1
    about = json.loads(ran.out)
    assert about["works"] is False
    assert "1.73" in about["trial"]


def test_a_measurement_that_breaks_is_told_in_a_line(run, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("cannot cache function:\nno locator")

    monkeypatch.setattr(wg, "weat", broken)
    ran = run("doctor")
    assert ran.code == 1
    assert "RuntimeError: cannot cache function: no locator" in ran.out


@pytest.mark.parametrize("lost", ["numpy", "rich"])
def test_it_still_speaks_where_the_core_is_broken(lost):
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


def test_a_cache_that_cannot_be_written_is_told(run, monkeypatch, tmp_path):
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "none"))
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: False)
    ran = run("doctor")
    assert f"Cache: {tmp_path / 'none'}, empty, NOT writable." in ran.out
    assert ran.code == 0


@pytest.mark.slow
def test_deep_imports_what_is_there(run):
    ran = run("doctor", "--deep", "--format", "json")
    assert ran.code == 0, ran.out
    core = [one for one in json.loads(ran.out)["packages"] if not one["extra"]]
    assert {one["status"] for one in core} == {"installed"}
