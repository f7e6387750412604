from .question import Neighbour as Neighbour
from .routes import PAGE as PAGE
