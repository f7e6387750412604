import dataclasses
import json
import re
import shlex
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

import weatherglass as wg
from weatherglass._cli.discover import discover as discover_command
from weatherglass.discovery.result import Change, Comparison, Indirect, Proxy, Rotations
from weatherglass.errors import CannotMeasure
from weatherglass.report import comparison_page, discovery_page, plot_discovery
from weatherglass.report.charts import style
from weatherglass.report.charts.labels import wrap_text
from weatherglass.report.discovery import prose
from weatherglass.report.html import escape, make_visible
from weatherglass.report.page import style_sheet
from weatherglass.vectors import Control

VOID = {"br", "col", "input", "meta"}
HOSTILE = (
    "<script>alert(1)</script>",
    "</td></table><img src=x onerror=alert(1)>",
    "\"' onmouseover='alert(1)",
    "safe\u202egnp.exe\u2066",
    "x" * 5000,
    "\ud800\x00\x1b[31m",
    "&amp;&lt;",
    "--></style></title>",
)


class Page(HTMLParser):
    """A parsed page: its elements and its text. Elements must be closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.pieces: list[str] = []
        self.headings: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len({name for name, _ in attrs}) == len(attrs), (tag, attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.pieces.append(data)
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.pieces).split())

    def of(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        return [
            values
            for name, values in self.elements
            if name == tag and all(values.get(key) == value for key, value in attributes.items())
        ]

    def attributes(self) -> list[tuple[str, str]]:
        return [(key, value or "") for _, values in self.elements for key, value in values.items()]


@pytest.fixture(scope="session")
def hostile(paper):
    """The published table, in which every text from a file is an attack."""
    hostile_texts = iter(HOSTILE * 1000)

    def words(texts):
        return tuple(next(hostile_texts) for _ in texts)

    groups = tuple(
        dataclasses.replace(
            group, shown=words(group.shown), facts={next(hostile_texts): 0.5, "<i>": 2.0}
        )
        for group in paper.groups
    )
    return dataclasses.replace(
        paper,
        groups=groups,
        categories=tuple(
            dataclasses.replace(category, label=", ".join(words("abc")))
            for category in paper.categories
        ),
        cells=tuple(dataclasses.replace(cell, words=words(cell.words)) for cell in paper.cells),
        columns={
            name: {"label": next(hostile_texts), "unit": next(hostile_texts)} for name in HOSTILE
        },
        indirect=Indirect(3, 0.5, (Proxy(("F1", "F2"), "C1", words("ab"), 0.3, 1, 2),)),
        rotations=Rotations(10, 5, HOSTILE[0]),
        notes=tuple(text for text in HOSTILE if len(text) < 1000),
        source={"name": HOSTILE[0] + HOSTILE[2], "dim": 300},
        options={"names": HOSTILE[1], "rng": 3},
    )


def test_the_page_states_what_was_searched_and_how(paper):
    page = Page(discovery_page(paper))
    assert page.headings == [
        "What was searched",
        "Groups of names",
        "Table of associations",
        "Proxies for names",
        "Notes",
        "What it does not mean",
        "How to repeat and cite it",
    ]
    for sentence in (
        "What w2v associates with names",
        "6,340 names into 12 groups",
        "81 of 85 cells are significant, in 12 categories",
        "The list ssa: 7,850 listed, 1 missing, 1,569 dropped, 6,280 used",
        "predicted from its vector with R² 0.21; it is removed above 0.25",
        "against the words: 4,000, of 10,000 requested (no verdict could change)",
        "significant at p ≤ 0.015, so that at most 5% of the significant cells are expected to be "
        "alignments that names rotated at random would have, too",
        "nobody's name heads a column of stereotypes",
        "No significant cell: F10.",
        "99.0% of 2,713 four-tuples",
        "hostess rather than cab driver distinguishes F1 from F11 without a name",
        "The names file has 12 names twice.",
        f"Measured with Weatherglass {wg.__version__} on w2v (fingerprint 0f0f",
        "Swinger, N.",
        "doi:10.1145/3306618.3314270",
    ):
        assert sentence in page.text, sentence


def test_the_page_states_whether_frequency_was_removed(paper, large):
    assert "with R² 0.88; after, with 0.04" in Page(discovery_page(large)).text
    left_in = dataclasses.replace(paper, control=Control("none", 0.9, None, "none"))
    assert "Word frequency was not removed, and this embedding holds much of it" in discovery_page(
        left_in
    )
    unknown = dataclasses.replace(paper, control=Control("none", None, None, "auto"))
    assert "too few words" in discovery_page(unknown)


def test_groups_have_their_names_size_and_facts(paper):
    page = discovery_page(paper)
    row = page[page.index('id="group-7"') :].split("</tr>")[0]
    text = Page(f"<table><tr {row}</tr></table>").text
    assert text == "F8Miguel, Deisy, Violeta, Emilio, Yareli +57756%19862%70%8%21%"


def test_a_fact_that_is_not_known_is_a_dash(paper):
    first, *rest = paper.groups
    odd = dataclasses.replace(first, facts={"height": 1712.5, "share_female": float("nan")})
    page = discovery_page(dataclasses.replace(paper, groups=(odd, *rest)))
    row = page[page.index('id="group-0"') :].split("</tr>")[0]
    assert re.findall(r">([^<>]*)</td>", row) == ["", "1,712", *["–"] * 6]


def cell_of(page: str, category: str, group: str) -> str:
    row = page[page.index(f'scope="row" role="rowheader"><bdi>{category}</bdi>') :].split("</tr>")[
        0
    ]
    return next(cell for cell in row.split("<td")[1:] if f'data-group="{group}"' in cell)


def test_a_cell_has_its_words_shade_score_and_p_value(paper):
    cell = cell_of(discovery_page(paper), "food", "F8")
    assert 'class="s6"' in cell
    assert [word in cell for word in ("tortillas", "salsa", "tequila")] == [True] * 3
    assert "score 0.292, p = 1.0e-04 (5.0e-05 to 2.0e-04), significant" in cell
    assert 'tabindex="0"' in cell


def test_the_main_table_names_no_person(paper):
    table = discovery_page(paper).split('class="grid"')[1].split("</table>")[0]
    assert not [name for group in paper.groups for name in group.shown if f">{name}<" in table]


def test_rows_are_ordered_by_score_and_the_rest_is_hidden_until_the_box_is_ticked(paper, large):
    for discovery in (paper, large):
        page = discovery_page(discovery)
        table = page.split('class="grid"')[1].split("</table>")[0]
        rows = table.split("<tr")[2:]
        labels = {category.label: category.id for category in discovery.categories}
        ids = [
            labels[", ".join(re.findall(r"<bdi>([^<]*)</bdi>", row.split("</th>")[0]))]
            for row in rows
        ]
        assert ids[: len(discovery.order)] == list(discovery.order)
        assert [("row-rest" in row.split(">")[0]) for row in rows] == [
            id not in discovery.order for id in ids
        ]
    assert "body:has(#rest:checked) .row-rest" in style_sheet()


def test_a_cell_that_is_not_significant_is_blank_until_the_box_is_ticked(paper):
    assert 'class="rest column-rest"' in cell_of(discovery_page(paper), "weather", "F10")
    assert 'class="rest"' in cell_of(discovery_page(paper), "weather", "F5")
    assert 'class="none"' in cell_of(discovery_page(paper), "food", "F1")
    assert re.search(r"\.rest \.in \{ display: none; \}", style_sheet())


def test_no_text_of_the_page_holds_a_slur(paper):
    note = "The word Retarded was met; so was trailer_trash."
    discovery = dataclasses.replace(
        paper,
        notes=(note,),
        categories=(
            dataclasses.replace(paper.categories[0], label="rednecks, folks"),
            *paper.categories[1:],
        ),
    )
    page = Page(discovery_page(discovery))
    for slur in ("retarded", "rednecks", "trailer trash"):
        assert slur not in page.text.lower()
        holders = {key for key, value in page.attributes() if slur in value.lower()}
        assert holders == {"data-word"}, slur
    assert "mentally r*******" in page.text
    assert "The word R******* was met; so was t****** t****." in page.text
    box = page.of("input", id="slurs")
    assert [tag for tag in box if "checked" in tag] == []
    assert "checked" in Page(discovery_page(discovery, show_slurs=True)).of("input", id="slurs")[0]
    assert "body:has(#slurs:checked) .slur::after { content: attr(data-word); }" in style_sheet()


def test_a_page_without_slurs_has_no_box_for_them(large):
    page = Page(discovery_page(large))
    assert not page.of("input", id="slurs")
    assert page.of("input", id="rest")


@pytest.mark.parametrize("kind", ["discovery", "comparison"])
def test_hostile_words_stay_text(hostile, kind):
    changes = tuple(Change("stays", cell, hostile.cells[-1]) for cell in hostile.cells)
    both = Comparison(before=hostile, after=hostile, changes=changes)
    written = discovery_page(hostile) if kind == "discovery" else comparison_page(both)
    written.encode("utf-8")
    page = Page(written)
    known = {"html", "head", "meta", "title", "style", "body", "a", "header", "main", "section"}
    known |= {"h1", "h2", "p", "div", "label", "input", "b", "i", "bdi", "span", "small", "footer"}
    known |= {"table", "thead", "tbody", "tr", "th", "td", "ul", "ol", "li", "dl", "dt", "dd"}
    known |= {"pre", "code", "del", "ins"}
    assert {name for name, _ in page.elements} <= known
    assert not [key for key, _ in page.attributes() if key.startswith("on")]
    assert {key for key, _ in page.attributes() if key in ("src", "action", "formaction")} == set()
    assert not set("\u202e\u2066\x00\x1b") & set(written)
    assert "<script>alert(1)</script>" in page.text
    assert max(map(len, re.findall("x+", written))) < 100
    assert len(page.of("style")) == 1


@pytest.mark.parametrize("kind", ["paper", "comparison"])
def test_a_page_is_one_file_that_fetches_nothing(kind, request):
    result = request.getfixturevalue(kind)
    written = (discovery_page if kind == "paper" else comparison_page)(result)
    page = Page(written)
    assert not re.search(r"https?:|@import|url\(|//[a-z]", written)
    assert not page.of("script")
    assert (
        "default-src 'none'"
        in page.of("meta", **{"http-equiv": "Content-Security-Policy"})[0]["content"]
    )
    ids = [value for key, value in page.attributes() if key == "id"]
    assert len(ids) == len(set(ids))
    links = [value for key, value in page.attributes() if key == "href"]
    assert {link[1:] for link in links} <= set(ids)
    assert all(link.startswith("#") for link in links)
    assert page.of("html", lang="en")
    assert all("scope" in tag for tag in page.of("th"))


@given(st.text(st.characters(codec=None), max_size=30))
def test_any_text_is_escaped(text):
    page = Page(f"<p>{escape(text)}</p>")
    assert [name for name, _ in page.elements] == ["p"]
    assert "".join(page.pieces) == make_visible(text)
    escape(text).encode("utf-8")


def themes() -> list[dict[str, str]]:
    """The colours of the style sheet, light and dark."""
    blocks = re.findall(r":root \{(.*?)\}", style_sheet(), flags=re.DOTALL)[:2]
    colours = [re.findall(r"--([\w-]+): #(\w+);", block) for block in blocks]
    return [{name: "#" + hex * (6 // len(hex)) for name, hex in theme} for theme in colours]


def test_text_has_enough_contrast_on_every_colour():
    for scale in (style.LIGHT, style.DARK):
        assert len(scale) == style.STEPS
        for shade in scale:
            assert style.contrast(style.ink_on(shade), shade) >= 4.5, shade
    for theme in themes():
        for paper in ("ground", "card", "warn", "appears", "stays", "bar"):
            assert style.contrast(theme["text"], theme[paper]) >= 4.5, paper
        for ink, paper in (
            ("soft", "ground"),
            ("soft", "card"),
            ("grey", "ground"),
            ("link", "card"),
        ):
            assert style.contrast(theme[ink], theme[paper]) >= 4.5, (ink, paper)


def test_shades_change_monotonically():
    light = [style.contrast(shade, "#ffffff") for shade in style.LIGHT]
    dark = [style.contrast(shade, "#000000") for shade in style.DARK]
    assert light == sorted(light)
    assert dark == sorted(dark)


def test_the_command_repeats_the_search(paper):
    options = paper.options | {"voronoi": False, "stop_early": False, "name_rank": 9000}
    options |= {"group_by": "none", "weights": "population"}
    discovery = dataclasses.replace(paper, options=options, source={"name": "my vectors.txt"})
    line = shlex.split(prose.repeat_command(discovery).replace("\\\n", ""))
    assert line[:3] == ["weatherglass", "discover", "my vectors.txt"]
    params = discover_command.make_context("discover", line[2:]).params
    assert params["seed"] == options.pop("rng")
    assert params["lists"] == (options.pop("names"),)
    assert {name: params[name] for name in options} == options


def test_a_heading_has_the_end_of_a_long_path(paper):
    name = "/data/embeddings/of/a/very/long/path/glove_840B.300d.txt"
    page = Page(discovery_page(dataclasses.replace(paper, source={"name": name})))
    assert "What glove_840B.300d.txt associates with names" in page.text
    assert f"by their vectors in {name}." in page.text


def test_a_page_without_significant_cells_says_so(paper):
    cells = tuple(dataclasses.replace(cell, significant=False) for cell in paper.cells)
    nothing_significant = dataclasses.replace(
        paper, cells=cells, order=(), threshold=0.0, indirect=Indirect(0, None)
    )
    page = Page(discovery_page(nothing_significant))
    assert "No cell is significant." in page.text
    assert "No p-value is small enough" in page.text
    assert "proxies for names cannot be assessed" in page.text
    with pytest.raises(CannotMeasure, match="no cell is significant"):
        plot_discovery(nothing_significant)


def test_a_comparison_counts_and_marks_changes(comparison):
    written = comparison_page(comparison)
    page = Page(written)
    kinds = [change.change for change in comparison.changes]
    for kind, plural in (("appears", "appear"), ("vanishes", "vanish"), ("stays", "stay")):
        cells = [tag for tag in page.of("td", role="cell") if kind in (tag["class"] or "").split()]
        assert len(cells) == kinds.count(kind)
        assert re.search(rf"{kinds.count(kind)} cells {plural}", page.text)
        assert "checked" in page.of("input", id=kind)[0]
    assert "Of 81 associations, 54 stay and 27 vanish; 2 appear" in page.text
    assert "weatherglass discover --compare w2v w2v-debiased" in page.text
    assert "81 of 85" in page.text
    assert "56 of 85" in page.text


def test_a_cell_that_stays_shows_lost_and_new_words(comparison):
    cell = cell_of(comparison_page(comparison), "food", "F8")
    assert "<del><bdi>tequila</bdi></del>" in cell
    assert "<ins><bdi>newcomer</bdi></ins>" in cell
    assert "0.29→0.23" in cell
    assert "before: score 0.292" in cell
    assert "after: score 0.234" in cell


def test_a_cell_with_too_few_words_on_one_side_can_be_compared(paper):
    cell = paper.cells[0]
    changes = (Change("vanishes", cell, None), Change("appears", None, paper.cells[1]))
    page = Page(comparison_page(Comparison(before=paper, after=paper, changes=changes)))
    assert "0.30→–" in page.text
    assert "–→0.30" in page.text
    assert "after: too few words" in page.text


@pytest.fixture
def chart():
    pytest.importorskip("altair", reason="needs the extra 'plots'")

    def draw(discovery, **options):
        return plot_discovery(discovery, **options).to_dict()

    return draw


def drawn(chart: dict) -> tuple[list[dict], ...]:
    """The data of a chart's layers: cells, their words, labels, groups, sizes."""
    return tuple(
        layer["data"]["values"]
        if "values" in layer["data"]
        else chart["datasets"][layer["data"]["name"]]
        for layer in chart["layer"]
    )


