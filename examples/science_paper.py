import marimo

app = marimo.App(app_title="The Science paper, reproduced")


@app.cell
def _():
    import marimo as mo

    import weatherglass as wg

    return mo, wg


@app.cell
def _(mo):
    mo.md("""
    # The Science paper, reproduced

    In 2017 Caliskan, Bryson and Narayanan tested word vectors for associations that psychologists
    test in people: are flowers more strongly associated with pleasant words than insects are?
    European American names than African American names? Are men's names associated with career, and
    women's with family? This notebook runs all ten of their association tests and both of their
    factual tests, and compares the results with the printed figures.

    A. Caliskan, J. J. Bryson, A. Narayanan (2017). Semantics derived automatically from language
    corpora contain human-like biases. *Science* 356, 183–186.
    [doi:10.1126/science.aal4230](https://doi.org/10.1126/science.aal4230)
    """)
    return


@app.cell
def _(mo, wg):
    stimuli = mo.notebook_dir().parents[1] / "shared" / "data" / "glove840b-stimuli" / "vectors.txt"
    same_vectors = stimuli.exists()
    vectors = wg.open_vectors(stimuli if same_vectors else "default")
    mo.md(
        """
    ## The vectors

    These are the rows of GloVe 840B, 300 dimensions, that the paper used. The figures should match
    the printed ones.
    """
        if same_vectors
        else """
    ## The vectors

    The rows of GloVe 840B that the paper used are missing, so this notebook uses the default
    vectors: GloVe 6B, 50 dimensions, trained on much less text. The signs should match the printed
    ones, and the sizes should not: these are other vectors.
    """
    )
    return same_vectors, vectors


@app.cell
def _(mo, vectors, wg):
    results = wg.Results.of(
        [wg.weat(vectors, f"weat{i}", influence=True) for i in range(1, 11)]
    ).correct()
    table = [
        {
            "test": result.test,
            "": result.title,
            "targets": f"{result.n['X']} + {result.n['Y']}",
            "printed": f"{result.published['effect']:.2f}",
            "here": f"{result.effect:.2f}",
            "printed p": result.published["p"],
            "p one-sided": str(result.p),
            "counted": result.p.fraction or result.p.method,
            "p Holm": f"{result.p_holm:.2g}",
            "grade": result.finding.grade,
        }
        for result in results
    ]
    mo.vstack(
        [
            mo.md("""
    ## Table 1: the association tests

    The effect size is a difference of means in standard deviations. The paper sampled partitions of
    the targets and printed bounds such as 1e-7; here each p-value is the share of *all* partitions
    that are at least as extreme. The subjects are words, not people: neither number is comparable
    with one from a study of people. The grade is that of the finding, which uses a two-sided
    p-value and all other evidence that was collected.
    """),
            mo.ui.table(table, selection=None, page_size=10),
            mo.md("\n".join(f"- {result.test}, {result.finding}" for result in results)),
        ]
    )
    return (results,)


@app.cell
def _(results):
    results.plot()
    return


@app.cell
def _(mo, results):
    worst = max(results, key=lambda result: abs(result.effect - result.published["effect"]))
    error = abs(worst.effect - worst.published["effect"])
    found_nothing = [result.test for result in results if result.p_holm > 0.05]
    mo.md(f"""
    The largest deviation from the printed effect sizes is **{error:.3f}**, in {worst.test}. After
    Holm's correction over the ten tests,
    {"all are significant at 0.05" if not found_nothing else ", ".join(found_nothing) + " are not"}.

    A different question is how often a random rotation of the space would align targets and
    attributes this well. These rotation p-values are not in the paper, and they are too small for
    real words, which do not point in random directions:
    {", ".join(f"{result.test} {result.p_rotation!s}" for result in results)}.
    """)
    return


@app.cell
def _(mo, vectors, wg):
    occupations = wg.wefat(vectors, "wefat1")
    names = wg.wefat(vectors, "wefat2")
    mo.md(f"""
    ## Figures 1 and 2: facts about the world

    Does association with female terms predict the share of women? For occupations the fact is the
    share of women among the people who worked in them in 2015; for androgynous names it is the share
    of women among the people who had the name in 1990.

    | | printed r | here | p | words |
    |---|---:|---:|---:|---:|
    | occupations | {occupations.published["correlation"]:.2f} | {occupations.pearson:.2f} | {occupations.pearson_p:.1e} | {occupations.n["W"]} |
    | names | {names.published["correlation"]:.2f} | {names.pearson:.2f} | {names.pearson_p:.1e} | {names.n["W"]} |
    """)  # noqa: E501 (table rows cannot be broken)
    return names, occupations


@app.cell
def _(occupations):
    occupations.plot()
    return


@app.cell
def _(names):
    names.plot()
    return


@app.cell
def _(mo):
    mo.md("""
    ## What this does not say

    That a model has learned a regularity of text does not make it true, just or anybody's opinion.
    The ten tests were chosen because people had shown these associations; they are not a random
    sample. What other choices of words would have given is a question for `wg.multiverse`.
    """)
    return


if __name__ == "__main__":
    app.run()
