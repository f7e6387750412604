"""The local web page and its HTTP API: it calls what the library has, and holds no maths."""