def test_the_chart_has_the_significant_cells_of_the_first_categories(paper, chart):
    cells, _, labels, groups, *_ = drawn(chart(paper, rows=3))
    expected = [cell for cell in paper.cells if cell.category in ("C1", "C2", "C3")]
    assert [(cell["group"], cell["score"]) for cell in cells] == [
        (cell.group, cell.score) for cell in expected
    ]
    assert cells[4]["words"] == "tortillas\nsalsa\ntequila"
    assert len(labels) == 3
    # F10 has none in these rows, and F7 has one: columns are those with a cell.
    assert [group["id"] for group in groups] == [f"F{k}" for k in range(1, 13) if k != 10]
    assert [group["size"] for group in groups][:2] == ["586 names", "845 names"]


def test_columns_are_headed_by_what_is_known_of_their_names(paper, chart):
    groups = drawn(chart(paper, rows=3))[3]
    assert groups[0]["about"].startswith("9")
    assert "% women" in groups[0]["about"]
    assert "born about 19" in groups[0]["about"].replace("\n", " ")
    unknown = dataclasses.replace(
        paper, groups=tuple(dataclasses.replace(group, facts={}) for group in paper.groups)
    )
    heads = drawn(chart(unknown, rows=3))[3]
    names = heads[0]["about"].replace("\n", " ")
    assert names == ", ".join(unknown.groups[0].shown)


