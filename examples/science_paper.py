import marimo

app = marimo.App(app_title="The Science paper, again")


@app.cell
def _():
    import marimo as mo

    import weatherglass as wg

    return mo, wg


@app.cell
def _(mo):
    mo.md("""
    # The Science paper, again

    In 2017 Caliskan, Bryson and Narayanan asked word vectors what psychologists ask people: are
    flowers nearer to pleasant words than insects are? European American names than African
    American ones? Men's names to a career, and women's to a family? This page runs all ten of
    their association tests and both of their factual tests, and puts what they printed beside
    what comes out.

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

    These are the rows of GloVe 840B, 300 dimensions, that the paper used. The figures should come
    out as printed.
    """
        if same_vectors
        else """
    ## The vectors

    The rows of GloVe 840B that the paper used are not here, so this page falls back to the embedded
    vectors: GloVe 6B, 50 dimensions, trained on much less text. The signs should come out as
    printed, and the sizes should not: these are other vectors.
    """
    )
    return same_vectors, vectors


@app.cell
def _(mo, vectors, wg):
    results = wg.Results.of([wg.weat(vectors, f"weat{i}") for i in range(1, 11)]).correct()
    table = [
        {
            "test": one.test,
            "": one.title,
            "targets": f"{one.n['X']} + {one.n['Y']}",
            "printed": f"{one.published['effect']:.2f}",
            "here": f"{one.effect:.2f}",
            "printed p": one.published["p"],
            "p": str(one.p),
            "counted": one.p.fraction or one.p.method,
            "p Holm": f"{one.p_holm:.2g}",
        }
        for one in results
    ]
    mo.vstack(
        [
            mo.md("""
    ## Table 1: the association tests

    The effect is a difference of means in standard deviations. The paper drew partitions of the
    targets at random and printed bounds such as 1e-7; here each p-value is the share of *all*
    partitions that are at least as extreme. Words are the subjects, not people: neither number
    compares with one from a study of people.
    """),
            mo.ui.table(table, selection=None, page_size=10),
        ]
    )
    return (results,)


@app.cell
def _(results):
    results.plot()
    return


@app.cell
def _(mo, results):
    worst = max(results, key=lambda one: abs(one.effect - one.published["effect"]))
    away = abs(worst.effect - worst.published["effect"])
    found_nothing = [one.test for one in results if one.p_holm > 0.05]
    mo.md(f"""
    The largest distance from the printed effects is **{away:.3f}**, in {worst.test}. After Holm's
    correction over the ten tests,
    {"all are significant at 0.05" if not found_nothing else ", ".join(found_nothing) + " are not"}.

    The other question is whether targets and attributes could be so aligned in a space that was
    turned at random. That p-value is not in the paper, and it is less certain:
    {", ".join(f"{one.test} {one.p_rotation!s}" for one in results)}.
    """)
    return


@app.cell
def _(mo, vectors, wg):
    occupations = wg.wefat(vectors, "wefat1")
    names = wg.wefat(vectors, "wefat2")
    mo.md(f"""
    ## Figures 1 and 2: facts of the world

    Does nearness to women's words say how many women there are? For occupations the fact is the
    share of women among those who worked in them in 2015, for names that men and women share it is
    the share of women among those who bore them in 1990.

    | | printed r | here | p | words |
    |---|---:|---:|---:|---:|
    | occupations | {occupations.published["correlation"]:.2f} | {occupations.pearson:.2f} | {occupations.pearson_p:.1e} | {occupations.n["W"]} |
    | names | {names.published["correlation"]:.2f} | {names.pearson:.2f} | {names.pearson_p:.1e} | {names.n["W"]} |
    """)  # noqa: E501 (a row of a table cannot be broken)
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

    That a machine has learned a regularity of text does not make it true, just or anybody's
    opinion. The ten tests were chosen because people had shown these associations; nobody has
    chosen them at random. What another choice of words would have given is a question for
    `wg.multiverse`.
    """)
    return


if __name__ == "__main__":
    app.run()
