"""Which format an input has: by its content, whatever it is called."""

from __future__ import annotations

from pathlib import Path

from weatherglass._files import COMPRESSED_SUFFIXES, Input
from weatherglass.errors import CannotWrite, UnknownFormat

from . import arrow, fasttext, format, hdf5, numpy, safetensors, spacy, text, word2vec
from .format import Format

# The order matters: formats with a magic number first, text, which has none, last.
FORMATS: tuple[Format, ...] = (
    format.FORMAT,
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


def find_format(source: Input) -> Format:
    """The format of an input."""
    for form in FORMATS:
        if form.matches(source):
            return form
    if source.is_folder:
        raise UnknownFormat(
            f"{source.path} is a folder without vectors that are known here: expected a model2vec "
            "or spaCy folder, or one .npy file with one list of words."
        )
    inside = f" (inside {source.compression})" if source.compression else ""
    raise UnknownFormat(
        f"{source.path}: its content{inside} is none of the formats read here. "
        "`weatherglass vectors --help` lists them."
    )


def format_for_writing(path: Path) -> Format:
    """The format that a file's name asks for."""
    packed = path.suffix in COMPRESSED_SUFFIXES
    suffix = path.with_suffix("").suffix if packed else path.suffix
    for form in FORMATS:
        if suffix in form.suffixes and (not packed or suffix in (".txt", ".vec", ".bin")):
            return form
    known = ", ".join(suffix for form in FORMATS for suffix in form.suffixes)
    raise CannotWrite(
        f"{path.name} does not say which format to write: expected a name that ends in {known}; "
        f".txt, .vec and .bin may have {', '.join(COMPRESSED_SUFFIXES)} after them."
    )
