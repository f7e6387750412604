from .answer import MeasuredTest as MeasuredTest
from .page import render_answer_page as render_answer_page
from .question import Question as Question
from .routes import PAGE as PAGE
