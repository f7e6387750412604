import json

import pytest

ROWS = "north 0 1\neast 1 0\nnortheast 1 1\nzero 0 0\neast 9 9\n"


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.txt"
    path.write_text(ROWS)
    return path


def test_info_says_what_is_in_the_file_and_what_is_wrong_with_it(run, rows):
    ran = run("vectors", "info", rows, "--format", "json")
    facts = json.loads(ran.out)
    assert ran.code == 0
    assert (facts["words"], facts["dimensions"], facts["duplicates dropped"]) == (4, 2, 1)
    assert facts["without direction"] == ["zero"]
    assert "rows without direction" in run("vectors", "info", rows).out


def test_neighbours_come_nearest_first(run, rows):
    ran = run("vectors", "neighbours", rows, "north", "--format", "tsv")
    assert ran.out.splitlines()[1].startswith("northeast\t0.707")
    assert "zero" not in ran.out


@pytest.mark.parametrize("suffix", [".vec", ".bin", ".npz", ".parquet", ".txt.gz"])
def test_convert_writes_what_can_be_read(run, rows, tmp_path, suffix):
    out = tmp_path / f"out{suffix}"
    assert run("vectors", "convert", rows, out).code == 0
    assert json.loads(run("vectors", "info", out, "--format", "json").out)["words"] == 4


def test_subset_names_the_missing_words(run, rows, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("east\nwest\n")
    ran = run("vectors", "subset", rows, tmp_path / "few.txt", "--words", words)
    assert ran.code == 0
    assert "'west'" in ran.err
    assert (tmp_path / "few.txt").read_text() == "east 1 0\n"


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        (["info", "{dir}/none.txt"], 1, "There is no file"),
        (["info", "defualt"], 1, "Did you mean default?"),
        (["info", "{dir}"], 1, "is a folder without vectors"),
        (["neighbours", "{rows}", "south"], 1, "'south'"),
        (["neighbours", "{rows}", "zero"], 1, "no direction"),
        (["convert", "{rows}", "{dir}/out.xyz"], 1, "does not say which format"),
        (["convert", "{rows}", "{dir}/none/out.txt"], 2, "There is no folder"),
        (["info"], 2, "Missing argument"),
        (["infro", "x"], 2, "No such command"),
        (["subset", "{rows}", "{dir}/o.txt", "--words", "{rows}"], 1, "None of the 5 words"),
        (["info", "{rows}?vocab=x"], 2, "has no option 'vocab'"),
    ],
)
def test_mistakes_get_a_sentence_and_an_exit_code(run, rows, line, code, says):
    ran = run("vectors", *(part.format(dir=rows.parent, rows=rows) for part in line))
    assert ran.code == code
    assert says in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


def test_a_hostile_vocabulary_cannot_reach_the_terminal(run, tmp_path):
    path = tmp_path / "hostile.txt"
    path.write_bytes(b"\x1b[31mred 1 0\n<script> 1 1\n\xff\xfe 2 1\n")
    for line in (["info", path], ["neighbours", path, "<script>"]):
        ran = run("vectors", *line)
        assert ran.code == 0
        assert "\x1b" not in ran.out
        assert "red" in ran.out


def test_cache_list_and_clear(run, rows, tmp_path, monkeypatch):
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path / "cache"))
    assert "0 sources" in run("cache", "list").out
    run("vectors", "info", rows)
    listed = json.loads(run("cache", "list", "--format", "json").out)
    assert [(entry["words"], entry["dimensions"]) for entry in listed] == [(4, 2)]
    run("seat", f"cbow:{rows}", "--test", "weat6")
    own = rows.with_name("own.yaml")
    own.write_text("{x: [north, zero], y: [east, northeast], a: [north], b: [east]}")
    run("seat", f"cbow:{rows}", "--tests", own)
    assert f"cbow:{rows}" in run("cache", "list", "--format", "csv").out
    assert "MB freed" in run("cache", "clear").out
    assert json.loads(run("cache", "list", "--format", "json").out) == []


def test_a_closed_pipe_is_no_error(rows):
    import subprocess
    import sys

    line = f'"{sys.executable}" -m weatherglass vectors neighbours "{rows}" north | true'
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.stderr == ""
