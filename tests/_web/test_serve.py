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
                assert b"Try your own words" in page.read()
        finally:
            server.terminate()


def served_token(ran):
    """Return the token in the link that a server printed."""
    assert ran.code == 0, ran.err
    link = ran.out.split(" at ")[1].split()[0]
    return parse_qs(urlsplit(link).query)["token"]


def test_a_page_that_others_can_reach_gets_a_new_secret_each_time(run, tiny, monkeypatch):
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)
    line = ["serve", "--source", tiny, "--host", "0.0.0.0", "--port", 0, "--no-browser"]
    (first,), (second,) = served_token(run(*line)), served_token(run(*line))
    assert len(first) >= 32
    assert first != second


def test_the_token_comes_from_a_file_or_the_environment(run, tiny, monkeypatch, tmp_path):
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)
    line = ["serve", "--source", tiny, "--port", 0, "--no-browser"]
    file = tmp_path / "token"
    file.write_text("from-a-file-of-mine\n")
    assert served_token(run(*line, "--token-file", file)) == ["from-a-file-of-mine"]
    monkeypatch.setenv("WEATHERGLASS_TOKEN", "from-the-environment")
    assert served_token(run(*line)) == ["from-the-environment"]
    ran = run(*line, "--token-file", file)
    assert ran.code == 2
    assert "not both" in ran.err


def test_an_empty_token_file_is_refused(run, tiny, tmp_path):
    (tmp_path / "token").write_text(" \n")
    ran = run("serve", "--source", tiny, "--no-browser", "--token-file", tmp_path / "token")
    assert ran.code == 2
    assert "is empty" in ran.err


def test_the_printed_link_quotes_any_token(run, tiny, monkeypatch):
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)
    token = "a&b #c+d/e?f%"
    ran = run("serve", "--source", tiny, "--port", 0, "--token", token, "--no-browser")
    link = ran.out.split(" at ")[1].split()[0]
    assert parse_qs(urlsplit(link).query) == {"token": [token]}


def test_serve_refuses_a_missing_source_before_it_starts(run):
    ran = run("serve", "--source", "nowhere.txt", "--no-browser")
    assert ran.code == 3
    assert "nowhere.txt" in ran.err


def test_serve_names_a_port_that_is_in_use(run, tiny):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run("serve", "--source", tiny, "--port", port, "--no-browser")
    assert ran.code == 3
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
    assert ran.code == 3
    assert install_command("web") in ran.err


def test_serve_help_imports_no_server():
    code = (
        "import sys; from weatherglass._cli.main import main\n"
        "try: main(['serve', '--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'fastapi', 'starlette', 'uvicorn', 'jinja2', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
