"""``weatherglass vectors`` and ``cache``: tables, files and mistakes."""

import json

import pytest

ROWS = "north 0 1\neast 1 0\nnortheast 1 1\nzero 0 0\neast 9 9\n"


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.txt"
    path.write_text(ROWS)
    return path


def test_vectors_info_shows_size_and_problems(run, rows):
    ran = run("vectors", "info", rows, "--format", "json")
    facts = json.loads(ran.out)
    assert ran.code == 0
    assert (facts["words"], facts["dimensions"], facts["duplicates dropped"]) == (4, 2, 1)
    assert facts["without direction"] == ["zero"]
    assert "rows without direction" in run("vectors", "info", rows).out


def test_neighbours_are_sorted_by_cosine(run, rows):
    ran = run("vectors", "neighbours", rows, "north", "--format", "tsv")
    assert ran.out.splitlines()[1].startswith("northeast\t0.707")
    assert "zero" not in ran.out


@pytest.mark.parametrize("suffix", [".vec", ".bin", ".npz", ".parquet", ".txt.gz"])
def test_converted_files_can_be_read(run, rows, tmp_path, suffix):
    out = tmp_path / f"out{suffix}"
    assert run("vectors", "convert", rows, out).code == 0
    assert json.loads(run("vectors", "info", out, "--format", "json").out)["words"] == 4


def test_subset_prints_words_that_are_missing(run, rows, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("east\nwest\n")
    ran = run("vectors", "subset", rows, tmp_path / "few.txt", "--words", words)
    assert ran.code == 0
    assert "'west'" in ran.err
    assert (tmp_path / "few.txt").read_text() == "east 1 0\n"


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        (["info", "{dir}/none.txt"], 3, "There is no file"),
        (["info", "defualt"], 3, "Did you mean default?"),
        (["info", "{dir}"], 3, "is a folder without vectors"),
        (["neighbours", "{rows}", "south"], 3, "'south'"),
        (["neighbours", "{rows}", "zero"], 3, "no direction"),
        (["convert", "{rows}", "{dir}/out.xyz"], 3, "does not say which format"),
        (["convert", "{rows}", "{dir}/none/out.txt"], 2, "There is no folder"),
        (["info"], 2, "Missing argument"),
        (["infro", "x"], 2, "No such command"),
        (["subset", "{rows}", "{dir}/o.txt", "--words", "{rows}"], 3, "None of the 5 words"),
        (["info", "{rows}?vocab=x"], 2, "has no option 'vocab'"),
    ],
)
def test_wrong_vectors_commands_get_a_sentence_and_an_exit_code(run, rows, line, code, says):
    ran = run("vectors", *(part.format(dir=rows.parent, rows=rows) for part in line))
    assert ran.code == code
    assert says in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


def test_control_characters_in_a_vocabulary_are_not_printed(run, tmp_path):
    path = tmp_path / "hostile.txt"
    path.write_bytes(b"\x1b[31mred 1 0\n<script> 1 1\n\xff\xfe 2 1\n")
    for line in (["info", path], ["neighbours", path, "<script>"]):
        ran = run("vectors", *line)
        assert ran.code == 0
        assert "\x1b" not in ran.out
        assert "red" in ran.out


def test_the_cache_is_listed_and_cleared(run, rows, tmp_path, monkeypatch):
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


def test_a_closed_pipe_is_not_an_error(rows):
    import subprocess
    import sys

    line = f'"{sys.executable}" -m weatherglass vectors neighbours "{rows}" north | true'
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.stderr == ""


SHE_HE = "she 3 0 4\nhe -3 0 4\nnurse 1 1 1\nbeard -1 1 0\ngran 0.6 0.8 0\ngrandad 0 0.6 0.8\n"
LISTS = "pairs: [[she, he], [her, his]]\nequal: [[gran, grandad]]\nspecific: [beard, hen]\n"


