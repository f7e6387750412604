from .routes import PAGE as PAGE
from .store import UnknownUpload as UnknownUpload
from .store import Upload as Upload
from .store import Uploads as Uploads
