from .analogies import plot_analogous_pairs as plot_analogous_pairs
from .analogies import plot_analogy as plot_analogy
from .analogies import plot_plane as plot_plane
from .bad_seeds import plot_experiments as plot_experiments
from .matrix import draw_matrix as draw_matrix
from .matrix import draw_paper_matrix as draw_paper_matrix
