"""Uploads: streamed, limited, validated by the readers, deleted at the end."""

from __future__ import annotations

import gzip
import http.client
import io
import itertools
import os
import pickle
import re
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

from weatherglass._web import sources
from weatherglass._web.settings import Settings
from weatherglass._web.sources import find_vector_files
from weatherglass._web.upload import routes, store
from weatherglass._web.upload.store import safe_name
from weatherglass.errors import CannotWrite

from .conftest import open_client, run_server

import isolated_functions as functions  # isort: skip - the line above extends the path

VECTORS = b"rose 1 2 3\nlily 3 4 5\nwasp 1 0 2\n"
TEXT = ("The sea was calm and the ship lay still. " * 400).encode()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made."""
    path = tmp_path / "temporary"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    return path


@pytest.fixture
def client(place: Path) -> Iterator[TestClient]:
    with open_client(Settings(sources=(), wait_seconds=600, max_upload_bytes=1 << 20)) as client:
        yield client


def send(client: TestClient, name: str, content: Any, kind: str = "vectors", **more: Any) -> Any:
    answer = client.put(f"/upload/{kind}/{name}", content=content, **more)
    if answer.status_code != 201:
        return answer
    return client.get("/api/uploads/file", params={"id": answer.json()["id"]})


def kept_files(place: Path) -> list[str]:
    """The names of all files, except those in the cache folders of uploads."""
    # A folder may go while it is looked through, which `os.walk` passes over.
    return sorted(
        name for folder, _, names in os.walk(place) if "/cache" not in folder for name in names
    )


def test_uploaded_vectors_become_a_source(client):
    upload = send(client, "mine.txt", VECTORS).json()
    assert (upload["status"], upload["source"], upload["size"]) == (
        "ready",
        "mine.txt",
        len(VECTORS),
    )
    assert client.get("/api/sources").json() == [{"name": "mine.txt", "words": 3, "dim": 3}]
    assert send(client, "mine.txt", VECTORS.replace(b"rose", b"moth")).json()["source"] == (
        "mine.txt (2)"
    )


def test_an_uploaded_source_is_named_after_its_file_not_its_path(client, place):
    send(client, "mine.txt", VECTORS)
    params = {"source": "mine.txt", "x": "rose", "y": "wasp", "a": "lily", "b": "rose"}
    answer = client.get("/api/ask", params=params)
    assert str(place) not in answer.text


def test_uploads_and_their_copies_are_deleted_when_the_session_ends(place, own_cache):
    before = sorted(own_cache.rglob("*"))
    with open_client(Settings(sources=(), wait_seconds=600)) as client:
        send(client, "mine.txt", b"gone 1 2 3 4\naway 3 4 5 6\n")
        send(client, "sea.txt", TEXT, "corpus")
        assert kept_files(place) == ["mine.txt", "sea.txt"]
        assert list(place.rglob("cache/vectors/*/matrix"))
    assert list(place.iterdir()) == []
    assert sorted(own_cache.rglob("*")) == before


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.kv", pickle.dumps({"a": [1, 2]}), "is a pickle"),
        ("a.txt", b"no vectors here\nnone\n", "is not a file of vectors"),
        ("a.npy", b"\x93NUMPY\x01\x00", ""),
        ("a.bin", bytes(range(256)) * 20, ""),
        ("a.txt.gz", gzip.compress(VECTORS, mtime=0)[:-9], ""),
    ],
)
def test_unreadable_uploads_are_refused_with_a_reason_and_deleted(
    client, place, name, content, message
):
    upload = send(client, name, content).json()
    assert (upload["status"], upload["source"]) == ("refused", "")
    assert message in upload["problem"]
    assert str(place) not in upload["problem"]
    assert kept_files(place) == []
    assert client.get("/api/sources").json() == []


def test_a_compressed_bomb_is_refused_before_it_is_unpacked(client, place):
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb") as file:
        for _ in range(32):
            file.write(b"word 1 2 3\n" * 200_000)
    upload = send(client, "bomb.txt.gz", packed.getvalue()).json()
    # Which limit is noticed first depends on the speed of the machine.
    assert re.search("unpacks to more than|would exceed 1,048,576 bytes", upload["problem"])
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("v.txt", b"0" * (10 << 20))
    assert send(client, "bomb.zip", archive.getvalue()).json()["status"] == "refused"
    assert kept_files(place) == []


def test_uploads_over_the_limit_are_refused_with_and_without_a_content_length(client, place):
    assert send(client, "a.txt", b"x" * ((1 << 20) + 1)).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 50_000

    answer = send(client, "a.txt", endless())  # without a Content-Length
    assert answer.status_code == 413
    assert kept_files(place) == []


def test_the_total_size_of_uploads_is_limited(client, place):
    rows = b"".join(b"word%d 1 2 3\n" % k for k in range(12_000))
    assert send(client, "a.txt", rows).json()["status"] == "ready"
    again = send(client, "b.txt", rows * 4)
    assert again.status_code == 413
    assert "together" in again.json()["error"]
    assert kept_files(place) == ["a.txt"]


def test_parsed_copies_count_towards_the_limit_of_uploads(client, place):
    rows = b"".join(b"word%d 1 2 3\n" % k for k in range(12_000))
    assert send(client, "a.txt", rows).json()["status"] == "ready"
    again = send(client, "b.txt", rows.replace(b"word", b"term")).json()
    assert again["status"] == "refused"
    assert "and their parsed copies would exceed 1,048,576 bytes together" in again["problem"]
    assert kept_files(place) == ["a.txt"]
    assert send(client, "c.txt", VECTORS).json()["status"] == "ready"


def test_an_empty_upload_is_refused(client, place):
    answer = send(client, "a.txt", b"")
    assert answer.status_code == 422
    assert "'a.txt' is empty" in answer.json()["error"]
    assert kept_files(place) == []


def test_an_upload_to_a_full_disk_is_refused_and_deleted(client, place, monkeypatch):
    class Full:
        free = store.MIN_FREE_BYTES

    monkeypatch.setattr(store.shutil, "disk_usage", lambda path: Full)
    answer = send(client, "a.txt", VECTORS)
    assert answer.status_code == 422
    assert answer.json()["error"] == "There is no room on the disk for this file."
    assert kept_files(place) == []


def test_an_upload_that_fills_the_disk_is_refused_and_deleted(client, place, monkeypatch):
    def full(self: Any, upload: Any, file: Any, block: bytes) -> None:
        with self._explain_os_errors():
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.Uploads, "_write", full)
    answer = send(client, "a.txt", VECTORS)
    assert answer.status_code == 422
    assert answer.json()["error"] == "The file cannot be stored: No space left on device."
    assert kept_files(place) == []


@given(st.text(max_size=200))
def test_file_names_are_safe_whatever_was_sent(name):
    safe = safe_name(name)
    assert safe == safe_name(safe)
    assert 0 < len(safe.encode()) <= 240
    assert safe.isprintable()
    assert not safe.startswith((".", "-"))
    assert not set(safe) & set('/\\:?*"<>|\0 ')


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
def test_paths_markup_and_options_are_removed_from_file_names(client, place, sent, name):
    answer = client.put(f"/upload/vectors/{sent}", content=VECTORS)
    if name is None:
        assert answer.status_code == 404
    else:
        assert answer.json()["name"] == name
        assert kept_files(place) == [name]


def test_an_uploaded_corpus_is_counted_and_trained_into_a_source(client, place, as_browser):
    upload = send(client, "sea.txt", TEXT, "corpus").json()
    assert (upload["status"], upload["documents"], upload["tokens"], upload["types"]) == (
        "ready",
        1,
        3600,
        8,
    )
    page = client.get(
        "/upload/file", params={"id": upload["id"]}, headers=as_browser(part=True)
    ).text
    assert "Train vectors" in page
    trained = client.get("/api/uploads/train", params={"id": upload["id"], "dim": 3}).json()
    assert trained["source"] == "sea 3d"
    assert client.get("/api/sources").json() == [{"name": "sea 3d", "words": 8, "dim": 3}]
    assert str(place) not in client.get(ask_of("sea 3d"), headers=as_browser()).text
    rare = client.get("/api/uploads/train", params={"id": upload["id"], "min_count": 900})
    assert rare.status_code == 422
    assert str(place) not in rare.json()["error"]


def ask_of(source: str) -> str:
    return f"/?source={source}&x=sea&y=ship&a=calm&b=still&missing=1"


@pytest.mark.parametrize(
    ("text", "asked", "documents", "unit"),
    [
        ("The ship lay still.\n" * 800, "", 800, "lines"),
        ("The ship\nlay still\nat sea.\n\n" * 30, "", 30, "paragraphs"),
        ("The ship lay still.\n" * 3, "", 1, "file"),
        ("The ship lay still.\n" * 800, "file", 1, "file"),
    ],
)
def test_each_line_or_paragraph_of_a_long_text_is_a_document(client, text, asked, documents, unit):
    sent = send(client, "t.txt", text.encode(), "corpus", params={"documents": asked}).json()
    counted = client.get("/api/uploads/file", params={"id": sent["id"]}).json()
    assert (counted["documents"], counted["unit"]) == (documents, unit)


def test_a_tiny_corpus_is_announced_before_and_after_training(client, as_browser):
    sent = send(client, "tiny.txt", b"The ship lay still at sea.\n" * 800, "corpus").json()
    page = client.get(f"/upload/file?id={sent['id']}", headers=as_browser()).text
    assert "This corpus is tiny: 6 distinct words are fewer than 100 dimensions" in page
    trained = client.get(f"/api/uploads/train?id={sent['id']}&dim=3").json()
    assert trained["warning"].startswith("This corpus is small: 4,800 words of text.")
    assert "trained on little text" in client.get("/", headers=as_browser()).text


def test_a_downloaded_script_names_an_upload_without_its_path(client, place, as_browser):
    send(client, "mine.txt", VECTORS)
    params = "?source=mine.txt&x=rose&y=lily&a=wasp&b=rose"
    script = client.get(f"/ask/download.py{params}").text
    assert "    'mine.txt',  # put in the path of your own copy\n" in script
    compile(script, "script.py", "exec")
    assert str(place) not in client.get(f"/{params}", headers=as_browser()).text


def test_trained_vectors_count_as_uploads_and_failed_training_does_not(client, place, monkeypatch):
    upload = send(client, "sea.txt", TEXT, "corpus").json()
    monkeypatch.setattr(store, "MAX_UPLOADS", 3)
    for _ in range(4):
        rare = client.get("/api/uploads/train", params={"id": upload["id"], "min_count": 900})
        assert rare.status_code == 422
        assert "restart the server" not in rare.json()["error"]
    assert kept_files(place) == ["sea.txt"]
    many = " ".join(map("".join, itertools.product("abcdefghijklmno", repeat=3))).encode()
    large = send(client, "many.txt", many, "corpus").json()
    refused = client.get("/api/uploads/train", params={"id": large["id"], "min_count": 1})
    assert refused.status_code == 413
    assert kept_files(place) == ["many.txt", "sea.txt"]


def test_the_text_column_of_an_uploaded_table_can_be_named(client):
    table = b"who,body\n" + b"Ann,The sea was calm.\n" * 20
    wrong = send(client, "letters.csv", table, "corpus").json()
    assert "no column 'text'" in wrong["problem"]
    right = send(client, "letters.csv", table, "corpus", params={"text": "body"}).json()
    assert (right["documents"], right["tokens"]) == (20, 80)


def test_an_error_of_training_names_no_path_of_the_server(client, place):
    """Numbers are one word for the tokenizer, of which no vectors can be trained."""
    upload = send(client, "n.txt", b" ".join(b"w%d" % k for k in range(2000)), "corpus").json()
    params = {"id": upload["id"], "dim": 20, "min_count": 1}
    answer = client.get("/api/uploads/train", params=params)
    assert answer.status_code == 422
    assert str(place) not in answer.json()["error"]
    assert kept_files(place) == ["n.txt"]


def test_training_on_uploaded_vectors_is_refused(client):
    upload = send(client, "mine.txt", VECTORS).json()
    answer = client.get("/api/uploads/train", params={"id": upload["id"]})
    assert answer.status_code == 422


@pytest.mark.parametrize("route", ["/api/uploads/file", "/api/uploads/train", "/upload/file"])
def test_unknown_upload_ids_are_refused_with_a_sentence(client, route):
    for id in ("", "nope", "../..", "<b>"):
        answer = client.get(route, params={"id": id})
        assert answer.status_code == 404
        assert "no such upload" in answer.json()["error"]


def test_two_uploads_at_once_stay_separate(client):
    def pieces(content: bytes) -> Iterator[bytes]:
        for at in range(0, len(content), 7):
            yield content[at : at + 7]
            time.sleep(0.005)

    answers: dict[str, Any] = {}

    def go(word: bytes) -> None:
        answers[word.decode()] = send(client, "same.txt", pieces(VECTORS.replace(b"rose", word)))

    threads = [threading.Thread(target=go, args=(word,)) for word in (b"iris", b"poppy")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = {answer.json()["source"] for answer in answers.values()}
    assert names == {"same.txt", "same.txt (2)"}
    sizes = {word: answer.json()["size"] for word, answer in answers.items()}
    assert sizes == {"iris": len(VECTORS), "poppy": len(VECTORS) + 1}


def test_an_interrupted_upload_leaves_no_file(place):
    with run_server(Settings(sources=())) as where:
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


def test_cancelling_the_reading_of_an_upload_deletes_the_file(place, monkeypatch):
    monkeypatch.setattr(routes, "read_vectors", functions.hang)
    with open_client(Settings(sources=(), wait_seconds=0.05)) as client:
        id = client.put("/upload/vectors/a.txt", content=VECTORS).json()["id"]
        far = client.get("/api/uploads/file", params={"id": id})
        assert far.status_code == 202
        client.post(f"/jobs/{far.json()['job']}/cancel")
        _wait(lambda: kept_files(place) == [])
        upload = client.get("/api/uploads").json()[0]
        assert (upload["status"], upload["problem"]) == (
            "refused",
            "Reading the file was cancelled.",
        )


def test_uploads_that_never_end_can_be_cancelled_and_others_are_read_after_them(place, monkeypatch):
    """As many as there are lanes for long jobs, none of which ever reports."""
    with open_client(Settings(sources=(), wait_seconds=0.2)) as client:
        monkeypatch.setattr(routes, "read_vectors", functions.hang)
        jobs = []
        for k in range(3):
            id = client.put(f"/upload/vectors/{k}.txt", content=VECTORS).json()["id"]
            jobs.append(client.get("/api/uploads/file", params={"id": id}).json()["job"])
        monkeypatch.setattr(routes, "read_vectors", sources.read_vectors)
        id = client.put("/upload/vectors/good.txt", content=VECTORS).json()["id"]
        assert client.get("/api/uploads/file", params={"id": id}).status_code == 202
        for job in jobs:
            assert client.post(f"/jobs/{job}/cancel").status_code == 200

        def is_ready() -> bool:
            answer = client.get("/api/uploads/file", params={"id": id})
            return bool(answer.status_code == 200 and answer.json()["status"] == "ready")

        _wait(is_ready)
        _wait(lambda: kept_files(place) == ["good.txt"])
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("function", [functions.end_by_signal, functions.fill_memory])
def test_an_upload_that_crashes_its_process_or_fills_the_memory_is_refused(
    place, monkeypatch, function
):
    monkeypatch.setattr(routes, "read_vectors", function)
    settings = Settings(sources=(), wait_seconds=600, max_job_bytes=400 << 20)
    with open_client(settings) as client:
        upload = send(client, "a.txt", VECTORS).json()
        assert upload["status"] == "refused"
        expected = "SIGSEGV" if function is functions.end_by_signal else "400.0 MiB of memory"
        assert expected in upload["problem"]
        assert kept_files(place) == []


def test_uploads_from_pages_of_other_sites_are_refused(client, place):
    answer = client.put(
        "/upload/vectors/a.txt", content=VECTORS, headers={"Origin": "http://evil.test"}
    )
    assert answer.status_code == 403
    assert kept_files(place) == []


def test_the_upload_page_lists_files_latest_first(client, as_browser):
    send(client, "mine.txt", VECTORS)
    client.put("/upload/vectors/later.txt", content=VECTORS)
    page = client.get("/upload", headers=as_browser()).text
    assert "All pages can now use it as" in page
    assert page.index("later.txt") < page.index("mine.txt")


def test_an_uploaded_hdf5_file_shows_no_other_file_of_the_server(client, tmp_path):
    h5py = pytest.importorskip("h5py", reason="writes the file")
    (tmp_path / "secret").write_bytes(b"root:x:0:0")
    with h5py.File(tmp_path / "d.h5", "w") as file:
        external = [(str(tmp_path / "secret"), 0, 10)]
        file.create_dataset("secret", (10,), "u1", external=external)
        for i in range(10):
            file[f"p{i}"] = [int(i == j) for j in range(10)]
    upload = send(client, "d.h5", (tmp_path / "d.h5").read_bytes()).json()
    assert (upload["status"], upload["source"]) == ("refused", "")
    assert "stored in other files" in upload["problem"]
    assert client.get("/api/sources").json() == []


def test_an_uploaded_matrix_cannot_name_a_word_list_of_the_server(client, tmp_path):
    import numpy as np

    (tmp_path / "words.txt").write_text("a\nb\n")
    np.save(tmp_path / "m.npy", np.eye(2))
    content = (tmp_path / "m.npy").read_bytes()
    for name in ("m.npy", f"m.npy%3Fvocab={tmp_path / 'words.txt'}".replace("/", "%2F")):
        upload = send(client, name, content).json()
        assert upload.get("status") != "ready", upload


@pytest.mark.parametrize("is_outside", [False, True])
def test_a_word_list_that_is_a_link_out_of_the_folder_is_not_read(is_outside, tmp_path):
    import numpy as np

    folder, other = tmp_path / "offered", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    target = (other if is_outside else folder) / "secret"
    target.write_text("a\nb\n")
    np.save(folder / "m.npy", np.eye(2))
    (folder / "m.vocab").symlink_to(target)
    found = find_vector_files([folder])
    assert found == ([] if is_outside else [folder / "m.npy"])


def test_a_file_asked_for_while_its_cancelled_job_ends_is_refused_without_a_second_read(
    place, monkeypatch
):
    calls = []

    def read_slowly(self: Any, report: Any, *_: Any, **__: Any) -> None:
        """Notice the cancellation, and end half a second later."""
        calls.append(time.monotonic())
        try:
            while True:
                report(0, 0)
                time.sleep(0.01)
        finally:
            time.sleep(0.5)

    monkeypatch.setattr("weatherglass._web.jobs.Jobs.call", read_slowly)
    with open_client(Settings(sources=(), wait_seconds=0.05)) as client:
        id = client.put("/upload/corpus/t.txt", content=TEXT).json()["id"]
        job = client.get(f"/api/uploads/file?id={id}").json()["job"]
        client.post(f"/jobs/{job}/cancel")
        answer = client.get(f"/api/uploads/train?id={id}")
        while answer.status_code == 202:
            answer = client.get(f"/api/uploads/train?id={id}")
    assert answer.status_code == 422
    assert "cancelled" in answer.text
    assert len(calls) == 1


def test_a_folder_that_is_gone_ends_in_a_sentence(place):
    uploads = store.Uploads(Settings())
    with pytest.raises(CannotWrite, match="cannot be stored"):
        uploads._count_bytes("x", 1, 1, place / "gone")
