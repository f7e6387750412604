"""Measure social bias in word and sentence embeddings, and say how sure the measurement is.

The public names are listed in ``__init__.pyi`` and loaded on first use, so that importing the
package is fast and the command line can install its signal handlers early.
"""


def __getattr__(name: str) -> object:
    # lazy_loader parses the stub; do that on the first access and not on import.
    if name.startswith("__") and name not in ("__all__", "__version__"):
        raise AttributeError(f"module 'weatherglass' has no attribute {name!r}")
    names = globals()
    if "_attached" not in names:
        import lazy_loader

        names["_attached"], _, names["__all__"] = lazy_loader.attach_stub(__name__, __file__)
    if name == "__all__":
        return names["__all__"]
    if name not in names["__all__"]:
        raise AttributeError(f"module 'weatherglass' has no attribute {name!r}")
    value: object = names["_attached"](name)
    return value


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))  # type: ignore[call-overload]
