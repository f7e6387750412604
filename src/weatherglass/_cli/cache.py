"""``weatherglass cache``: parsed files and encoded sentences that are kept."""

from __future__ import annotations

from typing import Any

import click

from .output import emit, format_option


@click.group()
def cache() -> None:
    """List or clear the parsed files and encoded sentences that are kept.

    They are kept in the platform's cache folder, or in WEATHERGLASS_CACHE_DIR if that is set.
    """


@cache.command("list")
@format_option
def list_entries(form: str) -> None:
    """List the parsed files and the encoded sentences."""
    from weatherglass._files import cache_dir, list_entries
    from weatherglass.encoders import sentence_cache

    rows: list[dict[str, Any]] = [
        {
            "source": entry.source,
            "words": entry.rows,
            "dimensions": entry.dim,
            "MB": round(entry.size / 1e6, 1),
            "folder": entry.folder.name,
        }
        for entry in list_entries()
    ]
    rows += [
        {
            "source": kept.encoder,
            "words": None,
            "dimensions": None,
            "MB": round(kept.size / 1e6, 1),
            "folder": kept.folder.name,
        }
        for kept in sentence_cache.entries()
    ]
    searches = list((cache_dir() / "discovery").glob("*.jsonl"))
    if searches:
        rows.append(
            {
                "source": f"{len(searches)} unfinished searches (discover --resume)",
                "words": None,
                "dimensions": None,
                "MB": round(sum(one.stat().st_size for one in searches) / 1e6, 1),
                "folder": "discovery",
            }
        )
    emit(rows, form)
    if form == "table":
        click.echo(f"{len(rows)} sources in {cache_dir()}.")


@cache.command()
def clear() -> None:
    """Delete them all; they are made again when they are needed."""
    from weatherglass._files import cache as files
    from weatherglass.encoders import sentence_cache

    freed = files.clear() + sentence_cache.clear()
    click.echo(f"{freed / 1e6:,.1f} MB freed in {files.cache_dir()}.")
