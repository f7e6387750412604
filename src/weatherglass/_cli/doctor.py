"""``weatherglass doctor``: what is installed, what is missing, and how to get it."""

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
from typing import TYPE_CHECKING, Any, Literal

import click

from weatherglass._version import __version__
from weatherglass.errors import install_command

from .output import delimited, emit, format_choice, printable, progress_bar, table

if TYPE_CHECKING:
    pass

# Four targets and four attributes whose effect and p-value are worked out by hand: each target lies
# on its own side, so that no other of the six partitions is as large.
_TRIAL = {"x": ("a", "b"), "y": ("c", "d"), "a": ("e",), "b": ("f",)}
_ROWS = ((3, 4), (3, 4), (4, 3), (4, 3), (0, 1), (1, 0))
_EFFECT, _P = 3**0.5, 1 / 6


@click.command()
@click.option("--deep", is_flag=True, help="Also import every package, which takes a while.")
@format_choice(help="How to print what was found.")
@click.pass_context
def doctor(context: click.Context, deep: bool, form: str) -> None:
    """Show what is installed, what is missing, and how to get it.

    Exits with 0 if the core works: its packages are there, and a small measurement gives what it
    must. Extras are needed only for what they are named after.
    """
    pass

    found = list(packages())
    if deep:
        found = _imported(found)
    trial = _trial()
    core = [one for one in found if not one.extra]
    works = not trial and all(one.status == "installed" for one in core)
    about = {
        "weatherglass": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": os.cpu_count(),
        "memory": _memory(),
        "works": works,
        "trial": trial or "as expected",
        "packages": [vars(one) for one in found],
        "places": _places(),
    }
    if form == "table":
        click.echo(_page(about, found), nl=False)
    else:
        emit([vars(one) for one in found], form, document=about)
    if not works:
        context.exit(1)


def _imported(found: list[Package]) -> list[Package]:
    """The packages, those that cannot be imported marked."""
    pass

    problems: dict[str, str] = {}
    there = dict.fromkeys(one.name for one in found if one.status == "installed")
    with progress_bar("importing") as draw:
        for done, name in enumerate(there):
            draw(done, len(there), name)
            problems[name] = import_problem(name)
    return [
        replace(one, status="broken", problem=problems[one.name]) if problems.get(one.name) else one
        for one in found
    ]


def _trial() -> str:
    """What went wrong with a small measurement; nothing if it gave what it must."""
    try:
        import weatherglass as wg

        vectors = wg.Vectors.of("abcdef", _ROWS)
        result = wg.weat(vectors, wg.Test(**{name: list(some) for name, some in _TRIAL.items()}))
        assert result.effect is not None
        assert result.p is not None
        if abs(result.effect - _EFFECT) > 1e-6 or abs(result.p.value - _P) > 1e-12:
            return f"an effect of {result.effect} with p {result.p.value} where 1.732 and 0.167 are"
        return ""
    except Exception as error:  # whatever is broken shows itself in its own way
        return printable(f"{type(error).__name__}: {' '.join(str(error).split())[:200]}")


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # another system
        return None


def _places() -> dict[str, dict[str, Any]]:
    """What is kept where, and whether it can be."""
    made = {}
    for name, look in _LOOKS.items():
        path = _or_none(look)
        made[name] = _place(path) if path else {"path": None, "size": 0, "writable": False}
    return made


def _cache() -> Path:
    from weatherglass._files import cache_dir

    return cache_dir()


def _default() -> Path:
    from weatherglass.vectors import find_path, parse_spec

    return find_path(parse_spec("default"))


def _kernels() -> Path:
    from weatherglass.significance import kernels

    compiled = (one.stats.cache_path for one in vars(kernels).values() if hasattr(one, "stats"))
    return Path(next(filter(None, compiled)))


_KERNELS = "compiled kernels"
_LOOKS = {"cache": _cache, "default vectors": _default, _KERNELS: _kernels}


def _or_none(look: Callable[[], Path]) -> Path | None:
    try:
        return look()
    except Exception:  # a missing extra, or a compiler that does not work: told elsewhere
        return None


def _place(path: Path) -> dict[str, Any]:
    size = 0
    for file in path.rglob("*") if path.is_dir() else ():
        try:
            size += file.stat().st_size
        except OSError:  # it went just now
            continue
    near = next((one for one in (path, *path.parents) if one.exists()), path)
    return {"path": str(path), "size": size, "writable": os.access(near, os.W_OK)}


def _page(about: dict[str, Any], found: list[Package]) -> str:
    """All of it, for people."""
    memory = f", {about['memory'] / 2**30:.0f} GB of memory" if about["memory"] else ""
    lines = [
        f"Weatherglass {about['weatherglass']}, Python {about['python']} on {about['platform']}, "
        f"{about['cores']} cores{memory}.",
        _verdict(about, [one for one in found if not one.extra]),
    ]
    extras = dict.fromkeys(one.extra for one in found if one.extra)
    rows = [_row(extra, [one for one in found if one.extra == extra]) for extra in extras]
    try:
        drawn = table(rows) if rows else ""
    except ImportError:  # what draws tables is broken, too
        drawn = delimited(rows, "\t")
    text = "\n".join(map(printable, lines)) + "\n" + drawn
    told = [_told(name, **place) for name, place in about["places"].items()]
    return text + "\n".join(map(printable, told)) + "\n"


def _verdict(about: dict[str, Any], core: list[Package]) -> str:
    wrong = [one for one in core if one.status != "installed"]
    if about["works"]:
        return f"The core works: {len(core)} packages, and a measurement that gave what it must."
    said = [f"{one.name} is {_state(one)}" for one in wrong]
    if about["trial"] != "as expected":
        said.append(f"a small measurement failed ({about['trial']})")
    return f"The core does not work: {'; '.join(said)}. Try: {install_command(upgrade=True)}"


def _row(extra: str, some: list[Package]) -> dict[str, str]:
    wrong = [one for one in some if one.status != "installed"]
    broken = [one.name for one in wrong if one.status == "broken"]
    how = install_command(extra) if wrong else ""
    if wrong and len(broken) == len(wrong):
        how = f"pip install --force-reinstall {' '.join(broken)}"
    return {
        "extra": extra,
        "there": ", ".join(f"{one.name} {one.version}" for one in some if one not in wrong),
        "missing": ", ".join(
            one.name if one.status == "missing" else f"{one.name} ({_state(one)})" for one in wrong
        ),
        "how to get it": how,
    }


def _state(one: Package) -> str:
    if one.status == "too old":
        return f"too old: {one.version}, at least {one.least} is needed"
    return f"broken: {one.problem}" if one.status == "broken" else one.status


def _told(name: str, path: str | None, size: int, writable: bool) -> str:
    if path is None:
        why = "; no folder can be written, so that each run compiles them" * (name == _KERNELS)
        return f"{name.capitalize()}: not there{why}."
    size_told = f"{size / 1e6:,.1f} MB" if size else "empty"
    if name == "default vectors":  # which nobody writes to
        return f"{name.capitalize()}: {path}, {size_told}."
    return f"{name.capitalize()}: {path}, {size_told}, {'' if writable else 'NOT '}writable."


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
