"""``weatherglass cache``: the parsed files that are kept for quick opening."""

from __future__ import annotations

import click

from .output import emit, format_option


@click.group()
def cache() -> None:
    """List or clear the parsed files that are kept for quick opening.

    They are kept in the platform's cache folder, or in WEATHERGLASS_CACHE_DIR if that is set.
    """


@cache.command("list")
@format_option
def list_entries(form: str) -> None:
    """List the parsed files."""
    from weatherglass.vectors.cache import cache_dir, entries

    rows = [
        {
            "source": entry.source,
            "words": entry.rows,
            "dimensions": entry.dim,
            "MB": round(entry.size / 1e6, 1),
            "folder": entry.folder.name,
        }
        for entry in entries()
    ]
    emit(rows, form)
    if form == "table":
        click.echo(f"{len(rows)} parsed files in {cache_dir()}.")


@cache.command()
def clear() -> None:
    """Delete them all; they are made again when they are needed."""
    from weatherglass.vectors.cache import cache_dir
    from weatherglass.vectors.cache import clear as clear_cache

    click.echo(f"{clear_cache() / 1e6:,.1f} MB freed in {cache_dir()}.")
