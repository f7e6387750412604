from . import signals as signals
