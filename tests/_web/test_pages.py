"""The frame of the pages: files, errors as answers, and an API document that is true."""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files

import pytest

from weatherglass._web.settings import Settings

from .conftest import asked

HTMX = "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717"


def test_htmx_is_the_release_that_was_looked_at():
    folder = files("weatherglass._web").joinpath("static")
    assert hashlib.sha256(folder.joinpath("htmx.min.js").read_bytes()).hexdigest() == HTMX
    assert "Zero-Clause BSD" in folder.joinpath("htmx.LICENSE.txt").read_text()


def test_pages_fetch_nothing_from_elsewhere(client, as_browser):
    page = client.get("/", headers=as_browser()).text
    assert not re.findall(r'(?:src|href|action)="(?!/|#)', page)
    sheet = client.get("/static/site.css").text
    assert "url(" not in sheet.replace("url(#", "")
    assert "@import" not in sheet


def test_files_are_kept_for_good_under_an_address_that_has_their_hash(client, as_browser):
    page = client.get("/", headers=as_browser()).text
    address = re.search(r'href="(/static/site.css\?v=\w+)"', page)[1]
    assert "immutable" in client.get(address).headers["cache-control"]
    assert client.get("/static/site.css").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("name", ["nothing.css", "..%2Fapp.py", "%2e%2e%2fapp.py", "%00"])
def test_no_other_file_is_given(client, name):
    assert client.get(f"/static/{name}").status_code == 404


def test_errors_are_a_sentence_for_programs_a_page_for_people_a_part_for_scripts(
    client, as_browser
):
    path = "/ask/answer?test=waet6"
    program = client.get(path)
    assert program.status_code == 404
    assert program.json()["error"].endswith("Did you mean weat6 or weat6b or weat9?")
    person = client.get(path, headers=as_browser())
    assert person.status_code == 404
    assert "<nav" in person.text
    assert "Did you mean" in person.text
    script = client.get(path, headers=as_browser(part=True))
    assert "<nav" not in script.text
    assert "Did you mean" in script.text


@pytest.mark.parametrize(
    ("path", "status"),
    [("/nothing", 404), ("/api/ask", 422), ("/ask/words?side=q", 422), ("/api/ask?missing=2", 422)],
)
def test_every_error_is_the_one_model(client, path, status):
    answer = client.get(path)
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]


def test_a_mistake_of_ours_shows_no_traceback(tiny, monkeypatch):
    def broken(*arguments, **options):
        raise ZeroDivisionError("in the engine room")

    monkeypatch.setattr("weatherglass._web.ask.question.weat", broken)
    with asked(Settings(sources=(tiny,), wait_seconds=60), raise_server_exceptions=False) as client:
        answer = client.get("/api/ask?x=rose+lily&y=wasp+gnat&a=kind&b=foul")
    assert answer.status_code == 500
    assert "engine" not in answer.text
    assert "Traceback" not in answer.text
    assert answer.headers["content-security-policy"]


def test_the_api_document_has_every_route_and_every_answer(client):
    document = client.get("/openapi.json").json()
    assert {"/", "/api/ask", "/api/sources", "/ask/picture.{form}"} <= set(document["paths"])
    for path, methods in document["paths"].items():
        for method, told in methods.items():
            known = set(told["responses"])
            assert {"400", "401", "403", "404", "413", "421", "422", "429"} <= known, path
            assert known & {"200", "201", "303"}, path
            assert told.get("description"), (method, path)
            error = told["responses"]["422"]["content"]["application/json"]["schema"]
            assert error == {"$ref": "#/components/schemas/Problem"}, path


def test_there_are_no_interactive_pages_that_would_fetch_from_elsewhere(client):
    assert client.get("/docs").status_code == 404
    assert client.get("/redoc").status_code == 404
