"""What is measured: one file per measure."""

from .influence import Influence
from .results import Result, Results
from .seat import SeatResult, seat_test
from .weat import WeatResult, weat
from .wefat import WefatResult, wefat
from .words import Case, spellings

__all__ = [
    "Case",
    "Influence",
    "Result",
    "Results",
    "SeatResult",
    "WeatResult",
    "WefatResult",
    "seat_test",
    "spellings",
    "weat",
    "wefat",
]
