"""The command that starts the page."""

from __future__ import annotations

import builtins
import socket
import subprocess
import sys
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

from weatherglass.errors import install_command


def test_serve_prints_the_address_of_the_page_and_serves_it(tiny):
    command = [sys.executable, "-m", "weatherglass", "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        [*command, "--source", tiny], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            line = server.stdout.readline()
            address = line.split(" at ")[1].split()[0]
            assert address.startswith("http://127.0.0.1:")
            with urlopen(address, timeout=30) as page:  # the socket listens before it is printed
                assert b"Ask an embedding a question" in page.read()
        finally:
            server.terminate()


def test_serve_refuses_a_public_host_without_a_token(run):
    ran = run("serve", "--host", "0.0.0.0", "--no-browser")
    assert ran.code == 2
    assert "--token" in ran.err


def test_the_printed_link_quotes_any_token(run, tiny, monkeypatch):
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)
    token = "a&b #c+d/e?f%"
    ran = run("serve", "--source", tiny, "--port", 0, "--token", token, "--no-browser")
    link = ran.out.split(" at ")[1].split()[0]
    assert parse_qs(urlsplit(link).query) == {"token": [token]}


def test_serve_refuses_a_missing_source_before_it_starts(run):
    ran = run("serve", "--source", "nowhere.txt", "--no-browser")
    assert ran.code == 1
    assert "nowhere.txt" in ran.err


def test_serve_names_a_port_that_is_in_use(run, tiny):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run("serve", "--source", tiny, "--port", port, "--no-browser")
    assert ran.code == 1
    assert f"port {port}" in ran.err
    assert "--port 0" in ran.err


def test_serve_without_the_extra_prints_the_install_command(run, monkeypatch):
    real = builtins.__import__

    def without(name, *arguments, **options):
        if name == "fastapi":
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    ran = run("serve", "--no-browser")
    assert ran.code == 1
    assert install_command("web") in ran.err


def test_serve_help_imports_no_server():
    code = (
        "import sys; from weatherglass._cli.main import main\n"
        "try: main(['serve', '--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'fastapi', 'starlette', 'uvicorn', 'jinja2', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
