"""Tables for papers: numbers to the right, and no unescaped markup."""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path

import pytest

from weatherglass._cli.latex import escape_latex, latex_table
from weatherglass._cli.typeset import markdown

ROWS = [
    {"test": "a_b & c", "effect": "-0.90", "p": "1.5e-09", "p Holm": "0.0075 *", "n": 8, "": "|x|"},
    {"test": "50%", "effect": "1.71", "p": ">0.99", "p Holm": "", "n": None, "": "≥ 2"},
]
JOBS = ("--set", "X=nurse,engineer")
GENDER = ("--set", "A=female_1-Caliskan_et_al_2017", "--set", "B=male_1-Caliskan_et_al_2017")


def test_latex_has_minus_signs_powers_of_ten_and_columns_of_numbers_to_the_right():
    lines = latex_table(ROWS, "A & B", "tab:x").splitlines()
    assert r"\caption{A \& B}" in lines
    assert r"\label{tab:x}" in lines
    assert r"\begin{tabular}{lrrrrl}" in lines
    assert r"a\_b \& c & $-0.90$ & $1.5 \times 10^{-9}$ & 0.0075* & 8 & |x| \\" in lines
    assert r"50\,\% & 1.71 & $>0.99$ &  &  & $\geq$ 2 \\" in lines


def test_both_ends_of_an_interval_have_the_same_minus_sign():
    assert escape_latex("-1.05 to +0.59") == r"$-1.05$ to $+0.59$"
    assert escape_latex("-0.47 ± 0.10 (p 2e-10)") == r"$-0.47$ $\pm$ 0.10 (p $2 \times 10^{-10}$)"
    assert escape_latex("weat6, 5+5, 1/12870, 1930-1940") == "weat6, 5+5, 1/12870, 1930-1940"


def test_siunitx_gets_plain_numbers_in_columns_that_have_room_for_them():
    rows = [
        {"effect": "-0.90", "p": "1.5e-09", "q": "<1e-8"},
        {"effect": "11.7", "p": "0.2", "q": ""},
    ]
    text = latex_table(rows, siunitx=True)
    assert r"{S[table-format=-2.2]S[table-format=1.1e-1]r}" in text
    assert r"-0.90 & 1.5e-9 & \num{<1e-8} \\" in text
    assert r"{effect} & {p} & {q} \\" in text


def test_markdown_escapes_bars_in_cells():
    lines = markdown(ROWS).splitlines()
    assert lines[1] == "| --- | ---: | ---: | ---: | ---: | --- |"
    assert lines[2] == r"| a\_b \& c | -0.90 | 1.5e-09 | 0.0075 \* | 8 | \|x\| |"
    assert len({line.replace(r"\|", "").count("|") for line in lines}) == 1


def body(text: str) -> str:
    """The text that LaTeX would set outside of comments and tables."""
    inside, outside = 0, []
    for line in text.splitlines():
        inside += line.startswith(r"\begin{table}")
        if not inside and not line.startswith("%") and line.strip():
            outside.append(line)
        inside -= line.startswith(r"\end{table}")
    return "\n".join(outside)


