"""``weatherglass doctor``: show what is installed, what is missing, and how to install it."""

from __future__ import annotations

import csv
import importlib.util
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import click

from weatherglass._version import __version__
from weatherglass.errors import install_command

from .exit_codes import FAILED
from .options import output_options
from .output import Output, delimited, printable, progress_bar, table

# The self-test: four targets and two attributes whose effect size and p-value are worked out by
# hand. X lies at A and Y at B, so no other of the six partitions has a statistic as large.
_SELF_TEST = {"x": ("a", "b"), "y": ("c", "d"), "a": ("e",), "b": ("f",)}
_ROWS = ((3, 4), (3, 4), (4, 3), (4, 3), (0, 1), (1, 0))
_EFFECT, _P = 3**0.5, 1 / 6
_PASSED = "as expected"

Status = Literal["installed", "missing", "too old", "broken"]
_REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.-]*)\s*(\[[^]]*\])?\s*\(?([^;()]*)\)?")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")
_MIN_VERSION = re.compile(r">=\s*([\w.]+)")
_TIMEOUT_SECONDS = 300.0  # the first import of some packages takes a minute
_KERNELS = "compiled kernels"


@dataclass(frozen=True)
class Package:
    """A package that is needed, and whether it is installed.

    Attributes
    ----------
    name
        Its name on the package index.
    extra
        The extra that needs it; empty for the core.
    least
        The minimum version; empty if any will do.
    version
        The installed version; empty if there is none.
    status
        ``installed``, ``missing``, ``too old`` or ``broken``.
    problem
        Why it is broken.
    """

    name: str
    extra: str
    least: str
    version: str
    status: Status
    problem: str = ""


@click.command()
@click.option("--deep", is_flag=True, help="Also import every package, which takes a while.")
@output_options(out=False)
@click.pass_context
def doctor(context: click.Context, deep: bool, output: Output) -> None:
    """Show what is installed, what is missing, and how to install it.

    The exit code is 0 if the core works: its packages are installed and a self-test passes. Extras
    are needed only for the features that they are named after.
    """
    found = list(packages())
    if deep:
        found = _import_all(found)
    problem = _run_self_test()
    core = [package for package in found if not package.extra]
    works = not problem and all(package.status == "installed" for package in core)
    about = {
        "weatherglass": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": os.cpu_count(),
        "memory": _memory(),
        "works": works,
        "trial": problem or _PASSED,
        "packages": [vars(package) for package in found],
        "places": _places(),
    }
    if output.format == "table":
        output.write(_page(about, found))
    else:
        output.write_rows([vars(package) for package in found], document=about)
    if not works:
        context.exit(FAILED)


