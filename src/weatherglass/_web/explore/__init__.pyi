from .question import Exploration as Exploration
from .question import JsonText as JsonText
from .question import Neighbour as Neighbour
from .question import Neighbours as Neighbours
from .question import WordQuery as WordQuery
from .question import find_neighbours as find_neighbours
from .routes import PAGE as PAGE
