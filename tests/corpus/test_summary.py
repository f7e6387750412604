"""The summary of a corpus: documents, words and metadata in numbers."""

from weatherglass.corpus import Corpus, Document, Tokenizer
from weatherglass.corpus import summary as summary_module
from weatherglass.corpus.summary import Column, summarise


def test_a_summary_counts_documents_words_and_metadata_values():
    corpus = Corpus.of(
        [
            Document("The sea, the sea!", {"year": "1840", "by": "Ann"}),
            Document("A ship.", {"year": "1841"}),
            Document("The Ship", {"year": "1840"}),
        ],
        source="voyage",
    )
    summary = summarise(corpus, min_count=2, top=2)
    assert (summary.source, summary.documents, summary.tokens, summary.types) == ("voyage", 3, 8, 4)
    assert (summary.frequent_types, summary.frequent_tokens) == (3, 7)
    assert summary.words == [("the", 3), ("sea", 2)]
    assert summary.columns == {
        "year": Column(3, 2, [("1840", 2), ("1841", 1)]),
        "by": Column(1, 1, [("Ann", 1)]),
    }
    cased = summarise(corpus, tokenizer=Tokenizer(lower=False))
    assert ("The", 2) in cased.words


def test_distinct_values_of_a_column_are_not_counted_beyond_a_limit(monkeypatch):
    monkeypatch.setattr(summary_module, "_MAX_DISTINCT_VALUES", 3)
    corpus = Corpus.of(Document("a", {"id": str(k), "k": str(k % 2)}) for k in range(10))
    summary = summarise(corpus)
    assert summary.columns["id"].different is None
    assert summary.columns["id"].documents == 10
    assert summary.columns["k"] == Column(10, 2, [("0", 5), ("1", 5)])
