"""Messages of errors: the install command they name, and what makes them safe to print."""

from __future__ import annotations

import json
import pickle
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from weatherglass import errors
from weatherglass.errors import MissingExtra, install_command


class FakeDistribution:
    """The metadata of an installed package: only how it was installed (PEP 610)."""

    def __init__(self, direct_url: str | None) -> None:
        self._direct_url = direct_url

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return self._direct_url


def install_from(monkeypatch: pytest.MonkeyPatch, origin: dict[str, Any] | str | None) -> None:
    """Pretend that this copy was installed from `origin`."""
    text = json.dumps(origin) if isinstance(origin, dict) else origin
    monkeypatch.setattr(metadata, "distribution", lambda name: FakeDistribution(text))


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, "pip install 'weatherglass[plots]'"),
        (
            {"url": "file:///home/a/weatherglass", "dir_info": {"editable": True}},
            "pip install -e '/home/a/weatherglass[plots]'",
        ),
        (
            {"url": "file:///home/a/weatherglass", "dir_info": {}},
            "pip install '/home/a/weatherglass[plots]'",
        ),
        (
            {"url": "file:///tmp/weatherglass-0.1.0-py3-none-any.whl", "archive_info": {}},
            "pip install '/tmp/weatherglass-0.1.0-py3-none-any.whl[plots]'",
        ),
        (
            {"url": "https://example.org/weatherglass-0.1.0.tar.gz", "archive_info": {}},
            "pip install 'weatherglass[plots] @ https://example.org/weatherglass-0.1.0.tar.gz'",
        ),
        (
            {"url": "https://example.org/w.git", "vcs_info": {"vcs": "git", "commit_id": "0a1b"}},
            "pip install 'weatherglass[plots] @ git+https://example.org/w.git@0a1b'",
        ),
    ],
    ids=["index", "editable checkout", "folder", "wheel", "archive on the web", "repository"],
)
def test_a_missing_extra_names_the_command_that_fits_the_installation(monkeypatch, origin, command):
    install_from(monkeypatch, origin)
    assert install_command("plots") == command
    error = MissingExtra("A chart", "plots")
    assert str(error) == f"A chart needs an optional package: {command}"


def test_paths_with_spaces_and_quotes_are_quoted_for_the_shell(monkeypatch):
    install_from(monkeypatch, {"url": "file:///home/a%20b/it%27s", "dir_info": {"editable": True}})
    assert install_command("plots") == """pip install -e '/home/a b/it'"'"'s[plots]'"""


def test_the_command_without_an_extra_upgrades_the_package_itself(monkeypatch):
    install_from(monkeypatch, None)
    assert install_command(upgrade=True) == "pip install --upgrade weatherglass"


def test_a_source_tree_that_is_not_installed_names_itself(monkeypatch):
    def fail(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", fail)
    checkout = Path(errors.__file__).parents[2]
    if not (checkout / "pyproject.toml").exists():
        assert install_command("web") == "pip install 'weatherglass[web]'"
    else:
        assert install_command("web") == f"pip install -e '{checkout}[web]'"


@pytest.mark.parametrize("damaged", ["", "{", "[]", "null", "{}", '{"url": "a", "dir_info": 1}'])
def test_damaged_installation_metadata_still_give_a_command(monkeypatch, damaged):
    install_from(monkeypatch, damaged)
    assert install_command("web") == "pip install 'weatherglass[web]'"


def test_a_missing_extra_from_a_worker_process_keeps_its_message():
    error = MissingExtra("A chart", "plots")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.feature, copy.extra) == (str(error), "A chart", "plots")
