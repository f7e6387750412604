"""Who may ask, how much may be sent, and what a browser may do with the answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from weatherglass._web.guard import is_own_host
from weatherglass._web.settings import Settings
from weatherglass._web.sources import find_vector_files, is_inside
from weatherglass.errors import UsageError

from .conftest import asked, running

TOKEN = "a-long-secret-word"


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765", "localhost"])
def test_the_names_of_this_machine_are_answered(client, host):
    assert client.get("/api/sources", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.test", "evil.test:8765", "127.0.0.1.evil.test", "localhost@evil.test", "", "a b"]
)
def test_any_other_name_is_refused_so_that_no_name_can_be_rebound(client, host):
    answer = client.get("/api/sources", headers={"Host": host})
    assert answer.status_code == 421
    assert "name" in answer.json()["error"]


def test_bound_to_every_address_numbers_are_own_names_and_foreign_names_are_not():
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
def test_nothing_is_changed_for_a_page_of_another_site(client, headers):
    assert client.post("/jobs/x/cancel", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://127.0.0.1:8765", "Sec-Fetch-Site": "same-origin"},
        {"Origin": "null", "Sec-Fetch-Site": "same-origin"},  # a form, without scripts
    ],
)
def test_a_page_of_this_server_and_a_program_may_change_things(client, headers):
    assert client.post("/jobs/x/cancel", headers=headers).status_code == 404


def test_another_site_may_link_here_and_may_not_embed_what_is_here(client):
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/api/sources", headers=link).status_code == 200
    embedded = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert client.get("/api/sources", headers=embedded).status_code == 403
    framed = link | {"Sec-Fetch-Dest": "iframe"}
    assert client.get("/discover?source=default", headers=framed).status_code == 403


@pytest.mark.parametrize("path", ["/", "/api/sources", "/static/site.css", "/nothing-here"])
def test_every_answer_says_what_the_browser_may_do(client, path):
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


def test_a_long_body_is_refused_by_its_length(client):
    answer = client.post("/jobs/x/cancel", content=b"x" * 2_000_000)
    assert answer.status_code == 413
    assert answer.json() == {"error": "The request is too long; at most 1,048,576 bytes."}


@pytest.mark.parametrize("length", ["-1", "1e9", "99999999999999999999"])
def test_a_length_that_is_none_is_refused(client, length):
    answer = client.post("/jobs/x/cancel", headers={"Content-Length": length}, content=b"x")
    assert answer.status_code == 413


def test_a_body_without_a_length_is_refused_while_it_comes():
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


def test_a_sender_who_falls_silent_is_not_waited_for_forever(tiny):
    import socket

    with running(Settings(sources=(tiny,), idle_seconds=0.2)) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=30) as sender:
            head = (
                f"PUT /upload/vectors/a.txt HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n\r\n"
            )
            sender.sendall(head.encode() + b"rose")
            answer = b""
            while some := sender.recv(4096):
                answer += some
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"Nothing came for 0.2 seconds" in answer


def test_a_page_and_its_part_are_not_taken_for_each_other(client):
    assert client.get("/seeds").headers["vary"] == "Accept, HX-Request"


def test_a_server_that_others_can_reach_asks_for_a_token(tiny):
    settings = Settings(sources=(tiny,), host="0.0.0.0", token=TOKEN)
    with asked(settings, follow_redirects=False) as client:
        for path in ("/", "/api/sources", "/static/site.css", "/openapi.json", "/?token=wrong"):
            answer = client.get(path)
            assert answer.status_code == 401, path
            assert answer.headers["www-authenticate"] == "Bearer"
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        assert client.get("/api/sources", headers=bearer).status_code == 200
        wrong = {"Authorization": f"Bearer {TOKEN}x"}
        assert client.get("/api/sources", headers=wrong).status_code == 401
        assert client.post(f"/jobs/x/cancel?token={TOKEN}").status_code == 401


def test_the_link_with_the_token_leaves_a_cookie_and_takes_the_token_out_of_the_address(tiny):
    settings = Settings(sources=(tiny,), host="0.0.0.0", token=TOKEN)
    with asked(settings, follow_redirects=False) as client:
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
def test_no_server_for_others_without_a_token(host):
    with pytest.raises(UsageError, match="--token"):
        Settings(host=host)


def test_a_token_that_can_be_guessed_is_refused():
    with pytest.raises(UsageError, match="at least 12"):
        Settings(token="secret")


def test_head_is_get_without_a_body(client):
    answer = client.head("/api/sources")
    assert answer.status_code == 200
    assert answer.content == b""


def test_only_files_inside_the_named_folders_are_opened(folder, tmp_path):
    (folder / "mine.txt").write_text("a 1 2\n")
    (tmp_path / "secret.txt").write_text("b 1 2\n")
    (folder / "notes.txt").write_text("Bought 3 roses.\n")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    assert [file.name for file in find_vector_files([folder])] == ["mine.txt"]
    assert not is_inside(folder / ".." / "secret.txt", [folder])
    assert not is_inside(Path("\0"), [folder])


def test_a_source_is_named_and_never_a_path(client, tiny):
    answer = client.get("/api/ask", params={"source": tiny, "test": "weat6"})
    assert answer.status_code == 404
    assert "no source" in answer.json()["error"]
