from .question import MOST_LETTERS as MOST_LETTERS
from .question import JobOf as JobOf
from .routes import PAGE as PAGE
