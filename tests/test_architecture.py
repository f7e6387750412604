"""The architecture as facts that a change cannot break unseen."""

import ast
import functools
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import TypeGuard

import pytest

import weatherglass

from .unsafe import unsafe

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "weatherglass"
FILES = sorted(SOURCE.rglob("*.py"))
HEAVY = ("numba", "scipy", "pyarrow", "sklearn", "pandas", "rich", "pydantic", "h5py")


@functools.cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text())


def imports(tree: ast.AST) -> set[str]:
    """The names of all modules imported."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").split(".")[0])
    return found


def is_call(node: ast.AST, *names: str) -> TypeGuard[ast.Call]:
    """Whether a node is a call of a function with one of these names."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_pickle_eval_shell_or_unsafe_loading(path):
    assert unsafe(path.read_text(), path.relative_to(SOURCE).as_posix()) == []


UNSAFE = [
    "import pickle",
    "from pickle import loads",
    "import _pickle as p",
    "import joblib",
    "import shelve",
    "from multiprocessing import Queue",
    "import tarfile",
    "import lxml.etree",
    "from xml.dom import minidom",
    "import ctypes",
    "from os import *",
    "eval(x)",
    "print(list(map(eval, x)))",
    "import builtins; builtins.exec(x)",
    "__builtins__['eval'](x)",
    "__import__(x)",
    "compile(x, '', 'exec')",
    "import os; os.system(x)",
    "from os import system as run; run(x)",
    "import os as o; f = o.popen",
    "import os; getattr(os, 'system')(x)",
    "import os; os.execvp(x, y)",
    "import yaml; yaml.load(x, Loader=yaml.BaseLoader)",
    "from yaml import load_all; load_all(x)",
    "from yaml import unsafe_load as safe; safe(x)",
    "import yaml; yaml.parse(x, Loader=yaml.FullLoader)",
    "import subprocess; subprocess.run(x, shell=True)",
    "import subprocess; subprocess.run(f'ls {x}')",
    "from subprocess import Popen as P; P(x)",
    "import subprocess; subprocess.run(['ls'], shell=x)",
    "import numpy as np; np.load(x)",
    "import numpy as np; np.load(x, allow_pickle=True)",
    "import numpy as np; np.load(x, allow_pickle=y)",
    "from numpy import load; load(x)",
    "import torch; torch.load(x)",
    "import torch; torch.load(x, weights_only=False)",
    "from torch import load as read; read(x)",
    "import torch; torch.hub.load(x, y)",
    "import pandas as pd; pd.read_pickle(x)",
    "from gensim.models import KeyedVectors; KeyedVectors.load(x)",
    "from transformers import AutoModel; AutoModel.from_pretrained(x, trust_remote_code=True)",
    "import importlib; importlib.import_module(x)",
    "from importlib import import_module as i; i(f'{x}.y')",
    "import zipfile; zipfile.ZipFile(x).extractall(y)",
    "import zipfile; zipfile.ZipFile(x).extract(y)",
    "import shutil; shutil.unpack_archive(x)",
    "from xml.etree import ElementTree as xml; xml.parse(x)",
    "from xml.etree.ElementTree import fromstring; fromstring(x)",
    "import tempfile; tempfile.mktemp()",
    "import jinja2; jinja2.Environment(autoescape=False)",
]


@pytest.mark.parametrize("source", UNSAFE)
def test_unsafe_code_is_detected(source):
    assert unsafe(source, "_cli/doctor.py")


@pytest.mark.parametrize(
    "source",
    [
        "import re; re.compile(x); x.exec(y); model.eval()",
        "import numpy as np; np.load(x, mmap_mode='r', allow_pickle=False)",
        "import torch; torch.load(x, weights_only=True)",
        "import subprocess; subprocess.run([a, b], check=False)",
        "from importlib import import_module; import_module(f'weatherglass._cli.{x}')",
        "from importlib.util import find_spec; find_spec('torch')",
        "import os; os.environ.get('x'); system = 1; system",
        "import json; json.load(x); json.loads(x)",
    ],
)
def test_safe_code_is_accepted(source):
    assert unsafe(source, "_cli/doctor.py") == []


def test_xml_entities_are_refused():
    from weatherglass.corpus import open_corpus
    from weatherglass.errors import BadContent

    bomb = '<!DOCTYPE TEI [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><TEI><text>&b;</text></TEI>'
    for text in (bomb, bomb.replace('"x"', 'SYSTEM "file:///etc/passwd"')):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "book.xml")
            path.write_text(text)
            with pytest.raises(BadContent):
                list(open_corpus(path))


def test_yaml_is_read_only_in_one_place_and_without_resolving_scalars():
    users = [path for path in FILES if "yaml" in imports(parsed(path))]
    assert [path.name for path in users] == ["records.py"]
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
        "from weatherglass._cli.main import main\n"
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


def test_inspecting_cached_vectors_does_not_load_numba(own_cache):
    loaded_by("vectors", "info", "default")
    again = loaded_by("vectors", "info", "default")
    assert "numpy" in again
    assert not again & {"numba", "scipy", "pyarrow", "sklearn", "pydantic"}


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, weatherglass; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"numpy", "click", *HEAVY}


def test_every_public_name_exists_and_is_listed():
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
        for node in ast.walk(parsed(path)):
            if is_call(node, "MissingExtra"):
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


def results_tested_by_class(tree: ast.AST, classes: set[str]) -> list[str]:
    """Return the tests of a result's class in a syntax tree: isinstance, issubclass, match."""
    found = []
    for node in ast.walk(tree):
        if is_call(node, "isinstance", "issubclass"):
            tested = node.args[1]
        elif isinstance(node, ast.MatchClass):
            tested = node.cls
        else:
            continue
        names = {ast.unparse(name).split(".")[-1] for name in ast.walk(tested)}
        if names & classes:
            found.append(ast.unparse(node))
    return found


def result_classes() -> set[str]:
    """Return the names of `Result` and of all classes below it, by their definitions."""
    bases = {
        node.name: {ast.unparse(base).partition("[")[0] for base in node.bases}
        for path in FILES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ClassDef)
    }
    classes = {"Tabular"}
    while below := {name for name, parents in bases.items() if parents & classes} - classes:
        classes |= below
    return classes


def test_no_code_asks_for_the_class_of_a_result():
    """A result answers for itself: `row`, `sentence`, `chart`, `section` and others."""
    classes = result_classes()
    assert {"Results", "WeatResult", "SeatResult", "Discovery", "Lint", "Multiverse"} <= classes
    for path in FILES:
        assert results_tested_by_class(parsed(path), classes) == [], path


@pytest.mark.parametrize(
    "source",
    [
        "isinstance(x, WeatResult)",
        "isinstance(x, A | SeatResult)",
        "issubclass(type(x), (A, wg.WeatResult))",
        "match x:\n    case SeatResult():\n        pass",
    ],
)
def test_a_test_of_the_class_of_a_result_is_found(source):
    tree = ast.parse(source)
    assert results_tested_by_class(tree, {"WeatResult", "SeatResult"})
    other = ast.parse("isinstance(x, Vectors)")
    assert not results_tested_by_class(other, {"WeatResult", "SeatResult"})
