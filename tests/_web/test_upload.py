"""Files sent to a session: streamed, limited, looked at by the readers, gone at the end."""

from __future__ import annotations

import gzip
import http.client
import io
import itertools
import os
import pickle
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from weatherglass._web.settings import Settings
from weatherglass._web.upload import store
from weatherglass._web.upload.store import safe_name

from .conftest import asked, running

VECTORS = b"rose 1 2 3\nlily 3 4 5\nwasp 1 0 2\n"
TEXT = ("The sea was calm and the ship lay still. " * 400).encode()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    made = tmp_path / "temporary"
    made.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    return made


@pytest.fixture
def client(place: Path) -> Iterator[TestClient]:
    with asked(Settings(sources=(), wait_seconds=60, max_upload_bytes=1 << 20)) as made:
        yield made


def send(client: TestClient, name: str, content: Any, kind: str = "vectors", **more: Any) -> Any:
    answer = client.put(f"/upload/{kind}/{name}", content=content, **more)
    if answer.status_code != 201:
        return answer
    return client.get("/api/uploads/file", params={"id": answer.json()["id"]})


def kept_files(place: Path) -> list[str]:
    # A folder may go while it is looked through, which `os.walk` passes over.
    return sorted(name for _, _, names in os.walk(place) for name in names)


def test_vectors_become_a_source_of_all_pages(client):
    one = send(client, "mine.txt", VECTORS).json()
    assert (one["status"], one["source"], one["size"]) == ("ready", "mine.txt", len(VECTORS))
    assert client.get("/api/sources").json() == [{"name": "mine.txt", "words": 3, "dim": 3}]
    assert send(client, "mine.txt", VECTORS.replace(b"rose", b"moth")).json()["source"] == (
        "mine.txt (2)"
    )


def test_a_source_is_called_as_its_file_and_not_by_its_place(client, place):
    send(client, "mine.txt", VECTORS)
    asked_for = {"source": "mine.txt", "x": "rose", "y": "wasp", "a": "lily", "b": "rose"}
    answer = client.get("/api/ask", params=asked_for)
    assert str(place) not in answer.text


def test_everything_is_gone_when_the_session_ends(place, own_cache):
    entries = own_cache / "vectors"
    before = set(entries.glob("*")) if entries.is_dir() else set()
    with asked(Settings(sources=(), wait_seconds=60)) as client:
        send(client, "mine.txt", b"gone 1 2 3 4\naway 3 4 5 6\n")
        send(client, "sea.txt", TEXT, "corpus")
        assert kept_files(place) == ["mine.txt", "sea.txt"]
        assert set(entries.glob("*")) != before
    assert list(place.iterdir()) == []
    assert set(entries.glob("*")) == before


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.kv", pickle.dumps({"a": [1, 2]}), "is a pickle"),
        ("a.txt", b"no vectors here\nnone\n", "is not a file of vectors"),
        ("a.npy", b"\x93NUMPY\x01\x00", ""),
        ("a.bin", bytes(range(256)) * 20, ""),
        ("a.txt.gz", gzip.compress(VECTORS, mtime=0)[:-9], ""),
    ],
)
def test_what_the_readers_refuse_is_told_and_deleted(client, place, name, content, said):
    one = send(client, name, content).json()
    assert (one["status"], one["source"]) == ("refused", "")
    assert said in one["problem"]
    assert str(place) not in one["problem"]
    assert kept_files(place) == []
    assert client.get("/api/sources").json() == []


def test_a_bomb_is_refused_before_it_is_unpacked(client, place):
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb") as file:
        for _ in range(32):
            file.write(b"word 1 2 3\n" * 200_000)
    one = send(client, "bomb.txt.gz", packed.getvalue()).json()
    assert "unpacks to more than" in one["problem"]
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("v.txt", b"0" * (10 << 20))
    assert send(client, "bomb.zip", archive.getvalue()).json()["status"] == "refused"
    assert kept_files(place) == []


def test_too_much_is_refused_by_what_it_says_and_by_what_comes(client, place):
    assert send(client, "a.txt", b"x" * ((1 << 20) + 1)).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 50_000

    answer = send(client, "a.txt", endless())  # no length is said
    assert answer.status_code == 413
    assert kept_files(place) == []


