"""Results as tables, plots and pages."""

from .plots import plot, save_plot

__all__ = ["plot", "save_plot"]
