"""Words and their vectors, from any file."""

from .frequency import Control, ControlMethod, by_frequency, control
from .reading import open_vectors
from .sources import Spec, parse_spec
from .vectors import Taken, Vectors

__all__ = [
    "Control",
    "ControlMethod",
    "Spec",
    "Taken",
    "Vectors",
    "by_frequency",
    "control",
    "open_vectors",
    "parse_spec",
]
