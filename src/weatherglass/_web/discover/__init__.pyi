from .question import start_opening_search as start_opening_search
from .routes import PAGE as PAGE
