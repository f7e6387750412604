from .hf import TransformerEncoder as TransformerEncoder
from .hf import open_hf as open_hf
from .hf import word_span as word_span
from .st import SentenceTransformerEncoder as SentenceTransformerEncoder
from .st import open_st as open_st
