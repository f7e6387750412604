"""TEI: the text without what is not text, and what the header says of it."""

import pytest

from weatherglass.corpus import open_corpus
from weatherglass.errors import BadContent, UsageError

BOOK = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:id="ENG1">
 <teiHeader>
  <fileDesc>
   <titleStmt><title>The Small
     House</title><author ref="x">Ann Author</author><title>An edition</title></titleStmt>
   <publicationStmt><p>Published in 2020.</p><date>2020</date></publicationStmt>
   <sourceDesc>
    <bibl type="printSource"><date>1871</date></bibl>
    <bibl type="firstEdition"><date when="1864-03-01">March 1864</date></bibl>
   </sourceDesc>
  </fileDesc>
  <profileDesc>
   <langUsage><language ident="en">English</language></langUsage>
   <textDesc>
    <authorGender xmlns="http://distantreading.net/eltec/ns" key="F"/><timeSlot key="T2"/>
   </textDesc>
  </profileDesc>
 </teiHeader>
 <text>
  <front><head>Preface</head></front>
  <body>
   <div><head>Chapter<lb/>One</head>
    <p>She wrote un<hi>believ</hi>ably<note>a note</note> well, and divi<lb break="no"/>ded.</p>
    <fw>page header</fw><pb n="2"/>
    <p>The <choice><sic>hosue</sic><corr>house</corr></choice> &amp; the sea.</p>
    <lg><l>A line</l><l>of verse</l></lg>
   </div>
  </body>
 </text>
</TEI>
"""


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.xml"
    path.write_text(BOOK)
    return path


def words(document):
    return document.text.split()


def test_a_book_is_a_document_without_notes_page_headers_and_misprints(book):
    (document,) = open_corpus(book)
    assert " ".join(words(document)) == (
        "Preface Chapter One She wrote unbelievably well, and divided. The house & the sea. "
        "A line of verse"
    )


def test_the_header_gives_title_author_first_year_language_and_keys(book):
    (document,) = open_corpus(book)
    assert document.meta == {
        "title": "The Small House",
        "author": "Ann Author",
        "year": "1864",
        "language": "en",
        "authorGender": "F",
        "timeSlot": "T2",
    }


def test_paragraphs_can_be_the_documents(book):
    found = list(open_corpus(book, documents="paragraphs"))
    assert [" ".join(words(one)) for one in found] == [
        "Preface",
        "Chapter One",
        "She wrote unbelievably well, and divided.",
        "The house & the sea.",
        "A line",
        "of verse",
    ]
    assert {one.meta["author"] for one in found} == {"Ann Author"}
    with pytest.raises(UsageError, match="not one of file, paragraphs"):
        list(open_corpus(book, documents="lines"))


def test_a_corpus_file_gives_each_of_its_texts_with_its_own_header(tmp_path):
    one = "<TEI><teiHeader><titleStmt><title>{0}</title></titleStmt></teiHeader>"
    one += "<text><p>{0} text</p></text></TEI>"
    path = tmp_path / "all.xml"
    path.write_text(f"<teiCorpus><teiHeader/>{one.format('A')}{one.format('B')}</teiCorpus>")
    found = [(document.text, document.meta["title"]) for document in open_corpus(path)]
    assert found == [("A text", "A"), ("B text", "B")]


@pytest.mark.parametrize(
    "inside",
    [
        '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">',
        '<!ENTITY a SYSTEM "file:///etc/hostname">',
        '<!ENTITY % a "x">',
    ],
)
def test_entities_are_refused(tmp_path, inside):
    path = tmp_path / "bomb.xml"
    path.write_text(f"<!DOCTYPE TEI [{inside}]><TEI><text><p>&a;</p></text></TEI>")
    with pytest.raises(BadContent, match="declares the XML entity"):
        list(open_corpus(path))


def test_a_document_type_without_entities_is_harmless(tmp_path):
    path = tmp_path / "old.xml"
    path.write_text('<!DOCTYPE TEI.2 SYSTEM "tei2.dtd"><TEI.2><text><p>Old.</p></text></TEI.2>')
    assert [document.text for document in open_corpus(path)] == ["Old."]


def test_the_encoding_that_the_file_declares_is_used(tmp_path):
    path = tmp_path / "a.xml"
    head = '<?xml version="1.0" encoding="ISO-8859-1"?>'
    path.write_bytes(f"{head}<TEI><text><p>Café</p></text></TEI>".encode("latin-1"))
    assert [document.text for document in open_corpus(path)] == ["Café"]
    path.write_bytes("<TEI><text><p>Café</p></text></TEI>".encode("latin-1"))
    with pytest.raises(BadContent, match="not well-formed"):
        list(open_corpus(path))
    (found,) = open_corpus(f"{path}?encoding=iso-8859-1")
    assert found.text == "Café"
