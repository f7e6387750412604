"""`http:` against a server on this machine."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from weatherglass.encoders import encode_all, open_encoder
from weatherglass.encoders.http import KEY, EndpointEncoder
from weatherglass.errors import EncoderError, UsageError

SECRET = "sk-very-secret"
TEXTS = ["This is Amy.", "Amy", "naïve ☃", "lone \udce9"]


def row(text):
    return [float(len(text)), float(text.count(" ")), 1.0]


class Server(ThreadingHTTPServer):
    """Answers as OpenAI's endpoint does, or as it was told."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen, self.planned = [], []
        self.url = f"http://127.0.0.1:{self.server_port}"

    def plan(self, *answers):
        """(status, headers, body) for the next requests; None drops the connection."""
        self.planned += answers


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        status, headers, answer = 200, {}, None
        if self.server.planned:
            planned = self.server.planned.pop(0)
            if planned is None:
                self.close_connection = True
                return
            status, headers, answer = planned
        if answer is None:
            data = [{"index": i, "embedding": row(text)} for i, text in enumerate(body["input"])]
            answer = json.dumps({"data": data[::-1]}).encode()  # in any order
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.delenv(KEY, raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with Server() as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture
def waits():
    return []


@pytest.fixture
def encoder(server, waits):
    return EndpointEncoder(server.url, model="tiny", wait=waits.append)


def test_rows_in_order(server, encoder):
    np.testing.assert_array_equal(encoder.encode(TEXTS), [row(text) for text in TEXTS])
    ((path, headers, body),) = server.seen
    assert path == "/v1/embeddings"
    assert body == {"model": "tiny", "input": TEXTS, "encoding_format": "float"}
    assert "Authorization" not in headers


@pytest.mark.parametrize("form", ["http:{}?model=m&dimensions=3", "{}/v1?model=m&dimensions=3"])
def test_both_ways_to_write_the_address(server, form):
    open_encoder(form.format(server.url)).encode(["a"])
    path, _, body = server.seen[0]
    assert (path, body["model"], body["dimensions"]) == ("/v1/embeddings", "m", 3)


def test_many_sentences_are_several_requests(server, encoder, monkeypatch):
    monkeypatch.setattr("weatherglass.encoders.http._MOST_INPUTS", 3)
    assert encoder.encode(TEXTS).shape == (4, 3)
    assert [len(body["input"]) for _, _, body in server.seen] == [3, 1]


def test_the_key_is_sent_and_shows_nowhere_else(server, encoder, monkeypatch, cache, capfd):
    before = encoder.fingerprint
    monkeypatch.setenv(KEY, SECRET)
    encode_all(encoder, TEXTS)
    assert server.seen[0][1]["Authorization"] == f"Bearer {SECRET}"
    server.plan((401, {}, f"Incorrect API key provided: {SECRET}".encode()))
    with pytest.raises(
        EncoderError, match="HTTP 401: 'Incorrect API key provided: \\[key\\]'"
    ) as e:
        encoder.encode(["a"])
    shown = repr(e.value) + repr(vars(encoder)) + encoder.name + "".join(capfd.readouterr())
    assert SECRET not in shown
    assert encoder.fingerprint == before
    assert all(SECRET.encode() not in p.read_bytes() for p in cache.rglob("*") if p.is_file())


def test_a_missing_key_is_said(server, encoder):
    server.plan((401, {}, b"who are you"))
    with pytest.raises(EncoderError, match=f"No key was sent: {KEY} is not set"):
        encoder.encode(["a"])


@pytest.mark.parametrize("planned", [(503, {}, b""), (429, {}, b"slow down"), (500, {}, b""), None])
def test_passing_faults_are_tried_again_with_longer_and_longer_waits(
    server, encoder, waits, planned
):
    server.plan(*[planned] * 3)
    assert encoder.encode(["a"]).shape == (1, 3)
    assert waits == [1.0, 2.0, 4.0]


def test_the_server_may_say_how_long_to_wait(server, encoder, waits):
    server.plan((429, {"Retry-After": "7"}, b""), (429, {"Retry-After": "9999"}, b""))
    server.plan((429, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, b""))
    encoder.encode(["a"])
    assert waits == [7.0, 60.0, 4.0]


def test_it_gives_up_in_the_end(server, encoder, waits):
    server.plan(*[(503, {}, b"tired")] * 6)
    with pytest.raises(EncoderError, match="HTTP 503: 'tired', 6 times"):
        encoder.encode(["a"])
    assert len(waits) == 5


def test_nobody_there(waits):
    encoder = EndpointEncoder("http://127.0.0.1:9", wait=waits.append)
    with pytest.raises(
        EncoderError, match=r"127.0.0.1:9/v1/embeddings gave no encodings: .*refused"
    ):
        encoder.encode(["a"])


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(server, encoder, monkeypatch, status):
    monkeypatch.setenv(KEY, SECRET)
    server.plan((status, {"Location": f"{server.url}/elsewhere"}, b""))
    with pytest.raises(EncoderError, match=f"HTTP {status}"):
        encoder.encode(["a"])
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    "answer",
    [
        b"<html>",
        b"[]",
        b'{"data": []}',
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": 1, "embedding": [1]}]}',
        b'{"data": [{"index": 0, "embedding": "AAAA"}]}',
        b'{"error": "\x1b[31mno"}',
        b"[" * 100_000,
    ],
)
def test_answers_that_are_none(server, encoder, answer):
    server.plan((200, {}, answer))
    with pytest.raises(EncoderError, match="did not answer with one row of numbers") as error:
        encoder.encode(["a"])
    assert "\x1b" not in str(error.value)


def test_an_answer_without_end(server, encoder, monkeypatch):
    monkeypatch.setattr("weatherglass.encoders.http._MOST_BYTES", 10)
    with pytest.raises(EncoderError, match="more than 10 bytes"):
        encoder.encode(["a"])


@pytest.mark.parametrize("url", ["ftp://x", "nonsense", "http://", "http:file:///etc/passwd"])
def test_addresses_that_are_none(url):
    with pytest.raises(UsageError, match="no address"):
        open_encoder(f"http:{url}")


def test_an_address_with_a_password_is_refused_and_not_repeated():
    with pytest.raises(UsageError, match="put the key into") as error:
        open_encoder(f"http:http://me:{SECRET}@127.0.0.1/v1")
    assert SECRET not in str(error.value)


def test_options():
    with pytest.raises(UsageError, match=r"has no option 'modle'. Did you mean model?"):
        open_encoder("http://127.0.0.1:9/v1?modle=x")
    with pytest.raises(UsageError, match=r"dimensions='x' .* is not an integer"):
        open_encoder("http://127.0.0.1:9/v1?dimensions=x")
    one, two = (open_encoder(f"http://127.0.0.1:9/v1?model={m}") for m in "ab")
    assert one.fingerprint != two.fingerprint
