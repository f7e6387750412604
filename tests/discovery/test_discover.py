"""Discovery as a whole: what is planted is found, what is not is not, and bad input says so."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from weatherglass import (
    Comparison,
    Discovery,
    Vectors,
    control,
    discover,
    discover_both,
    open_vectors,
)
from weatherglass.discovery import Options
from weatherglass.discovery.rotations import Null
from weatherglass.errors import BadContent, CannotMeasure, CatalogError, UsageError
from weatherglass.vectors.formats import text, word2vec

GROUPS, CATEGORIES, NAMES, WORDS = 4, 6, 30, 40
SMALL: dict[str, Any] = {
    "groups": GROUPS,
    "categories": CATEGORIES,
    "words": 10_000,
    "rotations": 999,
    "keep_names": 1.0,
}
STRENGTH = 0.8
"""How far a planted word leans towards its group, next to noise of length 1."""


def letters(number: int) -> str:
    """A word of letters for a number."""
    return "".join(chr(97 + number // 26**k % 26) for k in range(3))


def planted(strength: float, seed: int = 0, dim: int = 40) -> tuple[Vectors, list[str]]:
    """Groups of names and categories of words, parallel to each other with a given strength.

    Each category has a direction of its own and, for each group, five words that lean towards the
    group's direction; everything has noise. Gives the vectors and the names.
    """
    stream = np.random.default_rng(seed)
    noise = lambda *shape: stream.standard_normal((*shape, dim)) / np.sqrt(dim)  # noqa: E731
    towards = np.linalg.qr(stream.standard_normal((dim, GROUPS)))[0].T
    name_rows = np.concatenate([1.5 * one + noise(NAMES) for one in towards]) + 2 * noise(1)
    rows = []
    topics = 3 * noise(CATEGORIES)
    for own in topics - topics @ towards.T @ towards:  # a topic of itself leans to no group
        plain = own + noise(WORDS)
        for i, one in enumerate(towards):
            plain[5 * i : 5 * i + 5] += strength * one
        rows.append(plain)
    names = [f"N{letters(k)}" for k in range(len(name_rows))]
    words = [f"w{letters(k)}" for k in range(CATEGORIES * WORDS)]
    matrix = np.concatenate([name_rows, *rows])
    return Vectors.of([*names, *words], matrix, f"planted {strength}"), names


@pytest.fixture
def names_file(tmp_path: Path) -> Path:
    """The names of `planted`, one a line."""
    path = tmp_path / "names.txt"
    names = [f"N{letters(k)}" for k in range(GROUPS * NAMES)]
    path.write_text("\n".join(names), encoding="utf-8")
    return path


def test_every_planted_association_is_found(names_file: Path) -> None:
    """Recall 1.0 at `STRENGTH`: every group is significant in every category, with words that were
    made to lean towards it."""
    for seed in range(5):
        vectors, _ = planted(STRENGTH, seed)
        found = discover(vectors, names=str(names_file), **SMALL)
        assert sorted(group.size for group in found.groups) == [NAMES] * GROUPS
        assert sum(cell.significant for cell in found.cells) == GROUPS * CATEGORIES
        for cell in found.cells:
            group = next(one for one in found.groups if one.id == cell.group)
            which = _number(group.names[0]) // NAMES
            leaning = {5 * which + k for k in range(5)}
            assert {_number(word) % 40 for word in cell.words} <= leaning


def _number(token: str) -> int:
    return sum((ord(letter) - 97) * 26**k for k, letter in enumerate(token[1:]))


def test_no_cell_is_significant_where_no_association_is_planted(names_file: Path) -> None:
    found = discover(planted(0.0)[0], names=str(names_file), **SMALL)
    assert not found.significant
    assert found.order == ()
    assert found.threshold == 0
    assert found.indirect.share is None


def test_a_discovery_records_names_words_and_notes(names_file: Path) -> None:
    vectors, names = planted(STRENGTH)
    found = discover(vectors, names=str(names_file), **SMALL)
    assert sorted(name for group in found.groups for name in group.names) == sorted(names)
    assert found.names == {"listed": 120, "missing": 0, "dropped": 0, "used": 120}
    assert found.words == {"asked": 10_000, "used": 240}
    assert "only 240 lower-case words, fewer than the 10,000" in found.notes[0]
    assert found.source["fingerprint"] == vectors.fingerprint
    assert found.options["rotations"] == 999
    scores = dict.fromkeys(found.order, 0.0)
    for cell in found.significant:
        scores[cell.category] += cell.score
    assert list(scores.values()) == sorted(scores.values(), reverse=True)
    again = discover(vectors, **found.options)
    assert again == found


def test_a_discovery_survives_json_and_parquet(names_file: Path, tmp_path: Path) -> None:
    found = discover(planted(STRENGTH)[0], names=str(names_file), **SMALL)
    assert Discovery.from_json(found.to_json()) == found
    found.to_parquet(tmp_path / "found.parquet")
    assert Discovery.from_parquet(tmp_path / "found.parquet") == found
    assert found.to_table().num_rows == len(found.cells)
    with pytest.raises(BadContent, match="not a discovery in JSON"):
        Discovery.from_json('{"groups": 3}')
    with pytest.raises(BadContent, match="not a discovery in Parquet"):
        Discovery.from_parquet(names_file)


def test_discovery_is_the_same_on_any_number_of_workers(names_file: Path) -> None:
    vectors, _ = planted(0.5)
    results = [discover(vectors, names=str(names_file), workers=k, **SMALL) for k in (1, 3)]
    assert results[0] == results[1]


def test_another_seed_gives_other_rotations_but_the_same_findings(names_file: Path) -> None:
    vectors, _ = planted(STRENGTH)
    one, other = (discover(vectors, names=str(names_file), rng=k, **SMALL) for k in (0, 1))
    words = [sorted(cell.words for cell in found.significant) for found in (one, other)]
    assert words[0] == words[1]


def counting(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The batches that are counted from now on."""
    batches: list[int] = []
    count = Null.count

    def watched(self: Null, index: int, size: int) -> Any:
        batches.append(index)
        return count(self, index, size)

    monkeypatch.setattr(Null, "count", watched)
    return batches


