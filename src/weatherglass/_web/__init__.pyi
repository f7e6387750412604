from .app import create_app as create_app
from .server import run_server as run_server
from .settings import Settings as Settings
from .settings import is_local as is_local
