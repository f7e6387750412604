"""The pages of the reference say what the code says."""

import inspect
import sys
from pathlib import Path

import pytest

import weatherglass as wg

ROOT = Path(__file__).parent.parent

TEXT = """Weigh apples.

    They are weighed one by one.

    Parameters
    ----------
    apples, pears
        What to weigh; see `scales`.
    **options
        As for `weat`.

    Returns
    -------
    Weights

    References
    ----------
    .. [1] A. Nother (1999). Apples
       and pears.

    Examples
    --------
    >>> 1 + 1
    2
    """


@pytest.fixture(scope="module")
def making():
    """What `docs/generate.py` is made of; it is no part of the package."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import generate
        from making import docstrings, names
    finally:
        sys.path.pop(0)
    return {"generate": generate, "docstrings": docstrings, "names": names}


@pytest.mark.parametrize("name", ["cli.md", "python.md"])
def test_the_reference_is_what_the_code_says(making, name):
    generate = making["generate"]
    path = generate.HERE / name
    assert path.read_text(encoding="utf-8") == generate.PAGES[path](), "run `make docs`"


@pytest.mark.parametrize("name", [public for public in wg.__all__ if public != "__version__"])
def test_a_public_name_is_documented(making, name):
    """A function has an example, and says what each of its arguments is."""
    thing = getattr(wg, name)
    doc = making["docstrings"].Docstring.of(inspect.getdoc(thing))
    assert doc.text
    if inspect.isfunction(thing):
        assert "Examples" in doc.sections
        assert set(inspect.signature(thing).parameters) <= doc.names("Parameters")
    else:
        assert {"Parameters", "Attributes", "Examples"} & set(doc.sections)


def test_a_docstring_is_split_into_sections(making):
    doc = making["docstrings"].Docstring.of(inspect.cleandoc(TEXT))
    assert doc.text == "Weigh apples.\n\nThey are weighed one by one."
    assert doc.names("Parameters") == {"apples", "pears", "options"}
    assert doc.entries("Parameters")[0] == ("apples, pears", "What to weigh; see `scales`.")
    assert doc.entries("Returns") == [("Weights", "")]
    assert doc.sections["Examples"] == ">>> 1 + 1\n2"
    works = making["docstrings"].references(doc.sections["References"])
    assert works == ["A. Nother (1999). Apples and pears."]


def test_markdown_characters_in_docstrings_are_escaped(making):
    text = "Words *and* <tags>,\nwith ``code`` as in [2]_.\n\n- one\n- two"
    prose = making["docstrings"].prose(text, lambda code: f"`{code}`")
    assert prose == "Words \\*and\\* \\<tags>, with `code` as in [2].\n\n- one\n- two"


def test_quotes_of_annotations_are_removed_from_signatures(making):
    signature = making["names"].signature("weat", wg.weat)
    assert signature.startswith("weat(\n    source: Source,\n    test: NamedTests,\n    *,\n")
    assert "    method: PermutationMethod = 'auto',\n" in signature
    assert signature.endswith(") -> WeatResult")
    assert making["names"].signature("seeds", wg.seeds) == "seeds(id: str) -> SeedSet"


def test_public_names_link_to_their_section(making):
    linked = making["names"].linked
    assert linked("weatherglass.weat") == "[`weatherglass.weat`](#weat)"
    assert linked("Test") == "[`Test`](#class-test)"
    assert linked("gensim") == "`gensim`"
