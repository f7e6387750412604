"""Folders are the architecture: other folders import only the names in ``__init__.pyi``.

``import-linter`` checks which folder may import which; this file checks how.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "weatherglass"
FILES = sorted(SOURCE.rglob("*.py"))
SURFACES = sorted(SOURCE.rglob("__init__.pyi"))
MAX_MODULES = 20
PLUGINS = {"measures", "_cli"}  # folders with a module for each measure or command
ENTRY_POINTS = {"__main__", "_cli.main", "_web.preload"}  # started, not imported
# Imported by users and other tools only: PyTorch and pytest are loaded with them.
INTEGRATIONS = {"integrations.sentence_transformers", "integrations.pytest_plugin"}


def module_of(path: Path) -> str:
    """Return the dotted name of a file of the package."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the (module, name) pairs that a file imports from the package, as absolute names."""
    folder = module_of(path.with_name("__init__.py")).split(".")
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            if module.split(".")[0] == "weatherglass":
                yield from ((module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("weatherglass."):
                    yield alias.name, ""


MODULES = {module_of(path) for path in FILES}


def past_surface(importer: str, target: str) -> bool:
    """Return whether a module reaches past a folder's surface to import `target`."""
    if target.endswith("kernels"):  # compiled with what calls them; a surface would load numba
        return False
    if target.removeprefix("weatherglass.") in ENTRY_POINTS:
        return False
    folder, parts = importer.split("."), target.split(".")
    while folder and parts and folder[0] == parts[0]:
        folder, parts = folder[1:], parts[1:]
    return len(parts) > 1


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_folders_are_imported_through_their_surface(path):
    importer = module_of(path.with_name("__init__.py"))
    reached = []
    for module, name in imports(path):
        target = (
            f"{module}.{name}"
            if f"{module}.{name}" in MODULES and not exports(module, name)
            else module
        )
        if past_surface(importer, target):
            reached.append(f"{module}.{name}")
    assert reached == []


def exports(module: str, name: str) -> bool:
    """Return whether the surface of a folder lists a name."""
    stub = SOURCE.parent.joinpath(*module.split("."), "__init__.pyi")
    return stub.exists() and name in surface(stub)


def surface(stub: Path) -> dict[str, str]:
    """Return each name on a surface and the module that it comes from."""
    names = {}
    for node in ast.parse(stub.read_text()).body:
        assert isinstance(node, ast.ImportFrom), (
            f"{stub}: only 'from .x import y as y' belongs here"
        )
        assert node.level == 1, stub
        for alias in node.names:
            assert alias.asname == alias.name, f"{stub}: {alias.name}"
            names[alias.name] = node.module or ""
    return names


@pytest.mark.parametrize("past", [("weatherglass._web.ask", "weatherglass.report.charts.plot")])
def test_an_import_past_a_surface_is_noticed(past):
    assert past_surface(*past)
    assert not past_surface("weatherglass._web.ask", "weatherglass._web.guard")
    assert not past_surface("weatherglass.vectors", "weatherglass.vectors.open")
    assert not past_surface("weatherglass.measures", "weatherglass.vectors")
    assert past_surface("weatherglass.vectors", "weatherglass.vectors.formats.text")


@pytest.mark.parametrize("stub", SURFACES, ids=lambda path: str(path.parent.relative_to(SOURCE)))
def test_no_name_on_a_surface_is_the_name_of_another_module(stub):
    folder = module_of(stub.with_name("__init__.py"))
    for name, home in surface(stub).items():
        if home and f"{folder}.{name}" in MODULES:
            assert home == name, f"{folder}: {name} comes from {home}"


def test_every_surface_name_is_found_after_all_modules_are_imported():
    """A module that has a function's name must not hide it; a fresh process imports everything."""
    names = [(module_of(stub.with_name("__init__.py")), sorted(surface(stub))) for stub in SURFACES]
    not_imported = {f"weatherglass.{name}" for name in {"__main__", *INTEGRATIONS}}
    code = (
        "import importlib, types\n"
        f"for module in {sorted(MODULES - not_imported)!r}:\n"
        "    importlib.import_module(module)\n"
        f"for folder, names in {names!r}:\n"
        "    package = importlib.import_module(folder)\n"
        "    for name in names:\n"
        "        value = getattr(package, name)\n"
        "        is_module = isinstance(value, types.ModuleType)\n"
        f"        if is_module and (folder, name) not in {modules_shown()!r}:\n"
        "            print(folder, name)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def modules_shown() -> set[tuple[str, str]]:
    """Return the (folder, module) pairs of the modules that a surface shows whole."""
    return {
        (module_of(stub.with_name("__init__.py")), name)
        for stub in SURFACES
        for name, home in surface(stub).items()
        if not home or f"{module_of(stub.with_name('__init__.py'))}.{home}.{name}" in MODULES
    }


def test_an_init_holds_no_code_but_its_surface():
    for path in FILES:
        if path.name == "__init__.py" and path.parent != SOURCE:
            body = ast.parse(path.read_text()).body
            assert ast.get_docstring(ast.parse(path.read_text())), path
            lines = [ast.unparse(node) for node in body[1:]]
            attach = "__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)"
            assert lines in ([], ["import lazy_loader", attach]), path


def test_every_module_is_imported_by_another_or_is_an_entry_point():
    project = (ROOT / "pyproject.toml").read_text()
    used = {module_of(SOURCE / "_cli" / f"{name}.py") for name in commands()}
    for path in [*FILES, *SURFACES]:
        for module, name in imports(path):
            used |= {module, f"{module}.{name}"}
    for module in MODULES:
        is_entry = module.removeprefix("weatherglass.") in ENTRY_POINTS | INTEGRATIONS
        is_entry |= f'"{module}:' in project
        assert module in used or is_entry or module == "weatherglass", f"nobody imports {module}"


def commands() -> list[str]:
    """Return the names of the commands, which the command line imports by name."""
    from weatherglass._cli.main import COMMANDS

    return list(COMMANDS)


def test_no_folder_has_more_than_twenty_modules():
    for folder in {path.parent for path in FILES}:
        if str(folder.relative_to(SOURCE)) not in PLUGINS:
            assert len(list(folder.glob("*.py"))) <= MAX_MODULES, folder
