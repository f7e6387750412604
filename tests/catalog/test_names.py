"""Name lists of the catalogue agree with their sources, and any file is read or refused."""

from __future__ import annotations

import csv
import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weatherglass import open_vectors
from weatherglass._files import records
from weatherglass.catalog import NameList, load_names, name_lists
from weatherglass.catalog.person_names import names
from weatherglass.errors import CatalogError, UnknownEntry

ROOT = Path(__file__).parents[2]
RACES = ["share_white", "share_black", "share_hispanic", "share_asian"]


def fact(which: str, name: str, column: str) -> float | None:
    name_list = load_names(which)
    return name_list.facts[column][name_list.names.index(name)]


@pytest.fixture
def write(tmp_path: Path):
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def problem(which: str | Path) -> str:
    with pytest.raises(CatalogError) as caught:
        load_names(which)
    return str(caught.value)


@pytest.mark.parametrize(
    ("which", "size", "count", "columns"),
    [
        ("ssa", 9511, "births", ["births", "share_female", "mean_year", *RACES]),
        ("surnames", 24888, "count", ["count", *RACES]),
    ],
)
def test_name_lists_are_complete_and_sorted_by_frequency(which, size, count, columns):
    name_list = load_names(which)
    assert len(name_list) == len(set(name_list.names)) == size
    assert list(name_list.facts) == list(name_list.labels) == list(name_list.units) == columns
    counts = name_list.facts[count]
    assert None not in counts
    assert min(counts) >= name_lists()[which].at_least == 1000
    # Where the count is the same, by the spelling of the source, which has no apostrophes.
    plain = [name.upper().replace("'", "") for name in name_list.names]
    order = list(zip((-count for count in counts), plain, strict=True))
    assert order == sorted(order)
    assert (name_list.ignored, name_list.notes) == ((), ())
    for column, unit in name_list.units.items():
        known = [value for value in name_list.facts[column] if value is not None]
        low, high = {"share": (0, 1), "year": (1938, 2016), "people": (1000, 1e7)}[unit]
        assert low <= min(known) <= max(known) <= high, column
    for values in zip(*(name_list.facts[race] for race in RACES), strict=True):
        assert (None in values) == (values == (None,) * 4)
        if None not in values:
            assert sum(values) <= 1.0021  # four shares, each rounded by at most 0.0005


def test_facts_of_well_known_names_agree_with_their_sources():
    assert fact("ssa", "Linda", "share_female") == 0.997
    assert fact("ssa", "Linda", "mean_year") == 1954.1
    assert fact("ssa", "Michael", "share_female") == 0.005
    assert fact("ssa", "Michael", "births") == 4_241_540
    assert fact("ssa", "Aiden", "mean_year") > 2000
    assert fact("ssa", "Lakisha", "share_black") > 0.8
    assert fact("ssa", "Guadalupe", "share_hispanic") > 0.9
    assert fact("ssa", "Zendaya", "share_white") is None  # not in the census table
    assert fact("surnames", "Garcia", "share_hispanic") == 0.92
    assert fact("surnames", "Smith", "count") == 2_442_977
    assert fact("surnames", "Nguyen", "share_asian") > 0.9
    assert fact("surnames", "Washington", "share_black") > 0.8
    missing = [value for value in load_names("ssa").facts["share_white"] if value is None]
    assert len(missing) == 21


def test_surnames_have_other_spellings():
    name_list = load_names("surnames")
    assert name_list.spellings["McDonald"] == ("Mcdonald",)
    assert name_list.spellings["O'Brien"] == ("Obrien",)
    assert name_list.spellings["Macdonald"] == ("MacDonald",)
    assert not {"Smith", "Oliver", "Machado", "Dalton"} & name_list.spellings.keys()
    assert {"Smith", "Oliver", "Machado", "Dalton"} <= set(name_list.names)
    written = [
        *name_list.names,
        *(other for others in name_list.spellings.values() for other in others),
    ]
    assert len(written) == len(set(written))


def test_most_names_are_in_the_default_vocabulary():
    words = set(open_vectors("default").words)
    assert sum(name.lower() in words for name in load_names("ssa").names) == 6982
    assert sum(name.lower() in words for name in load_names("surnames").names) == 22917


def test_provenance_of_name_lists_is_complete():
    for name, source in name_lists().items():
        assert all(value for value in source.model_dump().values())
        assert source.url.startswith("https://")
        assert load_names(name).title == source.title
        assert f"{source.years}, at least 1,000" in load_names(name).source


