"""The guard: which requests are accepted, how large they may be, security headers."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from weatherglass._web.guard import is_own_host
from weatherglass._web.settings import Settings
from weatherglass._web.sources import find_vector_files, is_inside
from weatherglass.errors import UsageError

from .conftest import open_client, run_server

TOKEN = "a-long-secret-word"


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765", "localhost"])
def test_local_host_names_are_accepted(client, host):
    assert client.get("/api/sources", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.test", "evil.test:8765", "127.0.0.1.evil.test", "localhost@evil.test", "", "a b"]
)
def test_foreign_host_names_are_refused_against_dns_rebinding(client, host):
    answer = client.get("/api/sources", headers={"Host": host})
    assert answer.status_code == 421
    assert "name" in answer.json()["error"]


def test_a_server_on_every_address_accepts_ip_addresses_but_not_foreign_names():
    open_to_all = Settings(host="0.0.0.0", token=TOKEN)
    assert is_own_host("192.168.0.7:8765", open_to_all)
    assert not is_own_host("evil.test:8765", open_to_all)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.test"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_pages_of_other_sites_cannot_change_anything(client, headers):
    assert client.post("/jobs/x/cancel", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://127.0.0.1:8765", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "null", "Sec-Fetch-Site": "same-origin"},  # a form, without scripts
    ],
)
def test_own_pages_and_programs_may_change_things(client, headers):
    assert client.post("/jobs/x/cancel", headers=headers).status_code == 404


def test_other_sites_may_link_to_pages_but_not_embed_them(client):
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/api/sources", headers=link).status_code == 200
    embedded = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert client.get("/api/sources", headers=embedded).status_code == 403
    framed = link | {"Sec-Fetch-Dest": "iframe"}
    assert client.get("/discover?source=default", headers=framed).status_code == 403


def test_a_link_on_another_site_does_not_start_an_audit(client):
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    for path in ("/audits/start", "/api/audits/start"):
        assert client.get(f"{path}?source=missing", headers=link).status_code == 403
        own = client.get(f"{path}?source=missing", headers={"Sec-Fetch-Site": "same-origin"})
        assert own.status_code == 404


@pytest.mark.parametrize("path", ["/", "/api/sources", "/static/site.css", "/nothing-here"])
def test_every_response_has_the_security_headers(client, path):
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "cache-control" in headers


def test_pages_have_no_inline_script_or_style(client, as_browser):
    for path in ("/", "/?test=weat6&source=default", "/nothing-here"):
        page = client.get(path, headers=as_browser()).text
        assert "<script>" not in page
        assert "<style" not in page
        assert " style=" not in page
        assert " onclick=" not in page
        assert "hx-on" not in page


def test_a_body_over_the_limit_is_refused_by_its_content_length(client):
    answer = client.post("/jobs/x/cancel", content=b"x" * 2_000_000)
    assert answer.status_code == 413
    assert answer.json() == {
        "error": "The request is too large; at most 1,048,576 bytes are accepted."
    }


@pytest.mark.parametrize("length", ["-1", "1e9", "99999999999999999999"])
def test_an_invalid_content_length_is_refused(client, length):
    answer = client.post("/jobs/x/cancel", headers={"Content-Length": length}, content=b"x")
    assert answer.status_code == 413


def test_a_body_without_a_length_is_refused_when_it_exceeds_the_limit():
    import asyncio

    from starlette.exceptions import HTTPException

    from weatherglass._web.guard import _limit_body

    async def endless():
        return {"type": "http.request", "body": b"x" * 1000, "more_body": True}

    async def read():
        receive = _limit_body(endless, 10_000, 60)
        for _ in range(10):
            assert len((await receive())["body"]) == 1000
        with pytest.raises(HTTPException) as refused:
            await receive()
        return refused.value.status_code

    assert asyncio.run(read()) == 413


def test_a_client_that_stops_sending_is_disconnected(tiny):
    with run_server(Settings(sources=(tiny,), idle_seconds=0.2)) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=30) as sender:
            head = (
                f"PUT /upload/vectors/a.txt HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n\r\n"
            )
            sender.sendall(head.encode() + b"rose")
            answer = b""
            while block := sender.recv(4096):
                answer += block
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"Nothing was received for 0.2 seconds" in answer


@pytest.mark.parametrize("status", [413, 421])
def test_the_refusal_of_a_large_file_arrives(status, tiny):
    """To programs that close their connections, too, as Python's `urlopen` does."""
    with run_server(Settings(sources=(tiny,), max_upload_bytes=1000)) as address:
        headers = {"Host": "evil.test"} if status == 421 else {}
        upload = Request(f"{address}/upload/vectors/a.txt", bytes(40 << 20), headers, method="PUT")
        for _ in range(3):
            with pytest.raises(HTTPError) as refused:
                urlopen(upload, timeout=60)
            assert refused.value.status == status
            assert json.load(refused.value)["error"]


