from .question import MAX_SET_CHARACTERS as MAX_SET_CHARACTERS
from .question import JobQuery as JobQuery
from .routes import PAGE as PAGE
