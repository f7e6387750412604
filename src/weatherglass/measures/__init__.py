"""What is measured: one file per measure, with the function of that name in it."""

from weatherglass.vectors.spelling import Case

from .ceat import CeatResult, ceat_test
from .declared import Measure, Needed
from .influence import Influence
from .measured import MeasureResult
from .registry import MEASURES
from .results import Result, Results
from .seat import SeatResult, seat_test
from .weat import WeatResult
from .wefat import WefatResult
from .words import spellings

__all__ = [
    "MEASURES",
    "Case",
    "CeatResult",
    "Influence",
    "Measure",
    "MeasureResult",
    "Needed",
    "Result",
    "Results",
    "SeatResult",
    "WeatResult",
    "WefatResult",
    "ceat_test",
    "seat_test",
    "spellings",
]