def _run_self_test() -> str:
    """Run a small measurement; return what went wrong, or an empty text if it passed."""
    try:
        import weatherglass as wg

        vectors = wg.Vectors.of("abcdef", _ROWS)
        test = wg.Test(**{name: list(words) for name, words in _SELF_TEST.items()})
        result = wg.weat(vectors, test, alternative="greater")
        assert result.effect is not None
        assert result.p is not None
        if abs(result.effect - _EFFECT) > 1e-6 or abs(result.p.value - _P) > 1e-12:
            return f"effect {result.effect}, p {result.p.value}; expected 1.732 and 0.167"
        return ""
    except Exception as error:  # a broken installation can fail in any way
        return printable(f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not on this platform
        return None


# --- Folders ---


def _places() -> dict[str, dict[str, Any]]:
    """The path and size of each folder that Weatherglass uses, and whether it is writable."""
    places = {}
    for name, find in _FOLDERS.items():
        path = _find_folder(find)
        places[name] = _place(path) if path else {"path": None, "size": 0, "writable": False}
    return places


def _cache() -> Path:
    from weatherglass._files import cache_dir

    return cache_dir()


def _default_vectors() -> Path:
    from weatherglass.vectors import find_path, parse_spec

    return find_path(parse_spec("default"))


def _compiled_kernels() -> Path:
    from weatherglass.significance import kernels

    paths = (
        kernel.stats.cache_path for kernel in vars(kernels).values() if hasattr(kernel, "stats")
    )
    return Path(next(filter(None, paths)))


_FOLDERS = {"cache": _cache, "default vectors": _default_vectors, _KERNELS: _compiled_kernels}


def _find_folder(find: Callable[[], Path]) -> Path | None:
    try:
        return find()
    except Exception:  # a missing extra or a broken compiler, which is reported elsewhere
        return None


def _place(path: Path) -> dict[str, Any]:
    size = 0
    for file in path.rglob("*") if path.is_dir() else ():
        try:
            size += file.stat().st_size
        except OSError:  # it was removed just now
            continue
    existing = next((folder for folder in (path, *path.parents) if folder.exists()), path)
    return {"path": str(path), "size": size, "writable": os.access(existing, os.W_OK)}


# --- The page for people ---


def _page(about: dict[str, Any], found: list[Package]) -> str:
    memory = f", {about['memory'] / 2**30:.0f} GB of memory" if about["memory"] else ""
    lines = [
        f"Weatherglass {about['weatherglass']}, Python {about['python']} on {about['platform']}, "
        f"{about['cores']} cores{memory}.",
        _core_line(about, [package for package in found if not package.extra]),
    ]
    extras = dict.fromkeys(package.extra for package in found if package.extra)
    rows = [_extra_row(extra, [p for p in found if p.extra == extra]) for extra in extras]
    try:
        extras_table = table(rows) if rows else ""
    except ImportError:  # the package that formats tables is broken, too
        extras_table = delimited(rows, "\t")
    # Below the table and not in it: a long path would be folded, and could not be copied.
    commands = [command for extra in extras if (command := _command(extra, found))]
    if commands:
        extras_table += "\n".join(["Install what is missing:", *commands, "", ""])
    text = "\n".join(map(printable, lines)) + "\n" + extras_table
    places = [_place_line(name, **place) for name, place in about["places"].items()]
    return text + "\n".join(map(printable, places)) + "\n"


def _core_line(about: dict[str, Any], core: list[Package]) -> str:
    if about["works"]:
        return f"The core works: {len(core)} packages installed, self-test passed."
    problems = [f"{p.name} is {_state(p)}" for p in core if p.status != "installed"]
    if about["trial"] != _PASSED:
        problems.append(f"the self-test failed ({about['trial']})")
    return f"The core does not work: {'; '.join(problems)}. Try: {install_command(upgrade=True)}"


def _extra_row(extra: str, needed: list[Package]) -> dict[str, str]:
    missing = [package for package in needed if package.status != "installed"]
    return {
        "extra": extra,
        "installed": ", ".join(f"{p.name} {p.version}" for p in needed if p not in missing),
        "missing": ", ".join(
            p.name if p.status == "missing" else f"{p.name} ({_state(p)})" for p in missing
        ),
    }


def _command(extra: str, found: list[Package]) -> str:
    """Return the line with the command that installs an extra; empty if nothing is missing."""
    missing = [p for p in found if p.extra == extra and p.status != "installed"]
    broken = [package.name for package in missing if package.status == "broken"]
    if not missing:
        return ""
    if len(broken) == len(missing):
        return f"    pip install --force-reinstall {' '.join(broken)}"
    return f"    {install_command(extra)}"


def _state(package: Package) -> str:
    if package.status == "too old":
        return f"too old: {package.version}, at least {package.least} is needed"
    return f"broken: {package.problem}" if package.status == "broken" else package.status


def _place_line(name: str, path: str | None, size: int, writable: bool) -> str:
    if path is None:
        reason = "; no folder is writable, so each run compiles them" * (name == _KERNELS)
        return f"{name.capitalize()}: not found{reason}."
    size_text = f"{size / 1e6:,.1f} MB" if size else "empty"
    if name == "default vectors":  # nothing is written there
        return f"{name.capitalize()}: {path}, {size_text}."
    return f"{name.capitalize()}: {path}, {size_text}, {'' if writable else 'NOT '}writable."


# --- Packages ---


def packages(of: str = "weatherglass") -> tuple[Package, ...]:
    """Return every required or optional package of a distribution: core first, then by extra.

    An extra that is the union of others, such as ``all``, is left out.

    >>> [package.status for package in packages() if package.name == "numpy"]
    ['installed']
    """
    required: dict[str, dict[str, str]] = {"": {}}
    for line in distribution(of).requires or ():
        requirement, _, condition = line.partition(";")
        extra = _EXTRA.search(condition)
        parts = _REQUIREMENT.match(requirement.strip())
        if parts is not None:
            version = _MIN_VERSION.search(parts[3])
            of_extra = required.setdefault(extra[1] if extra else "", {})
            of_extra[parts[1]] = version[1] if version else ""
    return tuple(
        _find_package(name, extra, version)
        for extra, of_extra in required.items()
        if not _is_union(extra, required)
        for name, version in of_extra.items()
    )


def _is_union(extra: str, required: Mapping[str, Mapping[str, str]]) -> bool:
    """Return whether an extra includes at least two others."""
    others = (needed for name, needed in required.items() if name not in ("", extra))
    included = sum(needed.keys() <= required[extra].keys() for needed in others)
    return bool(extra) and included > 1


def _find_package(name: str, extra: str, min_version: str) -> Package:
    try:
        installed = distribution(name)
        version = installed.version or ""
    except PackageNotFoundError:
        return Package(name, extra, min_version, "", "missing")
    if min_version and _numbers(version) < _numbers(min_version):
        return Package(name, extra, min_version, version, "too old")
    modules = _modules(installed)
    lost = [module for module in modules if not _exists(module)]
    if modules and len(lost) == len(modules):
        problem = f"it is installed, but its module {lost[0]} does not exist"
        return Package(name, extra, min_version, version, "broken", problem)
    return Package(name, extra, min_version, version, "installed")


def _numbers(version: str) -> tuple[int, ...]:
    """The release numbers at the start of a version.

    >>> _numbers("2.13.0+cpu") > _numbers("2.2"), _numbers("1.10") > _numbers("1.9.3")
    (True, True)
    """
    release = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, release[0].split("."))) if release else ()