def test_cells_of_the_chart_do_not_overlap_and_hold_their_words(large, chart):
    cells = drawn(chart(large))[0]
    boxes = [(cell["x"], cell["x2"], cell["y"], cell["y2"]) for cell in cells]
    for k, (x, x2, y, y2) in enumerate(boxes):
        assert len(cells[k]["words"].split("\n")) * 12.5 <= y2 - y
        for a, a2, b, b2 in boxes[:k]:
            assert x2 <= a or a2 <= x or y2 <= b or b2 <= y


@pytest.mark.slow
def test_the_chart_masks_slurs_and_uses_the_scale_of_the_page(paper, chart):
    plain = json.dumps(chart(paper))
    assert "retarded" not in plain
    assert "r*******" in plain
    assert "retarded" in json.dumps(chart(paper, show_slurs=True))
    shade = chart(paper)["layer"][0]["encoding"]["color"]["scale"]
    assert tuple(shade["range"]) == style.LIGHT
    assert shade["domain"] == [pytest.approx(0.14), pytest.approx(0.3)]


@pytest.mark.parametrize(
    "suffix",
    ["svg", "json", *(pytest.param(format, marks=pytest.mark.slow) for format in ("png", "html"))],
)
def test_a_discovery_is_plotted_and_saved(hostile, tmp_path, suffix):
    pytest.importorskip("altair", reason="needs the extra 'plots'")
    path = tmp_path / f"table.{suffix}"
    wg.save_plot(wg.plot(hostile), path)
    if suffix == "png":
        assert path.read_bytes().startswith(b"\x89PNG")
    else:
        written = path.read_text()
        assert "F11" in written
        assert suffix == "json" or "<script>alert(1)" not in written


def test_a_single_cell_can_be_drawn(paper, chart):
    single_cell = dataclasses.replace(paper, cells=paper.cells[:1], order=("C1",))
    assert len(drawn(chart(single_cell))[0]) == 1


@given(st.text(max_size=60), st.floats(20, 200))
def test_wrapped_lines_have_all_letters_of_the_text(text, width):
    lines = wrap_text(text, width, 10.5)
    whole = "".join(lines).replace("-", "")
    assert whole.replace(" ", "") == "".join(text.split()).replace("-", "")