def stopped_halfway(vectors: Vectors, options: dict[str, Any]) -> None:
    def stop(done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        discover(vectors, progress=stop, **options)


def test_an_interrupted_search_resumes_from_its_checkpoint(
    names_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors, _ = planted(0.5)
    options = SMALL | {"names": str(names_file), "rotations": 5000, "stop_early": False}
    batches = counting(monkeypatch)
    whole = discover(vectors, **options)
    every = sorted(batches)
    stopped_halfway(vectors, options)
    batches.clear()
    assert discover(vectors, resume=True, **options) == whole
    assert 0 < len(batches) < 0.6 * len(every)  # it did not start anew
    batches.clear()
    discover(vectors, resume=True, **options)
    assert sorted(batches) == every  # what is done is not kept


def test_a_damaged_checkpoint_is_counted_again(
    names_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors, _ = planted(0.5)
    options = SMALL | {"names": str(names_file), "rotations": 5000, "stop_early": False}
    whole = discover(vectors, **options)
    monkeypatch.setenv("WEATHERGLASS_CACHE_DIR", str(tmp_path))
    stopped_halfway(vectors, options)
    (path,) = (tmp_path / "discovery").iterdir()
    lines = filter(None, path.read_bytes().splitlines())
    whole_lines = {json.loads(line)["task"]: line for line in lines}
    strange = [
        b"\xff{",
        whole_lines.pop(0)[:20],
        whole_lines.pop(1)[:-1],
        b'{"task":2,"result":[[1]]}',
    ]
    del whole_lines[2]
    path.write_bytes(b"\n".join([*strange, *whole_lines.values(), b'{"task": 99, "re']))
    batches = counting(monkeypatch)
    assert discover(vectors, resume=True, **options) == whole
    assert {0, 1, 2} <= set(batches)
    assert not path.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": 1}, "groups is 1; it must be at least 2"),
        ({"categories": 0}, "categories is 0"),
        ({"words": 0}, "words is 0"),
        ({"per_cell": 0}, "per_cell is 0"),
        ({"rotations": 0}, "rotations is 0"),
        ({"rng": -1}, "rng is -1"),
        ({"alpha": 0.0}, "alpha is 0.0"),
        ({"alpha": float("nan")}, "alpha is nan"),
        ({"keep_names": 0.0}, "keep_names is 0.0"),
        ({"control": "rank"}, "control is 'rank'; expected frequency, center"),
        ({"alphabet": "greek"}, "alphabet is 'greek'"),
        ({"groups": "many"}, "groups is 'many'; expected an integer"),
        ({"groups": 2.5}, "groups is 2.5; expected an integer"),
        ({"words": None}, "words is None; expected an integer"),
        ({"rng": np.random.default_rng(0)}, "rng is .*; expected an integer"),
        ({"alpha": "0.05"}, "alpha is '0.05'; it must be greater than 0"),
        ({"names": 7}, "names is 7; expected the name of a list"),
        ({"workers": -1}, "workers is -1; it must be at least 1"),
    ],
)
def test_a_wrong_option_is_named_in_the_error(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        discover(planted(0.0)[0], **options)


def test_options_accept_numpy_numbers_and_paths(names_file: Path) -> None:
    vectors, _ = planted(0.0)
    plain = discover(vectors, names=str(names_file), **SMALL)
    numbers = SMALL | {"groups": np.int64(SMALL["groups"]), "alpha": np.float32(0.5)}
    assert discover(vectors, names=names_file, **numbers | {"alpha": 0.05}) == plain
    assert type(discover(vectors, names=names_file, **numbers).options["alpha"]) is float


def test_fewer_names_than_groups_is_an_error_with_reasons(tmp_path: Path) -> None:
    few = tmp_path / "few.txt"
    few.write_text("Naaa\nNbaa\nNobody\n", encoding="utf-8")
    with pytest.raises(
        CannotMeasure, match=r"Only 2 names can be used in .*, too few for 4 groups .1 are not in"
    ):
        discover(planted(0.0)[0], names=str(few), **SMALL)
    four = tmp_path / "four.txt"
    four.write_text("Naaa\nNbaa\nNcaa\nNdaa\n", encoding="utf-8")
    with pytest.raises(CannotMeasure, match=r"too few for 4 groups .2 were removed by --keep"):
        discover(planted(0.0)[0], names=str(four), **SMALL | {"keep_names": 0.5})


def test_identical_name_vectors_cannot_be_clustered(names_file: Path) -> None:
    vectors, names = planted(0.0)
    rows = np.array(vectors.matrix)
    rows[: len(names)] = rows[0]
    alike = Vectors.of([vectors.words[k] for k in range(len(vectors))], rows)
    with pytest.raises(CannotMeasure, match="120 names have only 1 distinct vectors"):
        discover(alike, names=str(names_file), **SMALL)


def test_too_many_categories_or_too_large_cells_are_refused(names_file: Path) -> None:
    vectors, _ = planted(0.0)
    names = str(names_file)
    with pytest.raises(
        CannotMeasure, match="240 words have only 240 distinct vectors, too few for 500"
    ):
        discover(vectors, names=names, **SMALL | {"categories": 500})
    with pytest.raises(CannotMeasure, match="a cell needs 200"):
        discover(vectors, names=names, **SMALL | {"per_cell": 200})


def test_fewer_dimensions_than_groups_is_noted(names_file: Path) -> None:
    vectors, _ = planted(0.0, dim=GROUPS)
    flat = Vectors.of([vectors.words[k] for k in range(len(vectors))], vectors.matrix[:, :3])
    found = discover(flat, names=str(names_file), **SMALL)
    assert any("3 dimensions, fewer than the 4 groups" in note for note in found.notes)


def test_rows_without_direction_are_left_out(names_file: Path) -> None:
    vectors, _ = planted(STRENGTH)
    rows = np.array(vectors.matrix)
    rows[3], rows[200] = np.nan, 0
    broken = Vectors.of([vectors.words[k] for k in range(len(vectors))], rows)
    found = discover(broken, names=str(names_file), **SMALL)
    assert found.names["missing"] == 1
    assert found.words["used"] == 239
    assert any("2 rows of memory have no direction" in note for note in found.notes)


def test_running_text_is_refused_as_a_list_of_names(tmp_path: Path) -> None:
    novel = tmp_path / "novel.txt"
    line = "It was a bright cold day, and nobody on the pier had thought of bringing a coat.\n"
    novel.write_text(line * 40, encoding="utf-8")
    with pytest.raises(CatalogError, match="one name of at most 4 words"):
        discover(planted(0.0)[0], names=str(novel), **SMALL)


def test_facts_of_names_are_averaged_by_group(tmp_path: Path) -> None:
    vectors, names = planted(STRENGTH)
    table = tmp_path / "facts.csv"
    rows = [f"{name},{k // NAMES * 10},{'' if k % 2 else k}" for k, name in enumerate(names)]
    table.write_text("\n".join(["name,age,odd", *rows]), encoding="utf-8")
    found = discover(vectors, names=str(table), **SMALL)
    assert [group.facts["age"] for group in found.groups] == [30, 20, 10, 0]  # by the first fact
    last = found.groups[-1]
    assert last.facts["odd"] == pytest.approx(np.mean(range(0, NAMES, 2)))


def test_without_voronoi_a_word_may_be_in_several_cells(names_file: Path) -> None:
    vectors, _ = planted(0.0)
    once = discover(vectors, names=str(names_file), **SMALL | {"per_cell": 8})
    often = discover(vectors, names=str(names_file), voronoi=False, **SMALL | {"per_cell": 8})
    words = lambda found: [word for cell in found.cells for word in cell.words]  # noqa: E731
    assert len(words(once)) == len(set(words(once)))
    assert len(words(often)) > len(set(words(often)))
    assert len(often.cells) == GROUPS * CATEGORIES


@pytest.mark.slow
def test_auto_extracts_names_from_the_embedding(default: Vectors) -> None:
    options = {"groups": 4, "categories": 8, "words": 2000, "rotations": 99}
    found = discover(default, names="auto", name_rank=30_000, **options)
    drawn = {name for group in found.groups for name in group.names}
    assert {"john", "maria", "ahmed", "sergei"} <= drawn
    words = {"table", "seven", "running", "germany", "president", "daughter", "wife", "told"}
    assert not words & drawn
    assert found.names["listed"] == found.names["used"] == len(drawn)


@pytest.mark.slow
def test_groups_of_the_default_vectors_reflect_people_not_frequency(default: Vectors) -> None:
    """Rotations are few: p-values can be no smaller than 1/1000."""
    found = discover(default, rotations=999)
    assert found.control.method == "frequency"
    assert found.control.r2_before == pytest.approx(0.91, abs=0.01)
    assert found.control.r2_after == pytest.approx(0.07, abs=0.01)
    assert found.names["listed"] - found.names["missing"] == 6982
    assert len(found.significant) >= 24
    assert found.indirect.share is not None
    assert found.indirect.share > 0.9
    muslim = max(found.groups, key=lambda one: len({"ibrahim", "ismail", "jamal"} & set(one.names)))
    cells = {word for cell in found.significant if cell.group == muslim.id for word in cell.words}
    assert len({"islamic", "muslim", "islam", "islamist", "arabic", "clerics", "doha"} & cells) > 1
    spread = [one.facts["share_female"] for one in found.groups]
    assert spread == sorted(spread, reverse=True)
    assert spread[0] > 0.9
    assert spread[-1] < 0.25


@pytest.mark.slow
def test_name_rank_excludes_rare_names(default: Vectors) -> None:
    options = {"groups": 3, "categories": 4, "words": 1000, "rotations": 19}
    found = discover(default, name_rank=20_000, keep_names=1.0, **options)
    names = [name for group in found.groups for name in group.names]
    assert max(default.words.index(name) for name in names) < 20_000
    assert found.names["too rare"] == 6982 - len(names)


@pytest.mark.slow
def test_no_false_discoveries_in_a_real_embedding_whose_names_are_rotated(
    default: Vectors, tmp_path: Path
) -> None:
    """The null is true: a random rotation is applied to the names. In 200 runs the share with any
    discovery may not be over α beyond what chance allows (99 % of the binomial distribution)."""
    from scipy.stats import binom, ortho_group

    from weatherglass import control
    from weatherglass.catalog import load_names
    from weatherglass.discovery.names import find

    plain, _ = control(default)
    names = find(plain, load_names("ssa")).positions[:1500]
    tokens = [plain.words[int(at)] for at in names]
    listed = tmp_path / "names.txt"
    listed.write_text("\n".join(tokens), encoding="utf-8")
    chosen = np.setdiff1d(np.arange(4000), names)
    words = [plain.words[int(at)] for at in chosen]
    name_rows, word_rows = plain.unit_at(names), plain.unit_at(chosen)
    runs, alpha, wrong = 200, 0.05, 0
    for seed in range(runs):
        turn = ortho_group.rvs(plain.dim, random_state=seed)
        turned = Vectors.of([*tokens, *words], np.concatenate([name_rows @ turn, word_rows]))
        options = {"groups": 6, "categories": 16, "words": 4000, "rotations": 499, "rng": seed}
        found = discover(turned, names=str(listed), control="none", alpha=alpha, **options)
        wrong += bool(found.significant)
    assert wrong <= binom.ppf(0.99, runs, alpha)


def test_every_option_of_discover_is_recorded(names_file: Path) -> None:
    found = discover(planted(0.0)[0], names=str(names_file), **SMALL)
    assert set(found.options) == {field.name for field in dataclasses.fields(Options)}


def test_a_comparison_uses_the_same_names_and_words_for_both_embeddings(names_file: Path) -> None:
    """The second has nothing planted in it: all that the first shows vanishes."""
    before, after = planted(STRENGTH)[0], planted(0.0, seed=1)[0]
    compared = discover_both(before, after, names=str(names_file), **SMALL)
    assert len(compared.of("vanishes")) == GROUPS * CATEGORIES
    assert not compared.of("appears")
    assert not compared.of("stays")
    assert compared.before.groups == compared.after.groups
    assert compared.before.significant
    assert Comparison.from_json(compared.to_json()) == compared
    same = discover_both(before, before, names=str(names_file), **SMALL)
    assert len(same.of("stays")) == GROUPS * CATEGORIES
    assert same.before.cells == same.after.cells == compared.before.cells


def test_a_comparison_uses_only_names_and_words_of_both_embeddings(names_file: Path) -> None:
    before, names = planted(STRENGTH)
    gone = {names[0], "waaa", "wbaa"}
    kept = [before.words[k] for k in range(len(before)) if before.words[k] not in gone]
    compared = discover_both(
        before, before.subset(kept), names=str(names_file), control="none", **SMALL
    )
    assert compared.before.names["used"] == 119
    assert compared.after.words["used"] == 238


def test_a_comparison_counts_names_in_only_one_embedding(names_file: Path) -> None:
    before, names = planted(STRENGTH)
    words = [before.words[k] for k in range(len(before))]
    rows = np.array(before.matrix)
    rows[-1] = np.nan
    after = Vectors.of([f"gone{k}" if k < 7 else w for k, w in enumerate(words)], rows, "after")
    found = discover_both(before, after, names=str(names_file), **SMALL | {"words": 5000})
    assert found.before.names["only in one"] == 7
    assert found.before.names["used"] == len(names) - 7
    share, unusable = found.before.notes
    assert share.startswith(f"{before.source} and after share only 239 lower-case words")
    assert unusable.startswith("1 rows of after have no direction")


@pytest.mark.slow
def test_a_comparison_controls_both_embeddings_for_frequency_or_neither(default: Vectors) -> None:
    """Where one of two embeddings needs it, both get it."""
    plain, _ = control(default, "frequency")
    options = {"groups": 4, "categories": 8, "words": 2000, "rotations": 19}
    assert control(plain, "auto")[1].method == "none"
    both = discover_both(default, plain, **options)
    assert [one.control.method for one in (both.before, both.after)] == ["frequency"] * 2
    assert [one.control.asked for one in (both.before, both.after)] == ["auto"] * 2


@pytest.mark.slow
def test_discovery_is_the_same_from_word2vec_and_glove_files(
    default: Vectors, tmp_path: Path
) -> None:
    some = Vectors.of([default.words[k] for k in range(30_000)], default.matrix[:30_000])
    options = {"groups": 4, "categories": 8, "words": 2000, "rotations": 99}
    rows = discover(some, **options).to_rows()
    writers = {
        "word2vec.bin": word2vec.write,
        "word2vec.txt": text.write_word2vec,
        "glove.txt": text.write_glove,
    }
    for name, write in writers.items():
        write(some, tmp_path / name)
        assert discover(open_vectors(str(tmp_path / name)), **options).to_rows() == rows