@pytest.fixture
def lists(tmp_path):
    (tmp_path / "people.txt").write_text(SHE_HE)
    (tmp_path / "own.yaml").write_text(LISTS)
    return tmp_path


def test_debias_writes_vectors_and_prints_a_summary(run, lists):
    line = ["vectors", "debias", lists / "people.txt", lists / "out.npz"]
    ran = run(*line, "--axis", lists / "own.yaml")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.splitlines() == [
        "Bias subspace: 1 of 2 pairs, 1 component with 100% of the variance within them.",
        "1 word neutralised, 5 kept, 1 set of them equalised.",
        "Direct bias of the neutralised words: 0.577 before, 0.000 after.",
        "Missing of the pairs: 2 words: 'her', 'his'.",
        "Missing of the specific words: 1 word: 'hen'.",
        f"6 words × 3 in {lists / 'out.npz'} (NumPy .npz).",
    ]
    ran = run("vectors", "neighbours", lists / "out.npz", "nurse", "--format", "json")
    near = {row["word"]: row["cosine"] for row in json.loads(ran.out)}
    assert near["gran"] == near["grandad"]
    assert near["she"] == near["he"]


def test_debias_can_skip_equalising(run, lists):
    line = ["vectors", "debias", lists / "people.txt", lists / "out.txt", "--no-equalise"]
    ran = run(*line, "--axis", lists / "own.yaml")
    assert "1 word neutralised, 5 kept, 0 sets of them equalised." in ran.err
    assert "gran 0.6 0.8 0\n" in (lists / "out.txt").read_text()


def test_debias_removes_gender_from_the_default_vectors(run, tmp_path):
    ran = run("vectors", "debias", "default", tmp_path / "out.npz")
    assert "10 of 10 pairs, 1 component with 49% of the variance within them" in ran.err
    assert "399,792 words neutralised, 208 kept, 43 sets of them equalised." in ran.err
    assert "0.151 before, 0.000 after" in ran.err
    assert "Missing of the equality sets: 7 words: 'Catholic_priest', 'prostate_" in ran.err
    before = json.loads(run("weat", "default", "--test", "weat8", "--format", "json").out)
    after = json.loads(run("weat", tmp_path / "out.npz", "--test", "weat8", "--format", "json").out)
    assert before["results"][0]["effect"] > 1.4
    assert abs(after["results"][0]["effect"]) < 0.3


def test_debias_can_learn_more_specific_words(run, tmp_path):
    path, own = tmp_path / "small.txt", tmp_path / "own.yaml"
    near = "aunt 1 0\nuncle 2 1\nniece 2 -1\nnephew 9 1\n"
    far = "stone -1 0\nriver -1 1\nroad -1 2\nhill -1 3\nlake -1 4\nwood -1 5\n"
    path.write_text(near + far)
    own.write_text("pairs: [[aunt, uncle]]\nspecific: [aunt, uncle, niece]\n")
    ran = run("vectors", "debias", path, tmp_path / "out.txt", "--axis", own, "--expand")
    assert ran.code == 0
    assert ran.err.startswith(
        "Learned from 3 specific words among 10 frequent ones: 1 word added (precision 0.67, "
        "recall 0.67, F-score 0.67 on held-out words): 'nephew'.\n"
    )
    assert "6 words neutralised, 4 kept" in ran.err