def test_provenance_of_name_lists_is_validated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "lists.yaml").write_text("mine: {title: Mine, lisence: CC0}")
    monkeypatch.setattr(names, "_FOLDER", tmp_path)
    with pytest.raises(CatalogError, match="name list mine: people is missing"):
        names.name_lists.__wrapped__()


# Users' files


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("f.txt", "Anna\nBo Ann\nJean-Luc\n"),
        ("f", "# mine\n\n  Anna \r\nBo   Ann\r\n # no\n\tJean-Luc"),
        ("f.txt", "Anna\rBo Ann\rJean-Luc\r"),
        ("f.txt", "\ufeffname\nAnna\nBo Ann\nJean-Luc\n"),
        ("f.csv", "Anna\nBo Ann\nJean-Luc\n"),
        ("f.csv", '"Name"\n"Anna"\n"Bo Ann"\n"Jean-Luc"\n'),
        ("f.tsv", "who\tcity\nAnna\tRome\nBo Ann\tParis\nJean-Luc\tRome\n"),
        ("f.csv", "row,name\na,Anna\nb,Bo Ann\nc,Jean-Luc\n"),
        ("f.txt", "Anna\nBo Ann\nAnna\nJean-Luc\n"),
    ],
)
def test_names_are_read_from_every_format_of_list(write, file, content):
    name_list = load_names(write(file, content))
    assert name_list.names == ("Anna", "Bo Ann", "Jean-Luc")
    assert (name_list.id, name_list.title, name_list.facts) == (file, file, {})


@pytest.mark.parametrize(
    ("file", "mark"), [("f.csv", ","), ("f.csv", ";"), ("f.csv", "\t"), ("f.tsv", "\t")]
)
def test_every_numeric_column_of_a_name_table_is_a_fact(write, file, mark):
    lines = ["name,age,city,share", "# a comment", "Ann,30,Rome,", "Bo,31.5,,0.5", "Cy,NA,Oslo,1"]
    name_list = load_names(write(file, "\n".join(lines).replace(",", mark)))
    assert name_list.names == ("Ann", "Bo", "Cy")
    assert name_list.facts == {"age": (30, 31.5, None), "share": (None, 0.5, 1)}
    assert name_list.labels == {"age": "age", "share": "share"}
    assert name_list.units == {"age": "", "share": ""}
    assert (name_list.ignored, name_list.notes) == ((), ())
    assert name_list.texts == {"city": ("Rome", "", "Oslo")}


def test_text_file_with_a_name_column_is_a_table(write):
    name_list = load_names(write("f.txt", "births,Name\n5,Ann\n6,Bo\n"))
    assert (name_list.names, name_list.facts) == (("Ann", "Bo"), {"births": (5, 6)})


def test_column_without_a_header_is_ignored(write):
    name_list = load_names(write("f.csv", ",name,births,,\n0,Ann,5,,\n1,Bo,6,,\n"))
    assert (name_list.facts, name_list.ignored) == ({"births": (5, 6)}, ("(no name)",))


def test_spellings_column_gives_other_spellings(write):
    name_list = load_names(write("f.csv", "name,spellings\nMcKay,Mckay|Mac Kay\nBo,\n"))
    assert name_list.spellings == {"McKay": ("Mckay", "Mac Kay")}
    assert name_list.ignored == ()


def test_catalogue_name_list_can_be_read_as_a_file():
    own = load_names("surnames")
    copy = load_names(names._FOLDER / "surnames.csv")
    same = {"names": own.names, "facts": own.facts, "spellings": own.spellings}
    assert {field: getattr(copy, field) for field in same} == same


def test_repeated_name_is_used_once_if_its_facts_agree(write):
    name_list = load_names(write("f.csv", "name,births\nAnn,5\nBo,6\nAnn,5.0\n"))
    assert name_list.facts == {"births": (5, 6)}
    assert name_list.notes == ("1 lines repeat a name; each is used once.",)
    again = problem(write("g.csv", "name,births\nAnn,5\nBo,6\nAnn,7\n"))
    assert again.endswith(
        "g.csv, line 4: 'Ann' is also on line 2, with a different 'births'. Keep one."
    )


MOBY = "Call me Ishmael. Some years ago—never mind how long precisely\n"
VERSE = "Tyger Tyger burning bright\nIn the forests\nOf the night?\nWhat immortal hand!\nEye:\n"