def test_the_files_of_a_session_are_limited_together(client, place):
    rows = b"".join(b"word%d 1 2 3\n" % k for k in range(40_000))
    assert send(client, "a.txt", rows).status_code == 200
    again = send(client, "b.txt", rows)
    assert again.status_code == 413
    assert "together" in again.json()["error"]
    assert kept_files(place) == ["a.txt"]


def test_an_empty_file_is_told(client, place):
    answer = send(client, "a.txt", b"")
    assert answer.status_code == 422
    assert "'a.txt' is empty" in answer.json()["error"]
    assert kept_files(place) == []


def test_a_full_disk_is_told_and_nothing_stays(client, place, monkeypatch):
    class Full:
        free = store.MIN_FREE_BYTES

    monkeypatch.setattr(store.shutil, "disk_usage", lambda path: Full)
    answer = send(client, "a.txt", VECTORS)
    assert answer.status_code == 422
    assert answer.json()["error"] == "There is no room on the disk for this file."
    assert kept_files(place) == []


def test_a_disk_that_fills_in_the_middle_is_told(client, place, monkeypatch):
    def full(self: Any, one: Any, file: Any, some: bytes) -> None:
        with self._told():
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.Uploads, "_write", full)
    answer = send(client, "a.txt", VECTORS)
    assert answer.status_code == 422
    assert answer.json()["error"] == "The file cannot be kept: No space left on device."
    assert kept_files(place) == []


@given(st.text(max_size=200))
def test_names_are_safe_whatever_was_sent(name):
    made = safe_name(name)
    assert made == safe_name(made)
    assert 0 < len(made.encode()) <= 240
    assert made.isprintable()
    assert not made.startswith((".", "-"))
    assert not set(made) & set('/\\:?*"<>|\0 ')


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ("%3Cscript%3Ealert(1)%3C%2Fscript%3E.txt", None),
        ("%3Cb%3E.txt", "b_.txt"),
        ("..%5C..%5Cwin.txt", "win.txt"),
        ("a%3Fmember%3Dx.txt", "a_member_x.txt"),
        ("st:model.txt", "st_model.txt"),
        ("%00.txt", "file.txt"),
        ("слова.txt", "слова.txt"),
    ],
)
def test_names_with_paths_markup_or_options_are_made_plain(client, place, sent, name):
    answer = client.put(f"/upload/vectors/{sent}", content=VECTORS)
    if name is None:
        assert answer.status_code == 404
    else:
        assert answer.json()["name"] == name
        assert kept_files(place) == [name]


def test_a_corpus_is_counted_and_trained_into_a_source(client, place, as_browser):
    one = send(client, "sea.txt", TEXT, "corpus").json()
    assert (one["status"], one["documents"], one["tokens"], one["types"]) == ("ready", 1, 3600, 8)
    page = client.get("/upload/file", params={"id": one["id"]}, headers=as_browser(part=True)).text
    assert "Train vectors" in page
    made = client.get("/api/uploads/train", params={"id": one["id"], "dim": 3}).json()
    assert made == {"source": "sea 3d"}
    assert client.get("/api/sources").json() == [{"name": "sea 3d", "words": 8, "dim": 3}]
    assert str(place) not in client.get(ask_of("sea 3d"), headers=as_browser()).text
    rare = client.get("/api/uploads/train", params={"id": one["id"], "min_count": 900})
    assert rare.status_code == 422
    assert str(place) not in rare.json()["error"]


def ask_of(source: str) -> str:
    return f"/?source={source}&x=sea&y=ship&a=calm&b=still&missing=1"


def test_a_script_names_a_file_that_was_sent_and_not_where_it_was_kept(client, place, as_browser):
    send(client, "mine.txt", VECTORS)
    asked_for = "?source=mine.txt&x=rose&y=lily&a=wasp&b=rose"
    script = client.get(f"/ask/download.py{asked_for}").text
    assert "    'mine.txt',  # put in the path of your own copy\n" in script
    compile(script, "script.py", "exec")
    assert str(place) not in client.get(f"/{asked_for}", headers=as_browser()).text


