from . import tables as tables
from . import tei as tei
from . import text as text
from .format import CorpusFormat as CorpusFormat
from .format import Document as Document
from .format import Reading as Reading
from .format import join_documents as join_documents
from .text import check_encoding as check_encoding
