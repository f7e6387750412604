"""What a corpus holds, in numbers."""

from weatherglass.corpus import Corpus, Document, Tokenizer, summary
from weatherglass.corpus.summary import Column, summarise


def test_everything_is_counted_once():
    corpus = Corpus.of(
        [
            Document("The sea, the sea!", {"year": "1840", "by": "Ann"}),
            Document("A ship.", {"year": "1841"}),
            Document("The Ship", {"year": "1840"}),
        ],
        source="voyage",
    )
    found = summarise(corpus, min_count=2, top=2)
    assert (found.source, found.documents, found.tokens, found.types) == ("voyage", 3, 8, 4)
    assert (found.frequent_types, found.frequent_tokens) == (3, 7)
    assert found.words == [("the", 3), ("sea", 2)]
    assert found.columns == {
        "year": Column(3, 2, [("1840", 2), ("1841", 1)]),
        "by": Column(1, 1, [("Ann", 1)]),
    }
    cased = summarise(corpus, tokenizer=Tokenizer(lower=False))
    assert ("The", 2) in cased.words


def test_a_column_with_very_many_values_is_not_counted_out(monkeypatch):
    monkeypatch.setattr(summary, "_VALUES", 3)
    corpus = Corpus.of(Document("a", {"id": str(k), "k": str(k % 2)}) for k in range(10))
    found = summarise(corpus)
    assert found.columns["id"].different is None
    assert found.columns["id"].documents == 10
    assert found.columns["k"] == Column(10, 2, [("0", 5), ("1", 5)])
