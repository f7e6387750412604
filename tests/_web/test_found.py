"""Who gets found: retrieval audits on the page."""

from __future__ import annotations

import pytest

import weatherglass as wg


@pytest.mark.slow
def test_an_embedding_ranks_resumes_by_the_means_of_its_vectors(client, as_browser):
    reply = client.get("/ask/found?on=default", headers=as_browser())
    assert reply.status_code == 200
    assert "White names and Black names" in reply.text
    found = wg.retrieve("cbow:default")
    assert f"{found.contrasts[0].effect:.2f}" in reply.text
    text = reply.text.replace("\u00a0", " ").replace("&nbsp;", " ")
    assert found.selection_sentences()[0] in text
    assert 0 < text.index("The same documents score higher") < text.index("Ranked with")
    assert "Ranked with <bdi>GloVe 6B</bdi>" in text
    chart = client.get("/ask/found.svg?on=default")
    assert chart.text.startswith("<svg")


def test_the_form_offers_what_the_server_has(client, as_browser):
    text = client.get("/ask/found", headers=as_browser()).text
    assert "Mean of the word vectors of GloVe 6B" in text
    assert 'href="/ask/found"' in client.get("/", headers=as_browser()).text


@pytest.mark.parametrize("name", ["cbow:default", "st:anything", "../etc/passwd"])
def test_nothing_is_opened_that_was_not_named(client, as_browser, name):
    reply = client.get("/ask/found", params={"on": name}, headers=as_browser())
    assert reply.status_code in (400, 404, 422)
    assert "There is no encoder or embedding" in reply.text


def test_a_source_without_the_words_says_so(client, as_browser):
    reply = client.get("/ask/found?on=tiny.txt", headers=as_browser())
    assert "score" in reply.text or "knows no word" in reply.text
    assert reply.status_code < 500