@pytest.mark.parametrize(
    ("file", "content", "expected"),
    [
        (
            "f.txt",
            "Ann\nBo\n" + MOBY,
            "f.txt, line 3: has 10 words; one name of at most 4 words was expected",
        ),
        ("f.txt", "a_b_c_d_e\n", "line 1: has 5 words"),
        ("f.csv", "Ann\n" + MOBY, "line 2: has 10 words"),
        (
            "f.csv",
            "name\n" + MOBY.replace("—", ", "),
            "line 2: has 2 columns; the first line has 1",
        ),
        (
            "f.txt",
            VERSE,
            "line 3: 'Of the night?' ends like a sentence, and so do 2 of the other",
        ),
        (
            "f.txt",
            "the\nwhale\nthe\nsea\n" * 10,
            "f.txt: 37 of 40 lines repeat a name, 'the' 20 times",
        ),
        ("f.txt", "雪" * 300, "line 1: has 300 characters"),
        ("f.txt", "Ann\n***\n", "line 2: has '***' as a name"),
        ("f.txt", "Ann\x1b[31m\n", r"line 1: has a control character in 'Ann\x1b[31m'"),
        ("f.txt", "Ann,5\n", "line 1: has 'Ann,5'; one name per line was expected, or a table"),
        ("f.csv", "Ann,5\nBo,6\n", "line 1: is 'Ann,5'; a header such as name,births was expected"),
        ("f.csv", "name,a,a\nAnn,1,2\n", "line 1: duplicate column 'a'"),
        ("f.csv", "name,a\nAnn,1\nBo\n", "line 3: has one column; the first line has 2"),
        ("f.csv", 'name,a\nAnn,"1\n', "not CSV"),
        ("f.tsv", 'name\ta\n"Ann"1\t2\n', "line 2: not CSV ('tab' expected after"),
        (
            "f.csv",
            "name,a\nAnn,1\nBo,2\nCy,12%\n",
            "line 4: 'a' is '12%'; a number or an empty cell",
        ),
        ("f.csv", "name,a\n,1\n", "line 2: has '' as a name"),
        ("f.csv", "name,a\n", "f.csv: has no names"),
        ("f.txt", "", "f.txt: has no names; one name per line was expected"),
        ("f.txt", "# nothing\n\n", "has no names"),
        ("f.txt", b"Ann\nJos\xe9\n", "f.txt, line 2: byte 8 is not UTF-8"),
        ("f.txt", b"Ann\0Bo\n", "f.txt: is not text"),
    ],
)
def test_files_that_are_not_name_lists_are_refused_with_the_line(write, file, content, expected):
    message = problem(write(file, content))
    assert expected in message
    assert message.isprintable()


def test_folders_large_files_and_missing_files_are_refused_as_name_lists(
    write, tmp_path, monkeypatch
):
    assert "is a folder" in problem(tmp_path)
    assert "is a folder" in problem("")
    assert "has 1,000,001 lines" in problem(write("f.txt", "a\n" * 1_000_001))
    monkeypatch.setattr(records, "MAX_BYTES", 4)
    assert "the limit for such a file" in problem(write("f.txt", "Ann\nBo\n"))
    assert "No such file" in problem(tmp_path / "none.txt")
    assert "too long" in problem("x" * 5000 + ".txt")
    with pytest.raises(
        UnknownEntry, match=r"no list of names 'surname', and no such file. Did you"
    ):
        load_names("surname")


def test_name_list_of_the_catalogue_takes_precedence_over_a_file(write, monkeypatch, tmp_path):
    write("ssa", "Ann\n")
    monkeypatch.chdir(tmp_path)
    assert len(load_names("ssa")) == 9511
    assert load_names("./ssa").names == load_names(Path("ssa")).names == ("Ann",)


def outcome(path: Path) -> tuple[NameList | None, str]:
    """Return the list in a file, or the error message."""
    try:
        return load_names(path), ""
    except CatalogError as error:
        return None, str(error)


quiet = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
listish = st.text(st.sampled_from("nameANn,;\t\n\r\"'#|_. 01e-é\u2028\x0b"), max_size=60)


@quiet
@given(
    content=st.binary(max_size=100)
    | listish.map(str.encode)
    | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")),
    suffix=st.sampled_from(["", ".txt", ".csv", ".tsv"]),
    header=st.sampled_from([b"", b"name,a\n", b"name\ta\tspellings\n"]),
)
def test_any_bytes_are_names_or_refused(tmp_path, content, suffix, header):
    path = tmp_path / f"any{suffix}"
    path.write_bytes(header + content)
    name_list, message = outcome(path)
    assert message.isprintable()
    if name_list is None:
        return
    assert name_list.names
    assert len(set(name_list.names)) == len(name_list.names)
    assert all(name == " ".join(name.split()) != "" for name in name_list.names)
    assert all(len(values) == len(name_list) for values in name_list.facts.values())
    assert name_list.spellings.keys() <= set(name_list.names)


