from .run import finished as finished
from .run import run as run
from .state import Kept as Kept
from .state import Shared as Shared
from .workers import Workers as Workers
from .workers import executor as executor
from .workers import physical_memory as physical_memory
