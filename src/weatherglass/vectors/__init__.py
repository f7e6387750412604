"""Words and their vectors, from any file."""

from .reading import open_vectors
from .sources import Spec, parse_spec
from .vectors import Taken, Vectors

__all__ = ["Spec", "Taken", "Vectors", "open_vectors", "parse_spec"]