def test_an_answer_does_not_wait_for_the_rest_of_a_refused_file(tiny):
    with run_server(Settings(sources=(tiny,), max_upload_bytes=1000)) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=30) as sender:
            head = f"PUT /upload/vectors/a.txt HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n"
            sender.sendall(f"{head}Content-Length: 9999\r\n\r\nrose".encode())
            answer = b""
            while block := sender.recv(4096):
                answer += block
    assert answer.startswith(b"HTTP/1.1 413")
    assert answer.endswith(b'bytes are accepted."}')


def test_caches_keep_a_page_and_its_parts_apart(client):
    assert client.get("/seeds").headers["vary"] == "Accept-Encoding, Accept, HX-Request"


def test_a_server_that_others_can_reach_requires_the_token(tiny):
    settings = Settings(sources=(tiny,), host="0.0.0.0", token=TOKEN)
    with open_client(settings, follow_redirects=False) as client:
        for path in ("/", "/api/sources", "/static/site.css", "/openapi.json", "/?token=wrong"):
            answer = client.get(path)
            assert answer.status_code == 401, path
            assert answer.headers["www-authenticate"] == "Bearer"
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        assert client.get("/api/sources", headers=bearer).status_code == 200
        wrong = {"Authorization": f"Bearer {TOKEN}x"}
        assert client.get("/api/sources", headers=wrong).status_code == 401
        assert client.post(f"/jobs/x/cancel?token={TOKEN}").status_code == 401


def test_the_link_with_the_token_sets_a_cookie_and_redirects_without_the_token(tiny):
    settings = Settings(sources=(tiny,), host="0.0.0.0", token=TOKEN)
    with open_client(settings, follow_redirects=False) as client:
        answer = client.get(f"/?test=weat6&token={TOKEN}")
        assert answer.status_code == 303
        assert answer.headers["location"] == "/?test=weat6"
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie
        assert client.get("/api/sources").status_code == 200
        assert client.get(f"/?token={TOKEN}").headers["location"] == "/"  # a second time too
        client.cookies.clear()
        away = client.get(f"http://127.0.0.1:8765//evil.test/?token={TOKEN}")
        assert away.status_code == 303
        assert not away.headers.get("location", "").startswith("//")


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.7", "example.org", "::"])
def test_settings_for_others_without_a_token_are_refused(host):
    with pytest.raises(UsageError, match="give a token"):
        Settings(host=host)


def test_a_short_token_is_refused():
    with pytest.raises(UsageError, match="at least 12"):
        Settings(token="secret")


def test_head_requests_return_no_body(client):
    answer = client.head("/api/sources")
    assert answer.status_code == 200
    assert answer.content == b""


def test_only_vector_files_inside_the_named_folders_are_offered(folder, tmp_path):
    (folder / "mine.txt").write_text("a 1 2\n")
    (tmp_path / "secret.txt").write_text("b 1 2\n")
    (folder / "notes.txt").write_text("Bought 3 roses.\n")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    assert [file.name for file in find_vector_files([folder])] == ["mine.txt"]
    assert not is_inside(folder / ".." / "secret.txt", [folder])
    assert not is_inside(Path("\0"), [folder])


def test_a_path_is_not_accepted_as_a_source(client, tiny):
    answer = client.get("/api/ask", params={"source": tiny, "test": "weat6"})
    assert answer.status_code == 404
    assert "no source" in answer.json()["error"]
