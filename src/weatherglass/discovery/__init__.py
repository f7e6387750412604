"""Unsupervised bias enumeration: the biases that nobody thought to ask for."""

from .options import Options
from .record import Category, Cell, Change, Comparison, Discovery, Group, Indirect, Proxy, Rotations

__all__ = [
    "Category",
    "Cell",
    "Change",
    "Comparison",
    "Discovery",
    "Group",
    "Indirect",
    "Options",
    "Proxy",
    "Rotations",
]
