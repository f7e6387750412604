import marimo

app = marimo.App(app_title="Novels by the gender of their authors")


@app.cell
def _():
    import tempfile

    import marimo as mo

    import weatherglass as wg

    return mo, tempfile, wg


@app.cell
def _(mo):
    mo.md("""
    # Do men and women who write novels place women differently?

    The European Literary Text Collection has 99 English novels of 1840 to 1920, 11 million words,
    with the gender of each author. This page trains vectors on the novels of women and on those of
    men, and on bootstrap samples of both, and asks all of them the same two questions.

    The texts are out of copyright, and the collection is CC BY:
    [COST-ELTeC/ELTeC-eng](https://github.com/COST-ELTeC/ELTeC-eng).
    """)
    return


@app.cell
def _(mo, wg):
    path = mo.notebook_dir().parents[1] / "shared" / "data" / "corpora" / "eltec-eng.jsonl.gz"
    mo.stop(
        not path.exists(),
        mo.md("""
    **The novels are not here**, so that this page ends here. Put them, one paragraph a line with
    the fields `id`, `author_gender` and `text`, at `../shared/data/corpora/eltec-eng.jsonl.gz`
    beside the project.
    """),
    )
    # Paragraphs with one id are one novel: novels are what is drawn, not paragraphs.
    novels = f"{path}?documents=id"
    women = "she her woman women girl lady mother daughter wife sister"
    men = "he him man men boy gentleman father son husband brother"

    def asked(name, title, a, b):
        x, y, a, b = (words.split() for words in (women, men, a, b))
        return wg.Test(id=name, title=title, x=x, y=y, a=a, b=b)

    tests = [
        asked(
            "women_home",
            "Women vs men, home vs work",
            "home family children marriage wedding nursery household",
            "business office profession trade salary clerk bank",
        ),
        asked(
            "women_feeling",
            "Women vs men, feeling vs reason",
            "love tears heart feelings affection tenderness sorrow",
            "mind reason thought knowledge genius judgment argument",
        ),
    ]
    mo.md("""
    ## The questions

    Are women nearer than men to the home rather than to work; and to feeling rather than to reason?
    """)
    return novels, tests


@app.cell
def _(mo, novels, tempfile, tests, wg):
    # Few samples and few dimensions, so that the page takes minutes; 20 and 100 for a paper.
    with tempfile.TemporaryDirectory() as _folder:
        found = wg.compare(
            novels, tests, out=_folder, by="author_gender", method="ppmi-svd", dim=50, bootstrap=6
        )
    mo.vstack(
        [
            mo.md("""
    ## What came out

    A row for each question and group of novels; then the differences, with a p-value from how much
    the effects vary when novels are drawn anew.
    """),
            mo.ui.table(found.to_rows(), selection=None),
        ]
    )
    return (found,)


@app.cell
def _(found):
    found.plot()
    return


@app.cell
def _(found, mo):
    effects = {(one.test, one.corpus): one for one in found.effects}
    differences = {one.test: one for one in found.differences}
    mo.md(
        "\n\n".join(
            f"**{found.titles[test]}.** In the novels of women {effects[test, 'F'].effect:.2f}, in "
            f"those of men {effects[test, 'M'].effect:.2f}. The difference is "
            f"{one.difference:+.2f} with a standard error of {one.se:.2f}; after Holm's correction "
            f"p = {one.p_holm:.2f}. "
            + (
                "That is more than another draw of novels would give."
                if one.p_holm <= 0.05
                else "Another draw of novels could give as much, so nothing is shown."
            )
            for test, one in differences.items()
        )
    )
    return differences, effects


@app.cell
def _(mo):
    mo.md("""
    ## What this does not say

    The interval is about novels, not about the words that were chosen to ask with. And men and
    women who wrote novels also differ in when they wrote, in what they wrote about and in whose
    books were kept: a difference, had there been one, would not have said why.
    """)
    return


if __name__ == "__main__":
    app.run()
