"""How sure: p-values without guessing, intervals, and correction for many tests.

Importing this brings in numpy only; scipy and the compiled kernels are loaded when they are used.
"""

from .bootstrap import BootstrapMethod, Interval, bootstrap_interval
from .correction import benjamini_hochberg, holm
from .permutation import PermutationMethod, permutation_p
from .pvalue import Alternative, Method, PValue, format_p
from .rotation import rotation_p, sampled_rotation_p

__all__ = [
    "Alternative",
    "BootstrapMethod",
    "Interval",
    "Method",
    "PValue",
    "PermutationMethod",
    "benjamini_hochberg",
    "bootstrap_interval",
    "format_p",
    "holm",
    "permutation_p",
    "rotation_p",
    "sampled_rotation_p",
]