def test_debias_lists_sets_and_words_that_it_could_not_change(run, tmp_path):
    path = tmp_path / "alike.txt"
    path.write_text("she 3 0 4\nhe -3 0 4\ncolt 0 1 1\nfilly 0 1 -1\ngender 1 0 0\nx 1 1 1\n")
    own = tmp_path / "own.yaml"
    own.write_text("pairs: [[she, he]]\nequal: [[colt, filly]]\n")
    ran = run("vectors", "debias", path, tmp_path / "out.vec", "--axis", own)
    assert ran.code == 0
    assert (
        "Unchanged, because they do not differ within the subspace: 1 equality set: "
        "'colt and filly'." in ran.err
    )
    assert "Zero vectors, because they lie within the subspace: 1 word: 'gender'." in ran.err


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (["--axis", "gendre"], 2, "Did you mean gender?"),
        (["--axis", "{dir}/none.yaml"], 2, "cannot be read"),
        (["--axis", "{dir}/people.txt"], 2, "a mapping with pairs"),
        (["--components", "0"], 2, "--components"),
        (["--axis", "{dir}/own.yaml", "--components", "2"], 3, "The pairs span 1 direction"),
        (["--axis", "{dir}/own.yaml", "--case", "upper"], 2, "--case"),
        (["--axis", "{dir}/other.yaml"], 3, r"(missing: '\x1b[31m', 'old')"),
        (["--axis", "{dir}/own.yaml", "--expand"], 3, "1 are on the list of specific words"),
    ],
)
def test_wrong_debias_commands_get_a_sentence_and_write_nothing(run, lists, options, code, says):
    (lists / "other.yaml").write_text(r'pairs: [["\x1b[31m", old]]')
    ran = run(
        "vectors",
        "debias",
        lists / "people.txt",
        lists / "out.txt",
        *(part.format(dir=lists) for part in options),
    )
    assert ran.code == code
    assert says in ran.err
    assert "Traceback" not in ran.err
    assert "\x1b" not in ran.err
    assert not (lists / "out.txt").exists()


def test_debias_refuses_an_output_path_before_it_reads_the_source(run, tmp_path):
    for out, says in [("out.xyz", "does not say which format"), ("none/out.txt", "no folder")]:
        ran = run("vectors", "debias", tmp_path / "no-such-source.txt", tmp_path / out)
        assert ran.code
        assert says in ran.err


def test_a_debiased_file_says_so_in_checks_and_reports(run, tmp_path):
    import weatherglass as wg
    from weatherglass.catalog import axis

    lists, test = axis("gender"), wg.test("weat6")
    words = {word for pair in lists.pairs for word in pair}
    words |= {word.lower() for words in test.sets.values() for word in words.words}
    (tmp_path / "words.txt").write_text("\n".join(sorted(words)))
    small, plain = tmp_path / "small.txt", tmp_path / "plain.vec"
    run("vectors", "subset", "default", small, "--words", tmp_path / "words.txt")
    assert run("vectors", "debias", small, plain).code == 0
    said = "Debiased from &#39;small.txt&#39;"
    policy, suite = tmp_path / "p.yaml", tmp_path / "s.yaml"
    policy.write_text("rules: [{tests: [weat6], effect: 1.99}]")
    suite.write_text(
        "{id: a, title: b, steps: [{run: weat, title: c, tests: [weat6], options: {}}]}"
    )
    checked = run("check", plain, "--policy", policy, "--format", "json")
    assert "Debiased from 'small.txt'" in checked.err
    actions = [entry["action"] for entry in json.loads(checked.out)["sources"][0]["history"]]
    assert actions == ["subset", "debias"]
    audited = run("audit", plain, "--suite", suite, "-o", tmp_path / "run")
    assert "Debiased from 'small.txt'" in audited.out
    summary = tmp_path / "summary.md"
    checked = run("check", tmp_path / "run", "--policy", policy, "--summary", summary)
    assert "Debiased from 'small.txt'" in checked.err
    assert "Debiased from 'small.txt'" in summary.read_text(encoding="utf-8")
    assert said in (tmp_path / "run" / "report.html").read_text()
    for document in ("model-card", "evidence"):
        printed = run("report", tmp_path / "run", "--as", document).out
        assert "History: Debiased from 'small.txt'" in printed
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert [entry["action"] for entry in record["sources"][0]["history"]] == actions
    results = json.loads((tmp_path / "run" / "results.json").read_text())["results"]
    assert results[0]["source"]["history"][1]["components"] == 1
