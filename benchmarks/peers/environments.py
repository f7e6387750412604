"""An environment for each peer, made once in the cache folder: they pin versions that we do not."""

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
    """A package to compare with, the versions that fit it, and the script that runs it.

    `python` names the version of Python it needs, where that is not ours.
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
# Known by name; asked for anew in each run. There is no script for them.
OTHERS = ("weat", "EmbeddingBiasScores", "biaslyze", "fair-embedding-engine", "whatlies==0.7.0")


class NotThere(Exception):
    """A peer cannot be had here; the message is the reason."""


def environment(peer: Peer, cache: Path) -> Path:
    """The Python of the peer's environment, which is made if it is not there."""
    folder = cache / f"{peer.name}-{_digest(peer)}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if (folder / "ready").exists():
        return python
    shutil.rmtree(folder, ignore_errors=True)
    _run([_interpreter(peer), "-m", "venv", folder])
    try:
        # Wheels only: what would have to be compiled is a reason of its own.
        pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet"]
        _run([*pip, "install", "--only-binary", ":all:", *peer.requires])
    except NotThere:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    (folder / "ready").touch()
    return python


def asked_for(name: str) -> str:
    """Why a package that is known by name is not compared."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    try:
        _run([*pip, "--dry-run", "--ignore-installed", "--only-binary", ":all:", name])
    except NotThere as error:
        return str(error)
    return "could be installed, and is not compared: there is no script for it"


def rscript() -> str:
    """R's command, if it and coin are there."""
    found = shutil.which("Rscript")
    if found is None:
        raise NotThere("Rscript is not there")
    done = subprocess.run([found, "-e", "library(coin)"], capture_output=True, check=False)
    if done.returncode:
        raise NotThere("R is there, its package coin is not")
    return found


def _digest(peer: Peer) -> str:
    text = " ".join((peer.python, sys.version.split()[0], *peer.requires))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _interpreter(peer: Peer) -> str:
    """A Python of the version that the peer needs: on the path, or one that pyenv has."""
    if not peer.python:
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [f"python{peer.python}", *sorted(pyenv.glob(f"{peer.python}.*/bin/python"))]
    asked = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
    for candidate in filter(None, map(shutil.which, map(str, candidates))):
        done = subprocess.run([candidate, "-c", asked], capture_output=True, text=True, check=False)
        if done.stdout.strip() == peer.python:
            return candidate
    raise NotThere(f"{' '.join(peer.requires)} needs Python {peer.python}, which is not there")


def _run(line: list[object]) -> None:
    done = subprocess.run([str(word) for word in line], capture_output=True, text=True, check=False)
    if done.returncode:
        said = [text[7:] for text in done.stderr.splitlines() if text.startswith("ERROR: ")]
        # Which versions were passed over comes first; it is the reason only if none was left.
        none = any("(from versions: none)" in text for text in said)
        said.sort(key=lambda text: not none and text.startswith("Ignored "))
        reason = (said or done.stderr.splitlines() or ["it did not say why"])[0]
        raise NotThere(shorten(reason, 160, placeholder=" …"))
