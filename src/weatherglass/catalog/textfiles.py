"""Reading a user's text file: bounded in size, UTF-8, every failure a plain sentence."""

from __future__ import annotations

from pathlib import Path

from weatherglass.errors import CatalogError

LIMIT = 64 * 1024 * 1024  # bytes; the largest published catalogue is a few hundred kilobytes


def name_of(path: Path) -> str:
    r"""A path for a message, control characters made visible.

    >>> print(name_of(Path("a\x1b[31m.yaml")))
    a\x1b[31m.yaml
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(path))


def read_text(path: Path) -> str:
    """The whole text of a file, without a byte order mark."""
    name = name_of(path)
    try:
        with path.open("rb") as stream:
            # One byte more than allowed, and not the size in the directory: a pipe has none.
            content = stream.read(LIMIT + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CatalogError(f"{name}: cannot be read ({reason}).") from None
    if len(content) > LIMIT:
        raise CatalogError(f"{name}: larger than {LIMIT // 2**20} MB, the limit for such a file.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise CatalogError(
            f"{name}, line {line}: byte {error.start + 1} is not UTF-8. Save it as UTF-8 text."
        ) from None
