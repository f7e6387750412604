"""Pickles are refused: opening one can run any code. The message says how to convert it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from weatherglass.errors import PickleRefused

from .chunks import Chunk, Wanted
from .formats import Format
from .inputs import Input

_CLASS = re.compile(rb"(?:FastText)?(KeyedVectors|Word2Vec|Doc2Vec|FastText)")
_GENSIM = """\
{path} is a pickle, which can run any code when it is opened, so it is not opened here. \
If you trust it, convert it once with gensim:
    from gensim.models import {kind}
    {kind}.load({name!r}){wv}.save_word2vec_format({out!r}, binary=True)"""


def matches(source: Input) -> bool:
    """A pickle of protocol 2 to 5, an old one of an object, or PyTorch's archive of one."""
    head = source.head
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return True
    if head.startswith((b"ccopy_reg\n", b"cgensim", b"(dp0\n", b"(lp0\n", b"}q\0", b"]q\0")):
        return True
    if head.startswith(b"PK\x03\x04") and not source.packing:
        return any(name.endswith("data.pkl") for name in source.members())
    return False


def read(source: Input, wanted: Wanted | None, workers: int) -> Iterator[Chunk]:
    """Refuse."""
    if source.head.startswith(b"PK"):
        raise PickleRefused(
            f"{source.path} is a PyTorch file, which is a pickle and can run any code when it is "
            "opened. Save the weights as safetensors and open that."
        )
    # The class that was pickled is named first; a model names its KeyedVectors later.
    named = _CLASS.search(source.head)
    kind = named[1].decode() if named else "KeyedVectors"
    if not named and source.path.suffix == ".model":
        kind = "Word2Vec"
    raise PickleRefused(
        _GENSIM.format(
            path=source.path,
            name=source.path.name,
            out=source.path.with_suffix(".bin").name,
            kind=kind,
            wv="" if kind == "KeyedVectors" else ".wv",
        )
    )


FORMAT = Format(name="pickle", matches=matches, read=read)
