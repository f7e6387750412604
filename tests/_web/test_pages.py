"""What all pages share: static files, error responses, and the API document."""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files

import pytest

from weatherglass._web.settings import Settings

from .conftest import open_client

HTMX = "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717"


def test_the_bundled_htmx_is_the_reviewed_release():
    folder = files("weatherglass._web").joinpath("static")
    assert hashlib.sha256(folder.joinpath("htmx.min.js").read_bytes()).hexdigest() == HTMX
    assert "Zero-Clause BSD" in folder.joinpath("htmx.LICENSE.txt").read_text()


def test_pages_load_nothing_from_other_hosts(client, as_browser):
    page = client.get("/", headers=as_browser()).text
    assert not re.findall(r'(?:src|href|action)="(?!/|#)', page)
    sheet = client.get("/static/site.css").text
    assert "url(" not in sheet.replace("url(#", "")
    assert "@import" not in sheet


def test_static_files_with_a_hash_in_the_address_are_cached_forever(client, as_browser):
    page = client.get("/", headers=as_browser()).text
    address = re.search(r'href="(/static/site.css\?v=\w+)"', page)[1]
    assert "immutable" in client.get(address).headers["cache-control"]
    assert client.get("/static/site.css").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("name", ["nothing.css", "..%2Fapp.py", "%2e%2e%2fapp.py", "%00"])
def test_only_static_files_are_served(client, name):
    assert client.get(f"/static/{name}").status_code == 404


def test_errors_are_json_for_programs_a_page_for_browsers_a_part_for_scripts(client, as_browser):
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
def test_every_error_has_the_same_json_form(client, path, status):
    answer = client.get(path)
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]


def test_an_internal_error_shows_no_traceback(tiny, monkeypatch):
    def broken(*arguments, **options):
        raise ZeroDivisionError("in the engine room")

    monkeypatch.setattr("weatherglass._web.ask.answer.weat", broken)
    with open_client(
        Settings(sources=(tiny,), wait_seconds=600), raise_server_exceptions=False
    ) as client:
        answer = client.get("/api/ask?x=rose+lily&y=wasp+gnat&a=kind&b=foul")
    assert answer.status_code == 500
    assert "engine" not in answer.text
    assert "Traceback" not in answer.text
    assert answer.headers["content-security-policy"]


def test_the_api_document_describes_every_route_and_response(client):
    document = client.get("/openapi.json").json()
    assert {"/", "/api/ask", "/api/sources", "/ask/picture.{form}"} <= set(document["paths"])
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            statuses = set(operation["responses"])
            assert {"400", "401", "403", "404", "413", "421", "422", "429"} <= statuses, path
            assert statuses & {"200", "201", "303"}, path
            assert operation.get("description"), (method, path)
            error = operation["responses"]["422"]["content"]["application/json"]["schema"]
            assert error == {"$ref": "#/components/schemas/Problem"}, path


def test_the_api_page_lists_routes_and_parameters_without_other_hosts(client, as_browser):
    page = client.get("/docs", headers=as_browser())
    assert page.url.path == "/api"
    assert "GET /api/ask" in page.text
    assert "GET /api/audits/compare" in page.text
    assert 'href="/openapi.json"' in page.text
    assert "https://" not in page.text


def test_interactive_api_pages_that_load_from_other_hosts_are_off(client):
    assert client.get("/redoc").status_code == 404
