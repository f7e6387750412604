from .measure import sentiment as sentiment
from .result import SentenceRange as SentenceRange
from .result import Sentiment as Sentiment
from .result import SentimentResult as SentimentResult
from .scorer import Scorer as Scorer
