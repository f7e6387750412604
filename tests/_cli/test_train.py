"""``weatherglass corpus`` and ``train``: tables, models and mistakes."""

import json

import pytest

TEXTS = [
    *("the sun was warm and the light was bright", "a warm and bright summer day with sun"),
    *("the rain was cold and the night was dark", "a cold and dark winter night with rain"),
]


@pytest.fixture
def letters(tmp_path):
    path = tmp_path / "letters.csv"
    rows = [f"{TEXTS[k % 4]},{1840 + k % 2}\n" for k in range(40)]
    path.write_text("body,year\n" + "".join(rows))
    return f"{path}?text=body"


FAST = ["--method", "ppmi-svd", "--dim", "4", "--bootstrap", "2", "--workers", "1"]


def test_corpus_info_shows_documents_words_and_metadata(run, letters):
    ran = run("corpus", "info", letters, "--format", "json", "--top", "2")
    facts = json.loads(ran.out)
    assert ran.code == 0
    assert (facts["documents"], facts["tokens"]) == (40, 10 * sum(len(t.split()) for t in TEXTS))
    assert facts["words"] == [["and", 40], ["the", 40]]
    assert facts["columns"]["year"]["frequent"] == [["1840", 20], ["1841", 20]]
    text = run("corpus", "info", letters, "--min-count", "11").out
    assert "at least 11 times" in text
    assert "2 values: '1840' 20, '1841' 20" in text


def test_train_writes_models_that_can_be_opened(run, letters, tmp_path):
    ran = run("train", letters, "-o", tmp_path / "m", *FAST, "--format", "json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out) == [
        {"documents": 40, "tokens": 340, "words": 16, "models": 3, "folder": str(tmp_path / "m")}
    ]
    near = run("vectors", "neighbours", tmp_path / "m" / "full.parquet", "warm", "-n", "3")
    assert "bright" in near.out
    again = run("train", letters, "-o", tmp_path / "m", *FAST, "--format", "json")
    assert (again.code, again.out) == (0, ran.out)


def test_train_by_a_column_trains_models_for_each_value_with_enough_text(run, letters, tmp_path):
    line = ["train", letters, "-o", tmp_path / "m", "--by", "year", *FAST]
    ran = run(*line)
    assert ran.code == 3
    assert "No value of year has enough text" in ran.err
    ran = run(*line[:3], tmp_path / "n", *line[4:], "--min-size", "170", "--format", "csv")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[0] == "year,documents,tokens,words,models,folder"
    assert [row.split(",")[0] for row in ran.out.splitlines()[1:]] == ["1840", "1841"]


def test_training_on_a_single_document_warns_that_it_cannot_be_sampled(run, tmp_path):
    path = tmp_path / "novel.txt"
    path.write_text(" ".join(TEXTS * 10))
    ran = run("train", path, "-o", tmp_path / "m", *FAST, "--format", "csv")
    assert ran.code == 0
    assert "one document, from which no sample can be drawn" in ran.err
    assert "?documents=lines" in ran.err
    assert ran.out.splitlines()[1].split(",")[3] == "1"


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        (["corpus", "info", "{dir}/none.csv"], 3, "There is no file or folder"),
        (["corpus", "info", "{dir}/letters.csv"], 3, "no column 'text'; its columns are 'body'"),
        (["corpus", "info", "{dir}/letters.csv?txet=body"], 2, "Did you mean text?"),
        (["train", "{dir}/letters.csv?text=body"], 2, "Missing option"),
        (["train", "{dir}/letters.csv?text=body", "-o", "{dir}"], 2, "is not empty"),
        (["train", "{dir}/letters.csv?text=body", "-o", "{dir}/m", "--dim", "0"], 2, "--dim"),
        (["train", "{dir}/letters.csv?text=body", "-o", "{dir}/m", "--by", "who"], 2, "'year'"),
        (
            ["train", "{dir}/letters.csv?text=body", "-o", "{dir}/m", "--min-count", "99"],
            3,
            "none of which occurs 99 times",
        ),
    ],
)
def test_wrong_corpus_and_train_commands_get_a_sentence_and_an_exit_code(
    run, letters, tmp_path, line, code, says
):
    more = FAST if line[0] == "train" and "--dim" not in line else []
    ran = run(*(part.format(dir=tmp_path) for part in line), *more)
    assert ran.code == code, ran.err
    assert says in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


def test_control_characters_in_metadata_are_not_printed(run, tmp_path):
    path = tmp_path / "h.jsonl"
    rows = [{"text": "some words here", "\x1b[31mk": "\x1b[31mred"}] * 12
    path.write_text("\n".join(map(json.dumps, rows)))
    for line in (
        ["corpus", "info", path],
        ["train", path, "-o", tmp_path / "m", "--by", "\x1b[31mk", "--min-size", "1", *FAST],
    ):
        ran = run(*line)
        assert ran.code == 0, ran.err
        assert "\x1b" not in ran.out + ran.err
        assert "red" in ran.out
