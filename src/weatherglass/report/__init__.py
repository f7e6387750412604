"""Results as tables, plots and pages."""

from .audit import audit_figures, audit_page
from .audited import Audited
from .comparison import comparison_page
from .discovery import discovery_page
from .discovery_plot import plot_discovery
from .plots import plot, save_plot

__all__ = [
    "Audited",
    "audit_figures",
    "audit_page",
    "comparison_page",
    "discovery_page",
    "plot",
    "plot_discovery",
    "save_plot",
]
