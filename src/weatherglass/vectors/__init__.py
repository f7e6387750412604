"""Words and their vectors, from any file."""

from .frequency import Control, ControlMethod, control
from .reading import open_vectors
from .sources import Spec, parse_spec
from .vectors import Taken, Vectors

__all__ = [
    "Control",
    "ControlMethod",
    "Spec",
    "Taken",
    "Vectors",
    "control",
    "open_vectors",
    "parse_spec",
]
