"""`http:`, against a server on this machine."""

import base64
import contextlib
import json
import socket
import threading

import numpy as np
import pytest

from weatherglass.encoders import encode_all, open_encoder, seat
from weatherglass.encoders.http import CANARIES, HEADER, HOST, KEY, EndpointEncoder
from weatherglass.errors import CannotMeasure, EncoderError, UsageError

from ..endpoint import Server, named_row, row

SECRET = "sk-very-secret"
SENTENCES = ["This is Amy.", "Amy", "naïve ☃", "lone \udce9"]


@pytest.fixture
def server(monkeypatch):
    for name in (KEY, HOST, HEADER, "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with Server.started() as server:
        yield server


@pytest.fixture
def waits():
    return []


@pytest.fixture
def encoder(server, waits):
    return EndpointEncoder(server.url, model="tiny", wait=waits.append)


def test_an_endpoint_receives_the_model_and_returns_rows_in_the_order_of_sentences(server, encoder):
    np.testing.assert_array_equal(encoder.encode(SENTENCES), [row(text) for text in SENTENCES])
    ((path, headers, body),) = server.requests
    assert path == "/v1/embeddings"
    assert body == {"model": "tiny", "input": SENTENCES, "encoding_format": "float"}
    assert "Authorization" not in headers


@pytest.mark.parametrize("form", ["http:{}?model=m&dimensions=3", "{}/v1?model=m&dimensions=3"])
def test_an_endpoint_can_be_written_with_and_without_the_http_scheme(server, form):
    open_encoder(form.format(server.url)).encode(["a"])
    path, _, body = server.requests[0]
    assert (path, body["model"], body["dimensions"]) == ("/v1/embeddings", "m", 3)


def test_many_sentences_are_sent_to_an_endpoint_in_several_requests(server, encoder, monkeypatch):
    monkeypatch.setattr("weatherglass.encoders.http.endpoint._MAX_INPUTS", 3)
    assert encoder.encode(SENTENCES).shape == (4, 3)
    assert [len(body["input"]) for _, _, body in server.requests] == [3, 1]


def test_the_api_key_is_sent_and_appears_nowhere_else(server, encoder, monkeypatch, cache, capfd):
    before = encoder.fingerprint
    server.requests.clear()
    monkeypatch.setenv(KEY, SECRET)
    monkeypatch.setenv(HOST, f"127.0.0.1:{server.server_port}")
    encode_all(encoder, SENTENCES)
    assert server.requests[0][1]["Authorization"] == f"Bearer {SECRET}"
    server.plan_responses((401, {}, f"Incorrect API key provided: {SECRET}".encode()))
    with pytest.raises(
        EncoderError, match="HTTP 401: 'Incorrect API key provided: \\[key\\]'"
    ) as error:
        encoder.encode(["a"])
    printed = repr(error.value) + repr(vars(encoder)) + encoder.name + "".join(capfd.readouterr())
    assert SECRET not in printed
    assert encoder.fingerprint == before
    assert all(SECRET.encode() not in p.read_bytes() for p in cache.rglob("*") if p.is_file())


def test_an_unauthorised_request_without_a_key_names_the_environment_variable(server, encoder):
    server.plan_responses((401, {}, b"who are you"))
    with pytest.raises(EncoderError, match=f"No key was sent: {KEY} is not set"):
        encoder.encode(["a"])


@pytest.mark.parametrize("host", [None, "127.0.0.1", "127.0.0.1:1", "api.example.org"])
def test_the_api_key_is_sent_to_no_other_server_than_its_own(server, encoder, monkeypatch, host):
    monkeypatch.setenv(KEY, SECRET)
    if host is not None:
        monkeypatch.setenv(HOST, host)
    encoder.encode(["a"])
    assert "Authorization" not in server.requests[0][1]
    server.plan_responses((401, {}, b"who are you"))
    with pytest.raises(EncoderError, match=f"set {HOST}=127.0.0.1:{server.server_port}"):
        encoder.encode(["a"])


def test_the_api_key_is_not_sent_over_plain_http_beyond_this_machine(monkeypatch):
    monkeypatch.setenv(KEY, SECRET)
    monkeypatch.setenv(HOST, "models.example.org")
    with pytest.raises(UsageError, match="use https"):
        EndpointEncoder("http://models.example.org/v1").encode(["a"])


def test_an_answer_that_never_ends_is_given_up_after_the_deadline(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        stop = threading.Event()

        def drip():
            """Send a header, and then a byte every tenth of a second."""
            while not stop.is_set():
                with contextlib.suppress(OSError):
                    connection, _ = listener.accept()
                    with connection:
                        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
                        while not stop.wait(0.1):
                            connection.sendall(b" ")

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        port = listener.getsockname()[1]
        encoder = EndpointEncoder(f"http://127.0.0.1:{port}", wait=lambda _: None, deadline=0.5)
        with pytest.raises(EncoderError, match=r"not complete', with a deadline of 0.5 seconds"):
            encoder.encode(["a"])
        stop.set()
        socket.create_connection(("127.0.0.1", port)).close()  # ends a waiting accept
        thread.join()


@pytest.mark.parametrize("failure", [(503, {}, b""), (429, {}, b"slow down"), (500, {}, b""), None])
def test_temporary_failures_of_an_endpoint_are_retried_with_increasing_waits(
    server, encoder, waits, failure
):
    server.plan_responses(*[failure] * 3)
    assert encoder.encode(["a"]).shape == (1, 3)
    assert waits == [1.0, 2.0, 4.0]


def test_a_retry_waits_as_long_as_the_server_asks_up_to_a_limit(server, encoder, waits):
    server.plan_responses((429, {"Retry-After": "7"}, b""), (429, {"Retry-After": "9999"}, b""))
    server.plan_responses((429, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, b""))
    encoder.encode(["a"])
    assert waits == [7.0, 60.0, 4.0]


def test_an_endpoint_that_keeps_failing_is_reported_after_six_attempts(server, encoder, waits):
    server.plan_responses(*[(503, {}, b"tired")] * 6)
    with pytest.raises(EncoderError, match="HTTP 503: 'tired', after 6 attempts"):
        encoder.encode(["a"])
    assert len(waits) == 5


def test_an_unreachable_endpoint_is_reported(waits):
    encoder = EndpointEncoder("http://127.0.0.1:9", wait=waits.append)
    with pytest.raises(
        EncoderError, match=r"127.0.0.1:9/v1/embeddings returned no encodings: .*refused"
    ):
        encoder.encode(["a"])


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_of_an_endpoint_are_not_followed(server, encoder, monkeypatch, status):
    monkeypatch.setenv(KEY, SECRET)
    monkeypatch.setenv(HOST, f"127.0.0.1:{server.server_port}")
    server.plan_responses((status, {"Location": f"{server.url}/elsewhere"}, b""))
    with pytest.raises(EncoderError, match=f"HTTP {status}"):
        encoder.encode(["a"])
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "response",
    [
        b"<html>",
        b"[]",
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": 1, "embedding": [1]}]}',
        b'{"data": [{"index": 0, "embedding": "AAAA"}]}',
        b'{"data": [{"index": 0, "embedding": ["1.5", "2"]}]}',
        b'{"data": [{"index": 0, "embedding": [true, false]}]}',
        b'{"data": [{"index": 0, "embedding": [1.0, %s]}]}' % (b"9" * 400),
        b'{"error": "\x1b[31mno"}',
        b"[" * 100_000,
    ],
)
def test_a_malformed_response_of_an_endpoint_is_refused(server, encoder, response):
    server.plan_responses((200, {}, response))
    with pytest.raises(EncoderError, match="did not return one row of numbers") as error:
        encoder.encode(["a"])
    assert "\x1b" not in str(error.value)


def test_a_response_over_the_size_limit_is_refused(server, encoder, monkeypatch):
    monkeypatch.setattr("weatherglass.encoders.http.transport.MAX_RESPONSE_BYTES", 10)
    with pytest.raises(EncoderError, match="more than 10 bytes"):
        encoder.encode(["a"])


@pytest.mark.parametrize("url", ["ftp://x", "nonsense", "http://", "http:file:///etc/passwd"])
def test_a_malformed_endpoint_address_is_refused(url):
    with pytest.raises(UsageError, match="not an address"):
        open_encoder(f"http:{url}")


def test_an_endpoint_address_with_a_password_is_refused_without_repeating_it():
    with pytest.raises(UsageError, match="put the key into") as error:
        open_encoder(f"http:http://me:{SECRET}@127.0.0.1/v1")
    assert SECRET not in str(error.value)


def test_endpoint_options_are_checked_and_part_of_the_fingerprint(server, cache):
    with pytest.raises(UsageError, match=r"has no option 'modle'. Did you mean model?"):
        open_encoder("http://127.0.0.1:9/v1?modle=x")
    for option in ("dimensions=x", "batch_size=0", "concurrency=1000", "deadline=-1"):
        with pytest.raises(UsageError, match=r"in 'http://127.0.0.1:9/v1.*' is not "):
            open_encoder(f"http://127.0.0.1:9/v1?{option}")
    with pytest.raises(UsageError, match="is not one of float, base64"):
        open_encoder("http://127.0.0.1:9/v1?encoding=pickle")
    first, second = (open_encoder(f"{server.url}?model={name}") for name in "ab")
    assert first.fingerprint != second.fingerprint


@pytest.mark.parametrize(("count", "rows"), [(1, "0 rows for 1 sentence"), (4, "3 rows for 4 sen")])
def test_an_answer_with_too_few_rows_says_how_many_there_were(server, encoder, count, rows):
    data = [{"index": i, "embedding": [1.0]} for i in range(count - 1)]
    server.plan_responses((200, {}, json.dumps({"data": data}).encode()))
    with pytest.raises(EncoderError, match=f"embeddings returned {rows}"):
        encoder.encode(SENTENCES[:count])


def test_rows_in_base64_are_read_whether_they_were_asked_for_or_not(server, encoder):
    asking = open_encoder(f"{server.url}?encoding=base64")
    np.testing.assert_array_equal(asking.encode(SENTENCES), [row(text) for text in SENTENCES])
    assert server.requests[0][2]["encoding_format"] == "base64"
    packed = base64.b64encode(np.array([1.5, 2.0], "<f4").tobytes()).decode()
    body = json.dumps({"data": [{"index": 0, "embedding": packed}]}).encode()
    server.plan_responses((200, {}, body))
    assert encoder.encode(["a"]).tolist() == [[1.5, 2.0]]


def test_the_batch_size_in_the_name_of_an_endpoint_limits_every_request(server, cache):
    texts = [f"sentence {n}" for n in range(40)]
    encode_all(open_encoder(f"{server.url}?batch_size=16"), texts)
    sizes = [len(body["input"]) for _, _, body in server.requests]
    assert sizes == [12, 12, 16, 16, 8]


def test_concurrent_requests_return_the_same_rows_in_the_same_order(server, cache):
    texts = [f"sentence {'x' * n}" for n in range(100)]
    one, four = (
        encode_all(open_encoder(f"{server.url}?batch_size=7{more}"), texts, cache=False)
        for more in ("", "&concurrency=4")
    )
    np.testing.assert_array_equal(one, four)
    assert max(len(body["input"]) for _, _, body in server.requests) == 7


def test_a_server_that_refuses_a_large_batch_is_told_apart_from_a_wrong_request(server, encoder):
    server.plan_responses((400, {}, b"too many inputs"), (400, {}, b"no such model"))
    with pytest.raises(EncoderError, match=r"4 sentences were sent; .* add \?batch_size=16"):
        encoder.encode(SENTENCES)
    with pytest.raises(EncoderError, match=r"no such model'\.$"):
        encoder.encode(["a"])


def test_a_header_of_the_environment_is_sent_to_its_server_only(server, encoder, monkeypatch):
    monkeypatch.setenv(HEADER, f"api-key: {SECRET}")
    encoder.encode(["a"])
    assert SECRET not in str(server.requests[-1][1])
    server.plan_responses((401, {}, b"who are you"))
    with pytest.raises(EncoderError, match=f"if {HEADER} is for this server, set {HOST}="):
        encoder.encode(["a"])
    monkeypatch.setenv(HOST, f"127.0.0.1:{server.server_port}")
    encoder.encode(["a"])
    headers = {name.lower(): value for name, value in server.requests[-1][1].items()}
    assert headers["api-key"] == SECRET
    assert "authorization" not in headers
    server.plan_responses((500, {}, f"bad {SECRET}".encode()), *[(500, {}, b"")] * 5)
    server.plan_responses((403, {}, f"bad key {SECRET}".encode()))
    for _ in range(2):
        with pytest.raises(EncoderError) as error:
            encoder.encode(["a"])
        assert SECRET not in str(error.value)


@pytest.mark.parametrize(
    "header", ["api-key", "api key: x", "Host: evil.example", "a: \x01", ": x"]
)
def test_a_malformed_header_of_the_environment_is_refused_without_repeating_it(
    server, encoder, monkeypatch, header
):
    monkeypatch.setenv(HEADER, header)
    monkeypatch.setenv(HOST, f"127.0.0.1:{server.server_port}")
    with pytest.raises(UsageError, match=f"{HEADER} must hold lines") as error:
        encoder.encode(["a"])
    assert "evil" not in str(error.value)


def test_the_api_version_is_part_of_the_address(server):
    open_encoder(f"{server.url}/openai/embeddings?api-version=2024-02-01").encode(["a"])
    assert server.requests[0][0] == "/openai/embeddings?api-version=2024-02-01"


def test_a_model_that_was_replaced_behind_its_address_is_measured_anew(server, cache):
    tests = ["weat6"]
    server.row = named_row
    before = seat(open_encoder(server.url), tests)[0]
    again = seat(open_encoder(server.url), tests)[0]
    sent = len(server.requests)
    assert (again.source["fingerprint"], again.effect) == (
        before.source["fingerprint"],
        before.effect,
    )
    server.row = lambda text: named_row(text, "Amy", "John")  # only two names are swapped
    swapped = seat(open_encoder(server.url), tests)[0]
    assert swapped.source["fingerprint"] != before.source["fingerprint"]
    assert swapped.associations != before.associations
    assert len(server.requests) > sent + 2
    server.row = named_row  # the first model is back, and so are its encodings
    assert seat(open_encoder(server.url), tests)[0].source == before.source


def test_a_second_opening_of_an_endpoint_sends_the_canaries_and_nothing_else(server, cache):
    for _ in range(2):
        server.requests.clear()
        encode_all(open_encoder(server.url), SENTENCES)
    assert [body["input"] for _, _, body in server.requests] == [
        list(CANARIES),
        list(CANARIES[::-1]),
    ]


def test_random_answers_are_reported_as_not_deterministic(server, cache):
    rng = np.random.default_rng(0)
    server.row = lambda text: rng.standard_normal(8).tolist()
    with pytest.raises(EncoderError, match="is not deterministic: it returned other vectors"):
        seat(open_encoder(server.url), ["weat6"])


def test_a_little_noise_is_a_warning_and_is_not_kept_in_the_cache(server, cache):
    rng = np.random.default_rng(0)

    def noisy(text):
        return (np.array(named_row(text)) + 0.005 * rng.standard_normal(7)).tolist()

    server.row = noisy
    (result,) = seat(open_encoder(server.url), ["weat6"])
    assert "is not deterministic" in result.warnings[0]
    assert result == type(result).from_json(result.to_json())
    assert not list(cache.rglob("*.npz"))


def test_rounding_of_a_server_is_not_another_model(server, cache):
    rng = np.random.default_rng(0)
    server.row = lambda text: (np.array(named_row(text)) * (1 + 1e-7 * rng.random())).tolist()
    fingerprints = {open_encoder(server.url).fingerprint for _ in range(5)}
    assert len(fingerprints) == 1


def test_a_model_that_differs_by_less_than_a_thousandth_is_another_model(server, cache):
    before = open_encoder(server.url).fingerprint
    server.row = lambda text: [*row(text)[:2], 1.0004]
    assert open_encoder(server.url).fingerprint != before


def test_without_a_writable_cache_the_canaries_still_tell_models_apart(server, monkeypatch):
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", "/dev/null/none")
    same = {open_encoder(server.url).fingerprint for _ in range(2)}
    server.row = named_row
    assert len(same) == 1
    assert open_encoder(server.url).fingerprint not in same


def test_a_server_that_returns_zeros_is_said_to_return_zeros(server, cache):
    server.row = lambda text: [0.0, 0.0]
    with pytest.raises(CannotMeasure, match="returned only zeros for all 32 words and sentences"):
        seat(open_encoder(server.url), ["weat6"])


def test_all_attempts_of_a_request_share_its_deadline(server):
    server.plan_responses(*[(503, {"Retry-After": "9"}, b"tired")] * 9)
    encoder = open_encoder(f"{server.url}?deadline=0.3")
    with pytest.raises(EncoderError, match=r"HTTP 503: 'tired', with a deadline of 0.3 sec"):
        encoder.encode(["a"])
    assert len(server.requests) == 1  # the server asks to wait for longer than the deadline
