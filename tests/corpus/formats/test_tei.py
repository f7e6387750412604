"""TEI: the text without notes and page furniture, and the metadata of the header."""

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
    """Return the words of a document."""
    return document.text.split()


def test_a_tei_document_leaves_out_notes_page_headers_and_misprints(book):
    (document,) = open_corpus(book)
    assert " ".join(words(document)) == (
        "Preface Chapter One She wrote unbelievably well, and divided. The house & the sea. "
        "A line of verse"
    )


def test_the_tei_header_gives_title_author_first_year_language_and_keys(book):
    (document,) = open_corpus(book)
    assert document.meta == {
        "title": "The Small House",
        "author": "Ann Author",
        "year": "1864",
        "language": "en",
        "authorGender": "F",
        "timeSlot": "T2",
    }


def test_the_paragraphs_of_a_tei_file_can_be_the_documents(book):
    documents = list(open_corpus(book, documents="paragraphs"))
    assert [" ".join(words(document)) for document in documents] == [
        "Preface",
        "Chapter One",
        "She wrote unbelievably well, and divided.",
        "The house & the sea.",
        "A line",
        "of verse",
    ]
    assert {document.meta["author"] for document in documents} == {"Ann Author"}
    with pytest.raises(UsageError, match="not one of file, paragraphs"):
        list(open_corpus(book, documents="lines"))


def test_each_text_of_a_tei_corpus_file_has_the_metadata_of_its_own_header(tmp_path):
    book = "<TEI><teiHeader><titleStmt><title>{0}</title></titleStmt></teiHeader>"
    book += "<text><p>{0} text</p></text></TEI>"
    path = tmp_path / "all.xml"
    path.write_text(f"<teiCorpus><teiHeader/>{book.format('A')}{book.format('B')}</teiCorpus>")
    titles = [(document.text, document.meta["title"]) for document in open_corpus(path)]
    assert titles == [("A text", "A"), ("B text", "B")]


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">',
        '<!ENTITY a SYSTEM "file:///etc/hostname">',
        '<!ENTITY % a "x">',
    ],
)
def test_tei_with_xml_entities_is_refused(tmp_path, declaration):
    path = tmp_path / "bomb.xml"
    path.write_text(f"<!DOCTYPE TEI [{declaration}]><TEI><text><p>&a;</p></text></TEI>")
    with pytest.raises(BadContent, match="declares the XML entity"):
        list(open_corpus(path))


def test_tei_with_a_document_type_but_no_entities_is_read(tmp_path):
    path = tmp_path / "old.xml"
    path.write_text('<!DOCTYPE TEI.2 SYSTEM "tei2.dtd"><TEI.2><text><p>Old.</p></text></TEI.2>')
    assert [document.text for document in open_corpus(path)] == ["Old."]


def test_a_tei_file_is_decoded_with_the_encoding_that_it_declares(tmp_path):
    path = tmp_path / "a.xml"
    head = '<?xml version="1.0" encoding="ISO-8859-1"?>'
    path.write_bytes(f"{head}<TEI><text><p>Café</p></text></TEI>".encode("latin-1"))
    assert [document.text for document in open_corpus(path)] == ["Café"]
    path.write_bytes("<TEI><text><p>Café</p></text></TEI>".encode("latin-1"))
    assert [document.text for document in open_corpus(path)] == ["Café"]  # an odd byte
    (document,) = open_corpus(f"{path}?encoding=iso-8859-1")
    assert document.text == "Café"
