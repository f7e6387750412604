"""Results as tables, plots and pages."""

from .comparison import comparison_page
from .discovery import discovery_page
from .discovery_plot import plot_discovery
from .plots import plot, save_plot

__all__ = ["comparison_page", "discovery_page", "plot", "plot_discovery", "save_plot"]
