"""An environment for each tool, created once in the cache folder: some need old versions."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten


@dataclass(frozen=True)
class Peer:
    """A package to compare with: the versions to install, and the script that runs it.

    `python` is the version of Python that it needs, if that is not the running one.
    """

    name: str
    requires: tuple[str, ...]
    script: str
    python: str = ""


PEERS = (
    Peer("scipy", ("scipy==1.17.1", "numpy==2.4.6"), "run_scipy.py"),
    Peer(
        "wefe",
        ("wefe==1.0.1", "gensim==4.4.0", "numpy==1.26.4", "scipy==1.12.0", "scikit-learn==1.9.1"),
        "run_wefe.py",
    ),
    Peer(
        "responsibly",
        ("responsibly==0.1.3", "gensim==3.7.3", "numpy==1.21.6", "scipy==1.7.3"),
        "run_responsibly.py",
        python="3.7",
    ),
)
GENSIM = Peer("gensim", ("gensim==4.4.0", "numpy==2.4.6"), "read_gensim.py")
# Each run checks whether these can be installed. There are no scripts for them.
OTHERS = ("weat", "EmbeddingBiasScores", "biaslyze", "fair-embedding-engine", "whatlies==0.7.0")


class NotAvailable(Exception):
    """A tool cannot be installed or found; the message is the reason."""


def make_environment(peer: Peer, cache: Path) -> Path:
    """Create the environment of a tool, unless it exists, and return its Python."""
    folder = cache / f"{peer.name}-{_digest(peer)}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if (folder / "ready").exists():
        return python
    shutil.rmtree(folder, ignore_errors=True)
    _run([_interpreter(peer), "-m", "venv", folder])
    try:
        # Wheels only: a package that would have to be compiled counts as not available.
        pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet"]
        _run([*pip, "install", "--only-binary", ":all:", *peer.requires])
    except NotAvailable:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    (folder / "ready").touch()
    return python


def why_not_compared(name: str) -> str:
    """Reason why a package without a script is not in the comparison."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    try:
        _run([*pip, "--dry-run", "--ignore-installed", "--only-binary", ":all:", name])
    except NotAvailable as error:
        return str(error)
    return "can be installed, but there is no script for it"


def find_rscript() -> str:
    """Path of Rscript, if R and its package coin are installed."""
    path = shutil.which("Rscript")
    if path is None:
        raise NotAvailable("R is not installed")
    process = subprocess.run([path, "-e", "library(coin)"], capture_output=True, check=False)
    if process.returncode:
        raise NotAvailable("the R package coin is not installed")
    return path


def _digest(peer: Peer) -> str:
    text = " ".join((peer.python, sys.version.split()[0], *peer.requires))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _interpreter(peer: Peer) -> str:
    """A Python of the version that the tool needs, from PATH or from pyenv."""
    if not peer.python:
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [f"python{peer.python}", *sorted(pyenv.glob(f"{peer.python}.*/bin/python"))]
    code = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
    for candidate in filter(None, map(shutil.which, map(str, candidates))):
        process = subprocess.run([candidate, "-c", code], capture_output=True, text=True)
        if process.stdout.strip() == peer.python:
            return candidate
    raise NotAvailable(f"{peer.requires[0]} needs Python {peer.python}, which is not installed")


def _run(line: list[object]) -> None:
    process = subprocess.run([str(word) for word in line], capture_output=True, text=True)
    if process.returncode:
        errors = [text[7:] for text in process.stderr.splitlines() if text.startswith("ERROR: ")]
        # pip first lists the versions that it ignored; that is the reason only if none was left.
        none_left = any("(from versions: none)" in text for text in errors)
        errors.sort(key=lambda text: not none_left and text.startswith("Ignored "))
        reason = (errors or process.stderr.splitlines() or ["no reason given"])[0]
        raise NotAvailable(shorten(reason, 160, placeholder=" …"))
