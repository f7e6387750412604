"""``weatherglass serve``: the local web page."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click

from weatherglass.errors import CannotMeasure, MissingExtra

from .signals import hangup_ends


@click.command()
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="SOURCE",
    help="A source of vectors to ask; may be given again.  [default: default]",
)
@click.option(
    "--folder",
    "folders",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    help="A folder whose vector files and audits the page may open; may be given again.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="The port to listen at; 0 takes a free one.",
)
@click.option(
    "--token",
    default="",
    help="A long random word that visitors must know; needed where others can reach the page.",
)
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
def serve(
    sources: tuple[str, ...],
    folders: tuple[Path, ...],
    host: str,
    port: int,
    token: str,
    no_browser: bool,
) -> None:
    """Open a local web page that asks embeddings questions.

    It listens on this machine only, unless told otherwise, and runs until Ctrl-C.
    """
    try:
        import fastapi  # noqa: F401
        import jinja2  # noqa: F401
        import uvicorn
    except ImportError:
        raise MissingExtra("The web page", "web") from None
    from weatherglass._web import Settings, create_app
    from weatherglass.vectors import find_path, parse_spec

    named = sources or ("default",)
    asked: dict[str, Any] = {"sources": named, "folders": folders, "token": token}
    Settings(**asked, host=host, port=port)  # refuses what is not safe before anything is opened
    for source in named:
        find_path(parse_spec(source))
    with _listening(host, port) as listening:
        settings = Settings(**asked, host=host, port=listening.getsockname()[1], warm=True)
        where = _address(settings.host, settings.port)
        link = f"{where}?{urlencode({'token': token})}" if token else where
        click.echo(f"Weatherglass is at {link} (Ctrl-C ends it).")
        config = uvicorn.Config(
            create_app(settings),
            log_level="warning",
            server_header=False,
            access_log=False,
            # A question is an address: long word lists make it longer than the usual 64 kB.
            h11_max_incomplete_event_size=settings.body,
        )
        if not no_browser:
            _open_soon(link)
        hangup_ends()
        uvicorn.Server(config).run(sockets=[listening])


def _listening(host: str, port: int) -> socket.socket:
    """A socket at an address; a port that is taken is said in a sentence."""
    try:
        family, _, _, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        made = socket.socket(family, socket.SOCK_STREAM)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(where)
            made.listen(2048)
        except OSError:
            made.close()
            raise
    except OSError as error:
        raise CannotMeasure(
            f"The page cannot be opened at {host}, port {port}: {error.strerror}. Another port "
            "may be free: --port 0 takes one."
        ) from None
    return made


def _address(host: str, port: int) -> str:
    name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"


def _open_soon(link: str) -> None:
    """Open the page in a browser; the socket already listens, so that it need not wait."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
