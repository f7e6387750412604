"""What is installed of the packages that this one needs, and of those that it can use.

The list is the package's own metadata, so that there is no second one. Nothing is imported: a
package is there if its metadata and its files are. `import_problem` imports one, in a process of
its own, because a broken package may take the process with it.
"""

from __future__ import annotations

import csv
import importlib.util
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import PurePosixPath
from typing import Literal

Status = Literal["installed", "missing", "too old", "broken"]

NAME = "weatherglass"
_REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.-]*)\s*(\[[^]]*\])?\s*\(?([^;()]*)\)?")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")
_LEAST = re.compile(r">=\s*([\w.]+)")
_PATIENCE = 300.0  # seconds; the first import of some takes a minute


@dataclass(frozen=True)
class Package:
    """A package that is needed, and what is there of it.

    Attributes
    ----------
    name
        As it is installed.
    extra
        The extra that needs it; empty for the core.
    least
        The oldest version that will do; empty if any will.
    version
        The version that is installed; empty if none is.
    status
        ``installed``, ``missing``, ``too old`` or ``broken``.
    problem
        What is wrong with a broken one.
    """

    name: str
    extra: str
    least: str
    version: str
    status: Status
    problem: str = ""


def packages(of: str = NAME) -> tuple[Package, ...]:
    """Every package that is needed or can be used: those of the core first, then extra by extra.

    An extra that holds others whole, such as ``all``, adds nothing and is left out.

    >>> [one.status for one in packages() if one.name == "numpy"]
    ['installed']
    """
    wanted: dict[str, dict[str, str]] = {"": {}}
    for line in distribution(of).requires or ():
        named, _, condition = line.partition(";")
        extra = _EXTRA.search(condition)
        matched = _REQUIREMENT.match(named.strip())
        if matched is not None:
            least = _LEAST.search(matched[3])
            some = wanted.setdefault(extra[1] if extra else "", {})
            some[matched[1]] = least[1] if least else ""
    return tuple(
        _looked_up(name, extra, least)
        for extra, some in wanted.items()
        if not _holds_others(extra, wanted)
        for name, least in some.items()
    )


def _holds_others(extra: str, wanted: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether an extra is the sum of two others, or more than that."""
    others = (some for name, some in wanted.items() if name not in ("", extra))
    return bool(extra) and sum(some.keys() <= wanted[extra].keys() for some in others) > 1


def _looked_up(name: str, extra: str, least: str) -> Package:
    try:
        there = distribution(name)
        version = there.version or ""
    except PackageNotFoundError:
        return Package(name, extra, least, "", "missing")
    if least and _numbers(version) < _numbers(least):
        return Package(name, extra, least, version, "too old")
    modules = _modules(there)
    lost = [one for one in modules if not _is_there(one)]
    if modules and len(lost) == len(modules):
        problem = f"it is installed, and its module {lost[0]} is not there"
        return Package(name, extra, least, version, "broken", problem)
    return Package(name, extra, least, version, "installed")


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers that a version begins with.

    >>> _numbers("2.13.0+cpu") > _numbers("2.2"), _numbers("1.10") > _numbers("1.9.3")
    (True, True)
    """
    release = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, release[0].split("."))) if release else ()


def _modules(there: Distribution) -> list[str]:
    """The modules that a package brings, as they are imported, likely ones first."""
    found: dict[str, None] = {}
    # What is recorded, and not `files`, which in some versions leaves out what is not there.
    recorded = [row[0] for row in csv.reader((there.read_text("RECORD") or "").splitlines()) if row]
    for name in recorded or map(str, there.files or ()):
        first, *rest = PurePosixPath(name).parts
        if rest and rest[-1] == "__init__.py" and len(rest) == 1:
            found[first] = None
        elif not rest and first.endswith((".py", ".so", ".pyd")):
            found[first.split(".")[0]] = None
    plain = re.sub(r"[-_.]+", "_", there.name or "").lower()
    names = [one for one in found if one.isidentifier() and not one.startswith("_")]
    return sorted(names, key=lambda one: one.lower() != plain)


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):  # half removed, or made by hand
        return False


def import_problem(name: str) -> str:
    """Why an installed package cannot be imported, in a line; empty if it can.

    >>> import_problem("numpy")
    ''
    """
    modules = _modules(distribution(name))
    if not modules:
        return ""
    code = "import importlib, sys; importlib.import_module(sys.argv[1])"
    try:
        ran = subprocess.run(
            [sys.executable, "-c", code, modules[0]],
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"importing {modules[0]} took longer than {_PATIENCE:.0f} seconds"
    if not ran.returncode:
        return ""
    lines = ran.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:200] if lines else f"importing {modules[0]} ended with code {ran.returncode}"
