"""``weatherglass serve``: the local web page."""

from __future__ import annotations

import secrets
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click

from weatherglass.errors import CannotMeasure, MissingExtra, UsageError

from .signals import SENTENCE, hangup_as_terminate


@click.command()
@click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="SOURCE",
    help="A source of vectors to offer on the page; repeatable.  [default: default]",
)
@click.option(
    "--encoder",
    "encoders",
    multiple=True,
    metavar="ENCODER",
    help="A sentence encoder to offer for rankings, such as st:NAME; repeatable.",
)
@click.option(
    "--folder",
    "folders",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    help="A folder whose vector files and audits the page may open; repeatable.",
)
@click.option(
    "--study",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The folder of a crowd study: people do its tasks at /crowd/exam, and answers are saved "
    "to answers.jsonl in the folder.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="Port to listen on; 0 chooses a free one.",
)
@click.option(
    "--token-file",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    help="A file with the secret that visitors must know; - reads it from standard input. Without "
    "it, and without WEATHERGLASS_TOKEN, a secret is generated if others can reach the page.",
)
@click.option(
    "--token",
    envvar="WEATHERGLASS_TOKEN",
    default="",
    help="The secret itself; other users of this machine can see it in the list of processes.",
)
@click.option("--no-browser", is_flag=True, help="Do not open the page in a browser.")
def serve(
    sources: tuple[str, ...],
    encoders: tuple[str, ...],
    folders: tuple[Path, ...],
    study: Path | None,
    host: str,
    port: int,
    token_file: Path | None,
    token: str,
    no_browser: bool,
) -> None:
    """Open a local web page to measure, explore and compare embeddings.

    It listens on this machine only, unless you give another --host, and runs until Ctrl-C.
    """
    try:
        import fastapi  # noqa: F401
        import jinja2  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingExtra("The web page", "web") from None
    from weatherglass._web import Settings, create_app, is_local, run_server
    from weatherglass.encoders import open_encoder
    from weatherglass.vectors import find_path, parse_spec

    named = sources or ("default",)
    token = _choose_token(token, token_file, is_local=is_local(host))
    options: dict[str, Any] = {"sources": named, "folders": folders, "token": token}
    options["encoders"] = tuple(dict.fromkeys(encoders))
    options["study"] = study
    Settings(**options, host=host, port=port)  # refuses unsafe settings before anything is opened
    if study is not None:
        from weatherglass.crowd import CrowdStudy

        CrowdStudy.load(study)  # refuses a folder without a study
    for source in named:
        find_path(parse_spec(source))
    for encoder in options["encoders"]:
        open_encoder(encoder)  # the model itself is loaded by the job that uses it
    with _listen(host, port) as listener:
        port = listener.getsockname()[1]
        settings = Settings(**options, host=host, port=port, warm_up=True)
        address = _address(settings.host, settings.port)
        link = f"{address}?{urlencode({'token': token})}" if token else address
        click.echo(f"Weatherglass is at {link} (press Ctrl-C to stop).")
        app = create_app(settings)
        if not no_browser:
            _open_browser(link)
        hangup_as_terminate()
        run_server(app, settings, listener, lambda: click.echo(SENTENCE, err=True))


def _choose_token(token: str, file: Path | None, *, is_local: bool) -> str:
    """Return the secret that visitors must know: the one given, or else a new one if others can
    reach the page."""
    if file is not None and token:
        raise UsageError("Give the token in a file or by itself, not both.")
    if file is not None:
        with click.open_file(str(file), encoding="utf-8") as stream:
            token = stream.read(10_000).strip()
        if not token:
            raise UsageError(f"{file} is empty; it must hold the token.")
    return token if token or is_local else secrets.token_urlsafe(24)


def _listen(host: str, port: int) -> socket.socket:
    """Open a socket that listens; raise `CannotMeasure` if the port is in use."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(2048)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise CannotMeasure(
            f"The page cannot listen on {host}, port {port}: {error.strerror}. Use --port 0 to "
            "choose a free port."
        ) from None
    return listener


def _address(host: str, port: int) -> str:
    name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"


def _open_browser(link: str) -> None:
    """Open the page in a browser, in a thread; the socket listens already, so it can connect."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