@pytest.mark.parametrize(
    ("arguments", "cited"),
    [
        (("weat", "default", "--test", "weat1"), r"\cite{caliskan2017}"),
        (("wefat", "default"), r"\cite{caliskan2017}"),
        (("measure", "default", "rnd", *JOBS, *GENDER), r"\cite{garg2018}: N. Garg"),
        (("measure", "default", "sc-weat", *JOBS, *GENDER), r"\cite{caliskan2022}"),
        (("measure", "default", "same", *JOBS, *GENDER), r"\cite{schroder2021}"),
        pytest.param(
            ("seat", "cbow:default", "--test", "sent-weat6"),
            r"\cite{may2019}",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_latex_output_is_only_tables_and_comments(run, arguments, cited):
    ran = run(*arguments, "--format", "latex")
    assert ran.code == 0
    assert body(ran.out) == ""
    assert cited in ran.out
    ran = run(*arguments, "--format", "markdown")
    assert "\n\n- " in ran.out


def test_report_prints_the_results_of_an_audit_for_a_paper(run, tmp_path):
    suite = tmp_path / "mine.yaml"
    suite.write_text(
        "id: mine\ntitle: Mine\nsteps:\n"
        "  - {run: weat, title: Tests, tests: [weat6]}\n"
        "  - {run: wefat, title: Facts, tests: [wefat1]}\n"
        "  - run: measure\n"
        "    title: Work\n"
        "    measures: [rnd]\n"
        "    sets:\n"
        "      X: careers-Caliskan_et_al_2017\n"
        "      A: definitional_male-Bolukbasi_et_al_2016\n"
        "      B: definitional_female-Bolukbasi_et_al_2016\n",
        encoding="utf-8",
    )
    run("audit", "--suite", suite, "-o", tmp_path / "run")
    ran = run("report", tmp_path / "run", "--table", "--format", "latex")
    assert body(ran.out) == ""
    p, one_sided = r"$1.6 \times 10^{-4}$", r"$7.8 \times 10^{-5}$"
    assert rf"weat & weat6 & 1.71 & 1.81 & {p} & exact & {p} & clear & {one_sided} \\" in ran.out
    assert r"wefat & wefat1 & 0.66 & 0.90 & $1.5 \times 10^{-7}$" in ran.out
    assert r"rnd & work & $-5.638$ &  &  &  &  & not run &  \\" in ran.out
    assert r"\cite{garg2018}" in ran.out
    for form in ("json", "tsv"):
        written = (tmp_path / "run" / f"results.{form}").read_text(encoding="utf-8")
        line = ("report", tmp_path / "run", "--table", "--format", form, "--raw-cells")
        assert run(*line).out == written
    assert run("report", tmp_path / "run", "--format", "latex").code == 2


def test_columns_of_a_table_are_chosen_by_their_headings(run):
    line = ("weat", "default", "--test", "weat6", "--no-baseline")
    ran = run(*line, "--format", "latex", "--columns", "test, effect,grade", "--caption", "50 %")
    assert r"test & effect & grade \\" in ran.out
    assert r"\caption{50 \%}" in ran.out
    assert r"\label{tab:weat}" in ran.out
    rows = list(
        csv.reader(run(*line, "--format", "csv", "--columns", "test,p,effect").out.splitlines())
    )
    assert rows[0] == ["test", "p", "effect"]
    assert float(rows[1][2]) == pytest.approx(1.708, abs=0.001)
    ran = run(*line, "--columns", "effekt")
    assert ran.code == 2
    assert "no column 'effekt'. Did you mean effect?" in ran.err


def test_tables_for_papers_leave_counts_of_partitions_out_unless_they_are_asked_for(run):
    line = ("weat", "default", "--test", "weat6", "--no-baseline", "--format", "latex")
    assert "counted" not in run(*line).out
    assert r"1/12870 \\" in run(*line, "--columns", "effect,counted").out


def test_columns_that_are_empty_for_all_tests_are_left_out_on_a_terminal(run, tmp_path):
    own = tmp_path / "own.yaml"
    own.write_text("{x: [man, boy], y: [woman, girl], a: [work, job], b: [home, family]}")
    ran = run("weat", "default", "--tests", own, "--no-baseline")
    assert "published" not in ran.out
    assert "published" in run("weat", "default", "--test", "weat6", "--no-baseline").out
    # The tables that programs read have the same columns for every test.
    assert "published_effect" in run("weat", "default", "--tests", own, "--format", "csv").out


def test_bibtex_has_the_study_of_each_test_and_the_method_of_an_own_one(run, tmp_path):
    own, refs = tmp_path / "own.yaml", tmp_path / "refs.bib"
    own.write_text("{x: [man, boy], y: [woman, girl], a: [work, job], b: [home, family]}")
    ran = run("weat", "default", "--tests", own, "--no-baseline", "--bibtex", refs)
    assert ran.code == 0
    text = refs.read_text()
    assert (
        "@article{caliskan2017,\n  author = {A. Caliskan and J. J. Bryson and A. Narayanan},"
        in text
    )
    assert "note = {Version" in text
    run("measure", "default", "rnd", *JOBS, *GENDER, "--bibtex", refs)
    assert "@misc{garg2018," in refs.read_text()
    ran = run("weat", "default", "--test", "weat6", "--bibtex", tmp_path / "no" / "refs.bib")
    assert ran.code == 2


def _missing(*files: str) -> str:
    """Say which part of LaTeX is not installed; empty if all parts are."""
    if shutil.which("pdflatex") is None:
        return "pdflatex is not installed (Debian: texlive-latex-recommended)"
    for file in files:
        found = subprocess.run(["kpsewhich", file], capture_output=True, text=True, check=False)
        if not found.stdout.strip():
            return f"LaTeX has no {file} (Debian: texlive-science)"
    return ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flags", "package"),
    [
        pytest.param((), "booktabs", id="booktabs"),
        pytest.param(("--siunitx",), "siunitx", id="siunitx"),
    ],
)
def test_pdflatex_sets_the_tables_and_bibtex_reads_the_references(run, tmp_path, flags, package):
    if reason := _missing("booktabs.sty", f"{package}.sty"):
        pytest.skip(reason)
    rare = tmp_path / "rare_50%_{a}.yaml"
    rare.write_text(
        "{title: '50 % & {all} #1 ~ ^ \\ $ <b>', x: [man, boy], y: [woman, girl],"
        " a: [work, job], b: [home, family]}"
    )
    line = ("--format", "latex", "--intervals", "--influence", *flags)
    tests = ("--test", "weat1", "--test", "weat6", "--tests", rare)
    run(
        "weat",
        "default",
        *tests,
        *line,
        "-o",
        tmp_path / "weat.tex",
        "--bibtex",
        tmp_path / "refs.bib",
    )
    run("wefat", "default", "--format", "latex", *flags, "-o", tmp_path / "wefat.tex")
    (tmp_path / "paper.tex").write_text(
        r"\documentclass{article}\usepackage{booktabs}\usepackage{" + package + "}"
        r"\begin{document}\input{weat}\input{wefat}"
        r"Tables~\ref{tab:weat} and~\ref{tab:wefat}, \cite{caliskan2017}, \cite{weatherglass}."
        r"\bibliographystyle{plain}\bibliography{refs}\end{document}"
    )
    log = _compile(tmp_path)
    assert "undefined" not in log.lower()
    assert (tmp_path / "paper.pdf").stat().st_size > 10_000


def _compile(folder: Path) -> str:
    """Run LaTeX and BibTeX as a writer would; return the log of the last run."""
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    for command in (latex, ["bibtex", "paper"], latex, latex):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-3000:]
        assert command is latex or "Warning" not in done.stdout, done.stdout
    return (folder / "paper.log").read_text(errors="replace")
