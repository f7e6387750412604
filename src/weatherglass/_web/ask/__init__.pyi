from .question import Question as Question
from .routes import PAGE as PAGE
