"""Fingerprints of encoders: of the files they are made of, and of the options."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

from weatherglass.errors import SourceError
from weatherglass.vectors import cache, parse_spec
from weatherglass.vectors.detect import find_format
from weatherglass.vectors.fingerprints import file_fingerprint, joined, processors
from weatherglass.vectors.inputs import Input
from weatherglass.vectors.sources import find_path


def fingerprint_of(*parts: object) -> str:
    """One fingerprint of several things that are text, numbers, or lists and tables of those.

    >>> fingerprint_of("cbow", 1) != fingerprint_of("cbow", "1")
    True
    """
    text = json.dumps(parts, sort_keys=True).encode()
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def files_fingerprint(files: Sequence[Path]) -> str:
    """The fingerprint of the contents of some files, remembered for as long as none changes."""
    known = cache.remembered(files)
    if known is not None:
        return known
    try:
        state = cache.file_state(files)
        fingerprint = joined([file_fingerprint(path, processors()) for path in files])
    except OSError as error:
        raise SourceError(f"{error.filename or files[0]} cannot be read: {error}.") from error
    cache.remember(files, fingerprint, state)
    return fingerprint


def kept_fingerprint(source: str | os.PathLike[str]) -> str | None:
    """The fingerprint of a source of `Vectors`, if it is known without reading the source."""
    spec = parse_spec(os.fsdecode(source))
    opened = Input(find_path(spec), spec.options)
    return cache.remembered(list(find_format(opened).files(opened)))
