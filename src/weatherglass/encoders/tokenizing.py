"""Tokens by a ``tokenizer.json``, as a padded table, for the encoders that bring no library."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weatherglass.errors import BadContent, EncoderError, SourceNotFound, shown


def load_tokenizer(path: Path) -> Any:
    """The tokenizer in a file, or in a folder's ``tokenizer.json``."""
    from tokenizers import Tokenizer

    file = path / "tokenizer.json" if path.is_dir() else path
    if not file.is_file():
        raise SourceNotFound(
            f"There is no {file}: the model needs its tokenizer; say where it is with "
            "?tokenizer=FOLDER."
        )
    try:
        # The library takes minutes over deep nests, which Python's own reader refuses at once.
        json.loads(file.read_bytes())
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library has one error for everything
        raise BadContent(f"{file} is no tokenizer ({str(error)[:200]}).") from None
    tokenizer.no_padding()
    return tokenizer


def token_table(
    tokenizer: Any, sentences: Sequence[str], *, pad: int = 0
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The numbers of the tokens, padded on the right, and where there are tokens."""
    cut = [one.ids for one in tokenizer.encode_batch([_clean(s) for s in sentences])]
    shape = len(cut), max((len(ids) for ids in cut), default=0)
    table, mask = np.full(shape, pad, dtype=np.int64), np.zeros(shape, dtype=bool)
    for i, ids in enumerate(cut):
        if not ids:
            raise EncoderError(f"The sentence {shown(sentences[i])} has no tokens.")
        table[i, : len(ids)], mask[i, : len(ids)] = ids, True
    return table, mask


def _clean(sentence: str) -> str:
    """Without lone surrogates, which the library cannot take."""
    return sentence.encode("utf-8", "replace").decode()
