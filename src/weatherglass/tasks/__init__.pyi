from .run import as_completed as as_completed
from .run import run as run
from .state import Checkpoint as Checkpoint
from .state import Shared as Shared
from .workers import Workers as Workers
from .workers import executor as executor
from .workers import physical_memory as physical_memory