def _modules(installed: Distribution) -> list[str]:
    """The names under which a package's modules are imported, the likeliest first."""
    names: dict[str, None] = {}
    # RECORD instead of `files`, which in some Python versions omits files that do not exist.
    record = csv.reader((installed.read_text("RECORD") or "").splitlines())
    for path in [row[0] for row in record if row] or map(str, installed.files or ()):
        first, *rest = PurePosixPath(path).parts
        if rest and rest[-1] == "__init__.py" and len(rest) == 1:
            names[first] = None
        elif not rest and first.endswith((".py", ".so", ".pyd")):
            names[first.split(".")[0]] = None
    likeliest = re.sub(r"[-_.]+", "_", installed.name or "").lower()
    public = [name for name in names if name.isidentifier() and not name.startswith("_")]
    return sorted(public, key=lambda name: name.lower() != likeliest)


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):  # partly removed, or created by hand
        return False


def _import_all(found: list[Package]) -> list[Package]:
    """Import every installed package, and mark those that cannot be imported as broken."""
    problems: dict[str, str] = {}
    installed = dict.fromkeys(p.name for p in found if p.status == "installed")
    with progress_bar("importing") as draw:
        for done, name in enumerate(installed):
            draw(done, len(installed), name)
            problems[name] = import_problem(name)
    return [
        replace(p, status="broken", problem=problems[p.name]) if problems.get(p.name) else p
        for p in found
    ]


def import_problem(name: str) -> str:
    """Return in one line why an installed package cannot be imported; an empty text if it can.

    >>> import_problem("numpy")
    ''
    """
    modules = _modules(distribution(name))
    if not modules:
        return ""
    code = "import importlib, sys; importlib.import_module(sys.argv[1])"
    try:
        process = subprocess.run(  # a package that crashes must not take us with it
            [sys.executable, "-c", code, modules[0]],
            capture_output=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"importing {modules[0]} took longer than {_TIMEOUT_SECONDS:.0f} seconds"
    if not process.returncode:
        return ""
    lines = process.stderr.decode("utf-8", "replace").strip().splitlines()
    if lines:
        return lines[-1][:200]
    return f"importing {modules[0]} ended with code {process.returncode}"
