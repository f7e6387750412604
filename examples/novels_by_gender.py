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
    # Do novelists who are men and novelists who are women write differently about women?

    The European Literary Text Collection has 99 English novels of 1840 to 1920, 11 million words,
    with the gender of each author. This notebook trains vectors on the novels by women and on those
    by men, on bootstrap samples of both, and on novels whose authors' genders were exchanged at
    random, and runs the same two tests on all of them.

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
    **The novels are missing**, so the notebook stops here. Put them at
    `../shared/data/corpora/eltec-eng.jsonl.gz`, next to the project, with one paragraph per line
    and the fields `id`, `author_gender` and `text`.
    """),
    )
    # Paragraphs with the same id are one novel, so that whole novels are resampled.
    novels = f"{path}?documents=id"
    women = "she her woman women girl lady mother daughter wife sister"
    men = "he him man men boy gentleman father son husband brother"

    def make_test(name, title, a, b):
        x, y, a, b = (words.split() for words in (women, men, a, b))
        return wg.Test(id=name, title=title, x=x, y=y, a=a, b=b)

    tests = [
        make_test(
            "women_home",
            "Women vs men, home vs work",
            "home family children marriage wedding nursery household",
            "business office profession trade salary clerk bank",
        ),
        make_test(
            "women_feeling",
            "Women vs men, feeling vs reason",
            "love tears heart feelings affection tenderness sorrow",
            "mind reason thought knowledge genius judgment argument",
        ),
    ]
    mo.md("""
    ## The questions

    Are words for women more strongly associated with home rather than work, and with feeling rather
    than reason, than words for men are?
    """)
    return novels, tests


@app.cell
def _(mo, novels, tempfile, tests, wg):
    # Few models and dimensions, so that the notebook takes minutes; use 20, 20 and 100 for a paper.
    with tempfile.TemporaryDirectory() as _folder:
        found = wg.compare(
            novels,
            tests,
            out=_folder,
            by="author_gender",
            method="ppmi-svd",
            dim=50,
            bootstrap=6,
            permutations=6,
        )
    mo.vstack(
        [
            mo.md("""
    ## Results

    A row for each question and group of novels, then the differences. Their p-values compare them
    with the differences that arise when the novels are divided at random.
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
    effects = {(effect.test, effect.corpus): effect for effect in found.effects}
    differences = {difference.test: difference for difference in found.differences}
    mo.md(
        "\n\n".join(
            f"**{found.titles[test]}.** The effect is {effects[test, 'F'].effect:.2f} in novels by "
            f"women and {effects[test, 'M'].effect:.2f} in novels by men. The difference is "
            f"{row.difference:+.2f} with a standard error of {row.se:.2f}; after Holm's correction "
            f"p = {row.p_holm:.2f}. "
            + (
                "That is more than a random division of the novels would give."
                if row.p_holm <= 0.05
                else "A random division of the novels could give as much: this shows no difference."
            )
            for test, row in differences.items()
        )
    )
    return differences, effects


@app.cell
def _(mo):
    mo.md("""
    ## What this does not say

    The p-value is about the choice of novels, not about the choice of seed words. And novelists who
    are men and novelists who are women also differ in when they wrote, what they wrote about and
    whose books survived: a difference, had there been one, would not have explained itself.
    """)
    return


if __name__ == "__main__":
    app.run()
