"""The table of all formats, and which of them an input has, judged by its content.

Pickles are recognised in order to be refused: opening one can run code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from weatherglass._files import COMPRESSED_SUFFIXES, Input
from weatherglass.errors import CannotWrite, PickleRefused, UnknownFormat

from . import arrow, fasttext, hdf5, numpy, safetensors, spacy, text, word2vec
from .format import Chunk, Format, WantedWords

_GENSIM_CLASS = re.compile(rb"(?:FastText)?(KeyedVectors|Word2Vec|Doc2Vec|FastText)")
_CONVERT_WITH_GENSIM = """\
{path} is a pickle, which can run any code when it is opened, so Weatherglass does not open it. \
If you trust it, convert it once with gensim:
    from gensim.models import {kind}
    {kind}.load({name!r}){wv}.save_word2vec_format({out!r}, binary=True)"""


def find_format(source: Input) -> Format:
    """Return the format of an input."""
    for form in FORMATS:
        if form.matches(source):
            return form
    if source.is_folder:
        raise UnknownFormat(
            f"{source.path} is a folder without vectors in a known format: expected a model2vec "
            "or spaCy folder, or one .npy file with one list of words."
        )
    inside = f" (inside {source.compression})" if source.compression else ""
    raise UnknownFormat(
        f"{source.path}: its content{inside} is in no supported format. "
        "`weatherglass vectors --help` lists the formats."
    )


def format_for_writing(path: Path) -> Format:
    """Return the format that the suffix of a file name stands for."""
    is_compressed = path.suffix in COMPRESSED_SUFFIXES
    suffix = path.with_suffix("").suffix if is_compressed else path.suffix
    for form in FORMATS:
        if suffix in form.suffixes and (not is_compressed or suffix in (".txt", ".vec", ".bin")):
            return form
    known = ", ".join(suffix for form in FORMATS for suffix in form.suffixes)
    raise CannotWrite(
        f"{path.name} does not say which format to write: expected a name that ends in {known}; "
        f".txt, .vec and .bin may have {', '.join(COMPRESSED_SUFFIXES)} after them."
    )


def _is_pickle(source: Input) -> bool:
    """Recognise pickles of protocol 2 to 5, old pickles of an object, and PyTorch archives."""
    head = source.head
    if head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return True
    if head.startswith((b"ccopy_reg\n", b"cgensim", b"(dp0\n", b"(lp0\n", b"}q\0", b"]q\0")):
        return True
    if head.startswith(b"PK\x03\x04") and not source.compression:
        return any(name.endswith("data.pkl") for name in source.members())
    return False


def _refuse_pickle(source: Input, wanted: WantedWords | None, workers: int) -> Iterator[Chunk]:
    """Raise an error that says how to convert the file."""
    if source.head.startswith(b"PK"):
        raise PickleRefused(
            f"{source.path} is a PyTorch file, which is a pickle and can run any code when it is "
            "opened. Save the weights as safetensors and open that."
        )
    # The pickled class is named first; a model names its KeyedVectors later.
    match = _GENSIM_CLASS.search(source.head)
    kind = match[1].decode() if match else "KeyedVectors"
    if not match and source.path.suffix == ".model":
        kind = "Word2Vec"
    raise PickleRefused(
        _CONVERT_WITH_GENSIM.format(
            path=source.path,
            name=source.path.name,
            out=source.path.with_suffix(".bin").name,
            kind=kind,
            wv="" if kind == "KeyedVectors" else ".wv",
        )
    )


PICKLE = Format(name="pickle", matches=_is_pickle, read=_refuse_pickle)
# The order matters: formats with a magic number come first, text, which has none, last.
FORMATS: tuple[Format, ...] = (
    PICKLE,
    fasttext.FORMAT,
    arrow.FORMAT,
    hdf5.FORMAT,
    numpy.NPY,
    numpy.NPZ,
    spacy.FORMAT,
    safetensors.FORMAT,
    word2vec.FORMAT,
    text.GLOVE,
    text.WORD2VEC,
)