def test_what_is_trained_counts_as_a_file_and_what_cannot_be_does_not(client, place, monkeypatch):
    one = send(client, "sea.txt", TEXT, "corpus").json()
    monkeypatch.setattr(store, "MAX_UPLOADS", 3)
    for _ in range(4):
        rare = client.get("/api/uploads/train", params={"id": one["id"], "min_count": 900})
        assert rare.status_code == 422
        assert "start the server anew" not in rare.json()["error"]
    assert kept_files(place) == ["sea.txt"]
    many = " ".join(map("".join, itertools.product("abcdefghijklmno", repeat=3))).encode()
    large = send(client, "many.txt", many, "corpus").json()
    refused = client.get("/api/uploads/train", params={"id": large["id"], "min_count": 1})
    assert refused.status_code == 413
    assert kept_files(place) == ["many.txt", "sea.txt"]


def test_the_column_that_holds_the_text_can_be_named(client):
    table = b"who,body\n" + b"Ann,The sea was calm.\n" * 20
    wrong = send(client, "letters.csv", table, "corpus").json()
    assert "no column 'text'" in wrong["problem"]
    right = send(client, "letters.csv", table, "corpus", params={"text": "body"}).json()
    assert (right["documents"], right["tokens"]) == (20, 80)


def test_vectors_are_not_trained_on(client):
    one = send(client, "mine.txt", VECTORS).json()
    answer = client.get("/api/uploads/train", params={"id": one["id"]})
    assert answer.status_code == 422


@pytest.mark.parametrize("route", ["/api/uploads/file", "/api/uploads/train", "/upload/file"])
def test_unknown_ids_are_told(client, route):
    for id in ("", "nope", "../..", "<b>"):
        answer = client.get(route, params={"id": id})
        assert answer.status_code == 404
        assert "no such upload" in answer.json()["error"]


def test_two_files_at_once_do_not_meet(client):
    def pieces(content: bytes) -> Iterator[bytes]:
        for at in range(0, len(content), 7):
            yield content[at : at + 7]
            time.sleep(0.005)

    made: dict[str, Any] = {}

    def go(word: bytes) -> None:
        made[word.decode()] = send(client, "same.txt", pieces(VECTORS.replace(b"rose", word)))

    threads = [threading.Thread(target=go, args=(word,)) for word in (b"iris", b"poppy")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = {one.json()["source"] for one in made.values()}
    assert names == {"same.txt", "same.txt (2)"}
    sizes = {word: one.json()["size"] for word, one in made.items()}
    assert sizes == {"iris": len(VECTORS), "poppy": len(VECTORS) + 1}


def test_a_sender_who_leaves_or_lies_about_the_length_leaves_nothing(place):
    with running(Settings(sources=())) as where:
        host = where.removeprefix("http://")
        link = http.client.HTTPConnection(host)
        link.putrequest("PUT", "/upload/vectors/a.txt")
        link.putheader("Content-Length", "100000")
        link.endheaders()
        link.send(VECTORS)
        _wait(lambda: kept_files(place) == ["a.txt"])
        link.close()
        _wait(lambda: kept_files(place) == [])
        link = http.client.HTTPConnection(host)
        link.request("GET", "/api/uploads")
        assert link.getresponse().read() == b"[]"
        link.close()


def _wait(done: Any) -> None:
    for _ in range(200):
        if done():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen in ten seconds")


def test_reading_can_be_cancelled_and_the_file_goes(place, monkeypatch):
    from weatherglass._web.upload import routes

    def slow(spec: str, progress: Any) -> Any:
        for done in range(10_000):
            progress(done, 10_000)
            time.sleep(0.01)

    monkeypatch.setattr(routes, "open_vectors", slow)
    with asked(Settings(sources=(), wait_seconds=0.05)) as client:
        id = client.put("/upload/vectors/a.txt", content=VECTORS).json()["id"]
        far = client.get("/api/uploads/file", params={"id": id})
        assert far.status_code == 202
        client.post(f"/jobs/{far.json()['job']}/cancel")
        _wait(lambda: kept_files(place) == [])
        one = client.get("/api/uploads").json()[0]
        assert (one["status"], one["problem"]) == ("refused", "Reading it was cancelled.")


def test_only_pages_of_this_server_may_send(client, place):
    answer = client.put(
        "/upload/vectors/a.txt", content=VECTORS, headers={"Origin": "http://evil.test"}
    )
    assert answer.status_code == 403
    assert kept_files(place) == []


def test_the_page_lists_what_was_sent(client, as_browser):
    send(client, "mine.txt", VECTORS)
    client.put("/upload/vectors/later.txt", content=VECTORS)
    page = client.get("/upload", headers=as_browser()).text
    assert "It can be asked now, as" in page
    assert page.index("later.txt") < page.index("mine.txt")
