"""Work in many independent tasks: on threads, on processes, on a Dask cluster, with one result."""

from .executors import Workers, executor
from .kept import Kept
from .running import finished, run
from .shared import Shared

__all__ = ["Kept", "Shared", "Workers", "executor", "finished", "run"]
