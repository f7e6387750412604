from .routes import PAGE as PAGE
