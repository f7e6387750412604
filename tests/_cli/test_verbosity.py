"""What a command says on stderr: progress, the log, suggestions, and verdicts in full."""

import logging
import os
import pty
import re
import subprocess
import sys

import pytest

from weatherglass._cli import output

POLICY = "rules: [{tests: [weat6], effect: 1.8, p: 0.01}]\n"


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        (["audt"], "Did you mean audit?"),
        (["Weat", "default"], "Did you mean weat"),
        (["seeds", "lnt"], "Did you mean lint?"),
        (["vectors", "inof"], "Did you mean info?"),
        (["cache", "clera"], "Did you mean clear?"),
        (["catalog", "shwo"], "Did you mean show?"),
        (["corpus", "inf"], "Did you mean info?"),
    ],
)
def test_a_mistyped_command_gets_a_suggestion(run, line, meant):
    ran = run(*line)
    assert ran.code == 2
    assert meant in ran.err


def test_an_unknown_command_without_a_similar_name_gets_no_suggestion(run):
    ran = run("\x1b[31mzzzzzz")
    assert ran.code == 2
    assert "No such command" in ran.err
    assert "Did you mean" not in ran.err
    assert "\x1b" not in ran.err


@pytest.mark.parametrize(
    "line",
    [["-v", "vectors", "info"], ["vectors", "-v", "info"], ["vectors", "info", "-v"]],
)
def test_verbose_logs_what_is_opened_to_stderr_only(run, line):
    plain = run("vectors", "info", "default")
    ran = run(*line, "default")
    assert "opened default" in ran.err
    assert ran.out == plain.out
    assert plain.err == ""


def test_more_verbose_logs_more(run):
    once, twice = run("-v", "vectors", "info", "default"), run("-vv", "vectors", "info", "default")
    assert "is in the format" not in once.err
    assert "default is in the format NumPy .npy" in twice.err


def test_the_log_ends_with_the_command(run):
    logger = logging.getLogger("weatherglass")
    before = list(logger.handlers), logger.level
    run("-vv", "vectors", "info", "default")
    assert (list(logger.handlers), logger.level) == before


def test_control_characters_in_a_name_are_escaped_in_the_log(run, tmp_path):
    path = tmp_path / "a\x1b[31m.txt"
    path.write_text("rose 1 2\nlily 2 1\n")
    ran = run("-v", "vectors", "info", path)
    assert "opened" in ran.err
    assert "\x1b" not in ran.err


def test_the_library_is_silent_unless_logging_is_configured():
    code = (
        "import logging, weatherglass as wg\n"
        "wg.open_vectors('default', words=['rose'])\n"
        "logging.getLogger('weatherglass.auditing.run').warning('a step failed')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""


@pytest.fixture
def fast_lines(monkeypatch):
    """Print a progress line at every call, however soon."""
    monkeypatch.setattr(output, "_SECONDS_BETWEEN_LINES", 0.0)


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("she went home\nhe had a career\n")
    return path


def test_progress_is_printed_as_lines_where_stderr_is_no_terminal(run, corpus, fast_lines):
    ran = run("corpus", "info", corpus)
    assert re.search(r"reading .*corpus\.txt: \d+ of \d+ \(0 s\)\n", ran.err)
    assert "\r" not in ran.err
    assert "reading" not in ran.out


def test_quiet_suppresses_progress_but_not_results(run, corpus, fast_lines):
    plain = run("corpus", "info", corpus)
    ran = run("corpus", "info", "-q", corpus)
    assert ran.err == ""
    assert ran.out == plain.out != ""


def test_quiet_does_not_suppress_errors(run):
    ran = run("-q", "weat", "no-such-file.txt")
    assert ran.code != 0
    assert "no-such-file.txt" in ran.err


def test_short_work_prints_no_progress(run):
    assert run("vectors", "info", "default").err == ""


@pytest.mark.slow
def test_verdicts_are_not_cut_off_in_a_narrow_terminal(tmp_path):
    """A verdict ends with the limit, which is what the reader needs."""
    policy = tmp_path / "policy.yaml"
    policy.write_text(POLICY)
    main_end, terminal = pty.openpty()
    line = [sys.executable, "-m", "weatherglass", "check", "default", "--policy", str(policy)]
    width = {"COLUMNS": "50", "LINES": "40"}
    ran = subprocess.Popen(line, stdout=terminal, env=os.environ | width)
    os.close(terminal)
    printed = b""
    while True:
        try:
            chunk = os.read(main_end, 1 << 16)
        except OSError:  # Linux reports the end of a terminal as an error
            break
        if not chunk:
            break
        printed += chunk
    os.close(main_end)
    assert ran.wait() == 0
    text = printed.decode()
    assert "…" not in text
    # The sentences below the table are left to the terminal to wrap.
    lines = text.splitlines()
    rows = lines[: lines.index("", lines.index("") + 1)]
    assert max(map(len, rows)) <= 50
    words = " ".join(text.split())
    assert "0.01." in words


@pytest.mark.parametrize(
    ("words", "completed"), [("weatherglass au", "audit"), ("weatherglass audit --su", "--suite")]
)
def test_the_shell_completes_commands_and_options(words, completed):
    """As the script of `bash_source` asks for them."""
    variables = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    variables["_WEATHERGLASS_COMPLETE"] = "bash_complete"
    done = subprocess.run(
        [sys.executable, "-m", "weatherglass"],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"plain,{completed}" in done.stdout.split()
