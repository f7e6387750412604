from .contexts import ContextScores as ContextScores
from .contexts import score_contexts as score_contexts
from .space import SharedSpace as SharedSpace
from .space import share_space as share_space
from .units import Units as Units
from .units import read_units as read_units
