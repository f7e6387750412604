from .as_source import as_source as as_source
from .as_source import encode_words as encode_words
from .as_source import source_encoder as source_encoder
from .live import LiveEncoder as LiveEncoder