@quiet
@given(
    st.dictionaries(
        st.from_regex(r"[A-Z][a-z]{1,8}( [A-Z][a-z]{1,8})?", fullmatch=True),
        st.none() | st.floats(-1e9, 1e9),
        min_size=1,
        max_size=20,
    )
)
def test_name_table_round_trips_through_csv(tmp_path, table):
    path = tmp_path / "f.csv"
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([("name", "x"), *table.items()])
    name_list = load_names(path)
    assert name_list.names == tuple(table)
    assert name_list.facts.get("x", (None,) * len(table)) == tuple(table.values())


def test_a_text_column_states_groups_unless_each_name_has_its_own_value(write):
    table = "name,region,remark\nAnn,North,a\nBo,North,b\nCy,South,c\nDi,,d\n"
    name_list = load_names(write("f.csv", table))
    assert name_list.texts["region"] == ("North", "North", "South", "")
    assert name_list.group_columns == ("region",)


def test_a_name_with_two_groups_has_none(write):
    name_list = load_names(write("f.csv", "name,region\nAnn,North\nAnn,South\nBo,South\n"))
    assert name_list.texts["region"] == ("", "South")


# The command


def test_catalog_names_command_lists_and_shows_name_lists(run, write):
    rows = json.loads(run("catalog", "names", "--format", "json").out)
    assert [(row["id"], row["names"]) for row in rows] == [("ssa", 9511), ("surnames", 24888)]
    assert rows[0]["licence"].startswith("CC0")
    assert "US first names" in run("catalog", "names").out
    shown = run("catalog", "names", "ssa").out
    assert "the first 20 of 9,511 names" in shown
    assert "Michael 4241540 0.005 1972.6 0.79" in " ".join(shown.split())
    lines = run("catalog", "names", "ssa", "--format", "csv").out.splitlines()
    assert lines == (names._FOLDER / "ssa.csv").read_text().splitlines()
    mine = run("catalog", "names", write("mine.csv", "name,age,city\nAnn,3,Rome\n"))
    assert (mine.code, mine.err) == (0, "")
    assert "Ann 3 Rome" in " ".join(mine.out.split())


def test_catalog_names_command_refuses_unknown_lists_and_novels(run, write):
    wrong = run("catalog", "names", "sssa")
    assert (wrong.code, wrong.out) == (2, "")
    assert "Did you mean ssa?" in wrong.err
    novel = run("catalog", "names", write("moby.txt", MOBY))
    assert novel.code == 2
    assert "moby.txt, line 1: has 10 words" in novel.err


# The derivation


@pytest.fixture(scope="module")
def derive() -> ModuleType:
    spec = importlib.util.spec_from_file_location("derive", ROOT / "scripts" / "derive_names.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_name_lists_are_derived_as_their_provenance_says(derive, tmp_path, capsys):
    for year in range(1937, 2018):
        lines = {1937: ["Ann,F,9000"], 1940: ["Ann,F,600", "Bo,M,999"], 2017: ["Bo,M,9000"]}
        lines[2000] = ["Ann,M,400", "Cy,M,1000"]
        (tmp_path / f"yob{year}.txt").write_text("\r\n".join(lines.get(year, [])))
    percent = {"pctwhite": 50.0, "pctblack": 12.34, "pcthispanic": 5.0, "pctapi": 0.04}
    people = [("OBRIEN", 2000), ("MCDOWD", 5000), ("DALTON", 1000), ("ANN", 999)]
    people += [("MACDOWD", 1001), ("MACHADO", 1001), ("ALL OTHER NAMES", 10**9)]
    table = pa.Table.from_pylist([{"name": name, "count": n, **percent} for name, n in people])
    for name in ("census_2010.parquet", "census_2020_first_names.parquet"):
        pq.write_table(table, tmp_path / name)
    given_folders = ["--births", str(tmp_path), "--census", str(tmp_path), "--out", str(tmp_path)]
    derive.main(given_folders)
    assert capsys.readouterr().out == "ssa.csv: 2 names\nsurnames.csv: 5 names\n"
    assert (tmp_path / "ssa.csv").read_text().splitlines()[1:] == [
        "Ann,1000,0.6,1964,0.5,0.123,0.05,0",
        "Cy,1000,0,2000,,,,",
    ]
    assert (tmp_path / "surnames.csv").read_text().splitlines()[1:] == [
        "McDowd,5000,0.5,0.123,0.05,0,Mcdowd",
        "O'Brien,2000,0.5,0.123,0.05,0,Obrien",
        "Macdowd,1001,0.5,0.123,0.05,0,MacDowd",
        "Machado,1001,0.5,0.123,0.05,0,",
        "Dalton,1000,0.5,0.123,0.05,0,",  # d'alton is a word, and rarer
    ]
