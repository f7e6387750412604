from .difference import MIN_FOR_INTERVAL as MIN_FOR_INTERVAL
from .difference import PermutedDifference as PermutedDifference
from .difference import permuted_difference as permuted_difference
from .difference import retrained_interval as retrained_interval
from .trend import MIN_PERIODS as MIN_PERIODS
from .trend import Trend as Trend
from .trend import fit_slope as fit_slope
from .trend import trend as trend
