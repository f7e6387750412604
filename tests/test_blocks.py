"""What reads the pages notices what is wrong on one."""

import pytest

from .blocks import Block, Reader, agrees, blocks, check_command, read


@pytest.mark.parametrize(
    ("printed", "expected", "same"),
    [
        ("one\ntwo\n", "one\ntwo\n", True),
        ("one\ntwo\n", "one\n", False),
        ("one\ntwo\nthree\n", "one\n…\n", True),
        ("one\ntwo\nthree\n", "one\n…\nthree\n", True),
        ("one\ntwo\nthree\n", "…\ntwo\n", False),
        ("1.5\n", "1?5\n", False),
    ],
)
def test_an_ellipsis_matches_any_lines(printed, expected, same):
    assert agrees(printed, expected) is same


@pytest.mark.parametrize(
    "line",
    ["weatherglass weather", "weatherglass weat --tests-of x", "weatherglass seeds lent", "other"],
)
def test_a_command_that_does_not_exist_is_noticed(line):
    with pytest.raises(AssertionError):
        check_command(line)


def test_an_existing_command_passes_the_check():
    check_command("weatherglass seeds multiverse --test weat6 default -o x.json  # and why")
    check_command(".venv/bin/weatherglass serve")


@pytest.mark.parametrize("text", ["- a list:\n\n    ```sh\n    ls\n    ```\n", "```\nls\n```\n"])
def test_a_block_without_a_language_is_noticed(tmp_path, text):
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(AssertionError, match="indented or has no language"):
        blocks(page)


@pytest.mark.parametrize(
    "text",
    ["rules:\n  - tests: [weat6]\n", "jobs: {}\n", "x: [a]\ny: [b]\n", "steps: [{run: what}]\n"],
)
def test_yaml_that_its_reader_refuses_is_noticed(tmp_path, text):
    page = tmp_path / "page.yaml"
    page.write_text(text)
    with pytest.raises(Exception, match=r"page\.yaml"):
        read(page)


def test_output_and_exit_code_are_compared(run):
    reader = Reader(run)
    good = "$ weatherglass seeds export male_2-Caliskan_et_al_2017 --format txt\nbrother\n…\n"
    reader.does(Block("console", good, ""))
    reader.does(Block("console", "$ weatherglass weat no-such-file\n…\n$ echo $?\n3\n", ""))
    with pytest.raises(AssertionError):
        reader.does(Block("console", good.replace("brother", "sister"), ""))
    with pytest.raises(AssertionError):
        reader.does(Block("console", "$ weatherglass weat no-such-file\n", ""))
    with pytest.raises(AssertionError):
        reader.does(Block("pycon", ">>> 1 + 1\n3\n", ""))
