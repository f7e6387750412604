"""Detect code that could execute untrusted input, from the syntax tree.

Imports are resolved, so that ``from os import system as run`` is detected as well as ``os.system``,
whether it is called or only named.

Known exceptions that it cannot detect:

- Workers in other processes and on a cluster receive pickled tasks, from `concurrent.futures` and
  Dask. Both ends are this package, and only ``tasks/`` may use them.
- Numba stores compiled kernels as pickles, in ``__pycache__`` or in the cache folder. Whoever
  can write there can also replace the package's ``.pyc`` files.
- HanTa's model of English, in the extra ``pos``, is a pickle inside the package HanTa.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

# Modules that unpickle, execute or unpack; importing them is forbidden.
MODULES = {
    *("pickle", "_pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "joblib"),
    *("copyreg", "code", "codeop", "runpy", "imp", "pty", "builtins", "ctypes", "cffi"),
    *("tarfile", "xml.sax", "xml.dom", "lxml", "telnetlib", "ftplib"),
}
# Modules that only some folders need.
ONLY_IN = {
    "multiprocessing": ("tasks/",),
    "concurrent.futures.ProcessPoolExecutor": ("tasks/",),
    "concurrent.futures.process": ("tasks/",),
    "distributed": ("tasks/",),
    "dask": ("tasks/",),
    "subprocess": ("_cli/doctor.py", "translation/translators.py"),
    "yaml": ("_files/records.py",),
    "xml": ("corpus/formats/tei.py", "auditing/gate/junit.py"),
}
# Functions, and whatever is below a name that ends in a full stop.
NAMES = (
    *("eval", "exec", "compile", "__import__", "__builtins__", "breakpoint"),
    *("os.system", "os.popen", "os.exec", "os.spawn", "os.posix_spawn", "os.startfile"),
    *("subprocess.getoutput", "subprocess.getstatusoutput", "shutil.unpack_archive"),
    *("yaml.load", "yaml.full_load", "yaml.unsafe_load", "yaml.safe_load", "yaml.Loader"),
    *(
        "yaml.FullLoader",
        "yaml.UnsafeLoader",
        "yaml.SafeLoader",
        "yaml.CLoader",
        "yaml.CSafeLoader",
    ),
    *("tempfile.mktemp", "pandas.read_pickle", "numpy.lib.format.read_array", "torch.jit.load"),
    *("torch.package.", "torch.hub.", "gensim.utils.unpickle", "gensim.utils.SaveLoad"),
    *("xml.etree.ElementTree.parse", "xml.etree.ElementTree.iterparse"),
    *("xml.etree.ElementTree.fromstring", "xml.etree.ElementTree.XML"),
    *("ssl._create_unverified_context", "importlib.machinery.", "importlib.util.module_from_spec"),
)
METHODS = {"extractall", "read_pickle", "to_pickle", "unpickle", "load_word2vec_format"}
# Arguments that must be there, and say this; and those that must not say that.
MUST_SAY = {
    "numpy.load": ("allow_pickle", False),
    "torch.load": ("weights_only", True),
}
MUST_NOT_SAY = {
    ("allow_pickle", True),
    ("shell", True),
    ("weights_only", False),
    ("trust_remote_code", True),
    ("autoescape", False),
    ("verify", False),
}


def unsafe(source: str, file: str = "module.py") -> list[str]:
    """What is unsafe in a source, in words; nothing if all is well."""
    tree = ast.parse(source)
    known = _imported(tree)
    found = list(_imports(tree, file))
    for node in ast.walk(tree):
        name = _name(node, known)
        if name and _is_forbidden(name):
            found.append(name)
        if isinstance(node, ast.Call):
            found += _call(node, _name(node.func, known) or "")
            is_extract = isinstance(node.func, ast.Attribute) and node.func.attr == "extract"
            if is_extract and "zipfile" in known.values():
                found.append("zipfile's extract")
    return sorted(set(found))


def _imported(tree: ast.AST) -> dict[str, str]:
    """What each imported name stands for, in full."""
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.split(".")[0]
                known[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return known


def _imports(tree: ast.AST, file: str) -> Iterator[str]:
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.endswith(".*"):
                yield f"import {name}"
            for module in MODULES:
                if f"{name}.".startswith(f"{module}."):
                    yield f"import {module}"
            for module, places in ONLY_IN.items():
                if f"{name}.".startswith(f"{module}.") and not file.startswith(places):
                    yield f"import {module}"


def _name(node: ast.AST, known: dict[str, str]) -> str | None:
    """The full name of what an expression refers to, where it is one."""
    if isinstance(node, ast.Name):
        return known.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        before = _name(node.value, known)
        return f"{before}.{node.attr}" if before else None
    if isinstance(node, ast.Call) and len(node.args) > 1:  # getattr(os, "system")
        inner, second = _name(node.func, known), node.args[1]
        if inner == "getattr" and isinstance(second, ast.Constant):
            before = _name(node.args[0], known)
            return f"{before}.{second.value}" if before else None
    return None


def _is_forbidden(name: str) -> bool:
    for known in NAMES:
        if name == known or (known.endswith(".") and name.startswith(known)):
            return True
        # os.execv and os.spawnlp as well as os.exec, yaml.load_all as well as yaml.load.
        if (
            "." in known
            and name.startswith(known)
            and name.rpartition(".")[0] == known.rpartition(".")[0]
        ):
            return True
    return name.startswith("gensim.") and name.endswith(".load")


def _call(node: ast.Call, name: str) -> Iterator[str]:
    keywords = {
        keyword.arg: keyword.value.value if isinstance(keyword.value, ast.Constant) else ...
        for keyword in node.keywords
        if keyword.arg
    }
    for argument, value in keywords.items():
        if (argument, value) in MUST_NOT_SAY:
            yield f"{argument}={value}"
        # What is worked out as it runs may be either.
        if value is ... and argument in ("allow_pickle", "shell", "weights_only"):
            yield f"{argument}=?"
    if name in MUST_SAY:
        argument, value = MUST_SAY[name]
        if keywords.get(argument) is not value:
            yield f"{name} without {argument}={value}"
    if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
        yield f".{node.func.attr}()"
    runs = name.startswith("subprocess.") and name != "subprocess.TimeoutExpired"
    if runs and not (node.args and isinstance(node.args[0], ast.List)):
        yield f"{name} without a list"
    if name in ("importlib.import_module", "importlib.__import__") and not _is_ours(node):
        yield f"{name} of any name"


def _is_ours(node: ast.Call) -> bool:
    """Whether the name of a module begins with ours, whatever comes after."""
    first = node.args[0] if node.args else None
    if isinstance(first, ast.JoinedStr):
        first = first.values[0] if first.values else None
    if not isinstance(first, ast.Constant):
        return False
    if str(first.value).startswith("."):
        return [ast.unparse(argument) for argument in node.args[1:]] == ["__name__"]
    return f"{first.value}.".startswith("weatherglass.")
