"""The server answers any request and any upload, and never with a server error.

Every route of the OpenAPI document is requested. ``tests/_web/test_openapi.py`` does it with
schemathesis, for longer and against what the document promises.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("fastapi", reason="needs the extra 'web'")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # newer versions would rather have another HTTP client
    from starlette.testclient import TestClient

from fuzz.targets import seeds

from weatherglass._web.app import create_app
from weatherglass._web.settings import Settings

_fuzz = settings(suppress_health_check=list(HealthCheck))
HOSTILE = [
    *("", "x", "-1", "1e999", "999999999999999999999", "nan", "rose", "@weat6.A", "@", '"', "'"),
    *("<script>alert(1)</script>", "\0", "\x1b[31m", "\u202e", "../../etc/passwd", "{{7*7}}"),
    *("a" * 5000, "%00", "default", "tiny.txt", "weat6", "SELECT 1"),
]
_text = st.sampled_from(HOSTILE) | st.text(max_size=20)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A server with one small source and one folder of audits."""
    folder = tmp_path_factory.mktemp("server")
    source = folder / "tiny.txt"
    source.write_bytes(seeds("vectors")["vectors.txt"])
    chosen = Settings(sources=(str(source),), folders=(folder,), wait_seconds=0.5)
    where = f"http://127.0.0.1:{chosen.port}"
    with TestClient(create_app(chosen), base_url=where, raise_server_exceptions=False) as client:
        yield client


def routes(server: TestClient) -> list[tuple[str, str, list[str]]]:
    """Return the method, the path and the parameters of every route."""
    paths = server.get("/openapi.json").json()["paths"]
    return [
        (method, path, [parameter["name"] for parameter in about.get("parameters", ())])
        for path, methods in sorted(paths.items())
        for method, about in methods.items()
    ]


@pytest.mark.parametrize("examples", [8, pytest.param(600, marks=pytest.mark.slow)])
def test_no_request_causes_a_server_error(server, examples):
    known = routes(server)
    assert len(known) > 20

    @settings(_fuzz, max_examples=examples)
    @given(st.data())
    def ask(data):
        method, path, names = data.draw(st.sampled_from(known))
        parameters = {name: data.draw(_text) for name in names if data.draw(st.booleans())}
        for name in names:
            if f"{{{name}}}" in path:
                path = path.replace(f"{{{name}}}", quote(data.draw(_text)[:500], safe="") or "x")
        body = data.draw(st.sampled_from([b"", b"rose 1 2\n", b"\x80\x04\x95", b"{"]))
        answer = server.request(method, path, params=parameters, content=body)
        assert answer.status_code < 500, (method, path, parameters, answer.text[:500])
        assert "Traceback" not in answer.text

    ask()


@pytest.mark.parametrize("kind", ["vectors", "corpus"])
@pytest.mark.parametrize("examples", [2, pytest.param(40, marks=pytest.mark.slow)])
def test_an_upload_is_accepted_or_refused(server, kind, examples):
    good = [*seeds("vectors").items(), *seeds("corpus").items()]

    @settings(_fuzz, max_examples=examples)
    @given(st.sampled_from(good), st.binary(max_size=40), st.integers(0, 400))
    def send(seed, piece, at):
        name, content = seed
        sent = server.put(f"/upload/{kind}/{name}", content=content[:at] + piece + content[at:])
        assert sent.status_code in (201, 413, 422, 400), sent.text
        if sent.status_code == 201:
            state = server.get("/api/uploads/file", params={"id": sent.json()["id"]})
            assert state.status_code < 500, state.text
            assert "Traceback" not in state.text

    send()
