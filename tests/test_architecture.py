"""The architecture as facts that a change cannot break unseen."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import weatherglass

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "weatherglass"
FILES = sorted(SOURCE.rglob("*.py"))
HEAVY = ("numba", "scipy", "pyarrow", "sklearn", "pandas", "rich", "pydantic", "h5py")


def calls(tree: ast.AST) -> set[str]:
    """The names of all functions called, as they are written."""
    return {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}


def imports(tree: ast.AST) -> set[str]:
    """The names of all modules imported."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").split(".")[0])
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_pickle_eval_shell_or_unsafe_loading(path):
    tree = ast.parse(path.read_text())
    assert not imports(tree) & {"pickle", "dill", "cloudpickle", "marshal", "shelve", "joblib"}
    assert not calls(tree) & {"eval", "exec", "compile", "os.system", "os.popen", "yaml.load"}
    arguments = {
        (word.arg, ast.unparse(word.value))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for word in node.keywords
    }
    unsafe = {("allow_pickle", "True"), ("shell", "True"), ("weights_only", "False")}
    assert not arguments & unsafe


def test_yaml_is_read_only_in_one_place_and_without_resolving_scalars():
    users = [path for path in FILES if "yaml" in imports(ast.parse(path.read_text()))]
    assert [path.name for path in users] == ["yamltext.py"]
    assert "BaseLoader" in users[0].read_text()


def test_modules_are_named_for_an_idea():
    empty = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "base"}
    assert not {path.stem for path in FILES} & empty


def test_there_is_no_empty_package():
    for folder in {path.parent for path in FILES if path.parent != SOURCE}:
        assert len(list(folder.glob("*.py"))) > 1, folder


def loaded_by(*arguments: str) -> set[str]:
    """The top-level modules that a command line loads."""
    code = (
        "import sys; sys.argv[0] = 'weatherglass'\n"
        "from weatherglass._cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print('\\n' + ' '.join(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("line", [["--help"], ["--version"], ["vectors", "--help"], ["weat", "-h"]])
def test_help_loads_nothing_heavy(line):
    assert not loaded_by(*line) & {"numpy", *HEAVY}


def test_looking_at_kept_vectors_loads_no_compiler(own_cache):
    loaded_by("vectors", "info", "default")
    again = loaded_by("vectors", "info", "default")
    assert "numpy" in again
    assert not again & {"numba", "scipy", "pyarrow", "sklearn", "pydantic"}


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, weatherglass; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"numpy", "click", *HEAVY}


def test_every_public_name_is_there_and_listed():
    for name in weatherglass.__all__:
        assert getattr(weatherglass, name) is not None
    assert dir(weatherglass) == weatherglass.__all__
    with pytest.raises(AttributeError, match="no attribute 'wheat'"):
        _ = weatherglass.wheat


def test_public_names_have_docstrings():
    for name in weatherglass.__all__:
        if name != "__version__":
            assert (getattr(weatherglass, name).__doc__ or "").strip(), name


def test_the_error_tree_in_the_docstring_is_the_tree():
    from weatherglass import errors

    drawn = re.findall(r"^ *(?:[│ ]*[├└]── )?(\w+) {2,}\S", errors.__doc__, flags=re.MULTILINE)
    defined = [
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    ]
    assert sorted(drawn) == sorted(defined)


def test_every_extra_that_a_message_names_exists():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = set(extras["optional-dependencies"])
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "MissingExtra":
                assert ast.literal_eval(node.args[1]) in known, path


def test_the_repository_names_no_machine():
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if tracked.returncode:
        pytest.skip("not a git checkout")
    for name in filter(None, tracked.stdout.split("\0")):
        text = (ROOT / name).read_bytes().decode("utf-8", "replace")
        if name != "tests/test_architecture.py":
            for mark in ("/" + "work/", "/" + "root/", "index" + "-url"):
                assert mark not in text, name
