"""``weatherglass cache``: the cache of parsed files and encoded sentences."""

from __future__ import annotations

from typing import Any

import click

from weatherglass.errors import UsageError, did_you_mean, quote_safe

from .options import output_options
from .output import Output
from .verbosity import SuggestingGroup

# Folders of the cache that hold one file for each result.
_FOLDERS = {
    "discovery": "unfinished searches (discover --resume)",
    "searches": "finished searches of the page Discover",
    "layouts": "layouts of the Map (UMAP)",
}


@click.group(cls=SuggestingGroup)
def cache() -> None:
    """List or clear the cache of parsed files and encoded sentences.

    It is in the platform's cache folder, or in WEATHERGLASS_CACHE_DIR if that is set.
    """


@cache.command("list")
@output_options(out=False)
def list_entries(output: Output) -> None:
    """List the parsed files and the encoded sentences in the cache."""
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
            "source": entry.encoder,
            "words": None,
            "dimensions": None,
            "MB": round(entry.size / 1e6, 1),
            "folder": entry.folder.name,
        }
        for entry in sentence_cache.entries()
    ]
    for folder, what in _FOLDERS.items():
        files = [path for path in (cache_dir() / folder).glob("*.json*") if path.is_file()]
        if files:
            size = sum(path.stat().st_size for path in files)
            rows.append(
                {
                    "source": f"{len(files)} {what}",
                    "words": None,
                    "dimensions": None,
                    "MB": round(size / 1e6, 1),
                    "folder": folder,
                }
            )
    output.write_rows(rows)
    if output.format == "table":
        click.echo(f"{len(rows)} sources in {cache_dir()}.")


@cache.command()
@click.argument("source", required=False)
def clear(source: str | None) -> None:
    """Delete the cached files of SOURCE, or all of them; they are created again when needed.

    SOURCE is a file, an encoder or an endpoint, as `cache list` prints it.
    """
    from weatherglass._files import cache as files
    from weatherglass._files import list_entries
    from weatherglass.encoders import sentence_cache

    if source is not None:
        known = {entry.source for entry in list_entries()}
        known |= {entry.encoder for entry in sentence_cache.entries()}
        if source not in known:
            raise UsageError(
                f"The cache has nothing of {quote_safe(source)}."
                + (did_you_mean(source, known) or " `weatherglass cache list` shows what it has.")
            )
    freed = files.clear(source) + sentence_cache.clear(source)
    click.echo(f"{freed / 1e6:,.1f} MB freed in {files.cache_dir()}.")
