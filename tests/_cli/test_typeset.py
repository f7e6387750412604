"""Tables for papers: numbers to the right, and no unescaped markup."""

from __future__ import annotations

import pytest

from weatherglass._cli.typeset import latex, markdown

ROWS = [
    {"test": "a_b & c", "effect": "-0.90", "p": "1.5e-09", "p Holm": "0.0075 *", "n": 8, "": "|x|"},
    {"test": "50%", "effect": "1.71", "p": ">0.99", "p Holm": "", "n": None, "": "≥ 2"},
]
JOBS = ("--set", "X=nurse,engineer")
GENDER = ("--set", "A=female_1-Caliskan_et_al_2017", "--set", "B=male_1-Caliskan_et_al_2017")


def test_latex_has_minus_signs_and_columns_of_numbers_to_the_right():
    lines = latex(ROWS, "A & B").splitlines()
    assert r"\caption{A \& B}" in lines
    assert r"\begin{tabular}{lrrrrl}" in lines
    assert r"a\_b \& c & $-$0.90 & 1.5e-09 & 0.0075 * & 8 & |x| \\" in lines
    assert r"50\% & 1.71 & \textgreater{}0.99 &  &  & $\geq$ 2 \\" in lines


def test_markdown_escapes_bars_in_cells():
    lines = markdown(ROWS).splitlines()
    assert lines[1] == "| --- | ---: | ---: | ---: | ---: | --- |"
    assert lines[2] == r"| a\_b \& c | -0.90 | 1.5e-09 | 0.0075 \* | 8 | \|x\| |"
    assert len({line.replace(r"\|", "").count("|") for line in lines}) == 1


def body(text: str) -> str:
    """The text that LaTeX would set outside of comments, tables and the bibliography."""
    inside, outside = 0, []
    for line in text.splitlines():
        inside += line.startswith((r"\begin{table}", r"\begin{thebibliography}"))
        if not inside and not line.startswith("%") and line.strip():
            outside.append(line)
        inside -= line.startswith((r"\end{table}", r"\end{thebibliography}"))
    return "\n".join(outside)


@pytest.mark.parametrize(
    ("arguments", "cited"),
    [
        (("weat", "default", "--test", "weat1"), r"\bibitem{caliskan2017}"),
        (("wefat", "default"), r"\bibitem{caliskan2017}"),
        (("measure", "default", "rnd", *JOBS, *GENDER), r"\bibitem{garg2018} N. Garg"),
        (("measure", "default", "sc-weat", *JOBS, *GENDER), r"\bibitem{caliskan2022}"),
        (("measure", "default", "same", *JOBS, *GENDER), r"\bibitem{schroder2021}"),
        (("seat", "cbow:default", "--test", "sent-weat6"), r"\bibitem{may2019}"),
    ],
)
def test_latex_output_is_only_tables_comments_and_a_bibliography(run, arguments, cited):
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
    assert r"weat & weat6 & 1.71 & 1.81 & 1.6e-04 & 1.6e-04 & clear & 7.8e-05 & exact \\" in ran.out
    assert r"wefat & wefat1 & 0.66 & 0.90 & 1.5e-07 & 2.9e-07 & clear &  & Pearson \\" in ran.out
    assert r"rnd & work & $-$5.638 &  &  &  & not run &  &  \\" in ran.out
    assert r"\bibitem{garg2018}" in ran.out
    for form in ("json", "tsv"):
        written = (tmp_path / "run" / f"results.{form}").read_text(encoding="utf-8")
        line = ("report", tmp_path / "run", "--table", "--format", form, "--raw-cells")
        assert run(*line).out == written
    assert run("report", tmp_path / "run", "--format", "latex").code == 2
