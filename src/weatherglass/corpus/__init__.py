"""Text to tokens to trained, bootstrapped vectors."""

from .corpus import Corpus
from .documents import Document
from .modelfiles import Model, open_models
from .opening import open_corpus
from .tokens import Tokenizer
from .training import Trained, train

__all__ = [
    "Corpus",
    "Document",
    "Model",
    "Tokenizer",
    "Trained",
    "open_corpus",
    "open_models",
    "train",
]
