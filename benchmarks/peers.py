"""Against the peers, in one run: the same vectors, the same tests, and where a peer is wrong.

    python benchmarks/peers.py [--json] [--cache FOLDER] [--seconds 60]

Makes an environment for each peer (once, in the cache folder; the first run needs a package index),
gives all of them the words and rows of the ten association tests of Caliskan et al. (2017), from
`default` and from the rows of GloVe 840B if those are at ../shared/data, and prints effect,
p-value, how it was got, time as a ratio to ours in the same run, and peak memory. Each peer is a
process of its own, and is called as its documentation says. What differs from the definition is
worked out by plain arithmetic, with the convention that explains it. Then one file is read by
gensim and by us.

A peer that cannot be had gives a line with the reason. Times are of this machine and this run; only
the ratios are worth quoting. `--seconds` is what the p-values of wefe may take for each source: it
makes fewer draws than it would, and ≈ stands before a time that was multiplied out to all of them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import weatherglass as wg
from peers.environments import GENSIM, OTHERS, PEERS, NotThere, asked_for, environment, rscript
from peers.judging import Truth, associations, judge, read_rows, truth
from peers.probing import apart, mixed, told

INSIDE = Path(__file__).parent / "peers" / "inside"
STIMULI = Path(__file__).parents[2] / "shared" / "data" / "glove840b-stimuli" / "vectors.txt"
LIMIT = 240  # seconds that one peer may take for one source
MEMORY = 4 << 30  # bytes that R may have; for 64 targets, coin's exact test takes all there are
Row = dict[str, Any]


def with_less_memory() -> None:
    """Limit the process that is about to begin."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def child(python: object, script: str, job: object, cache: Path, limit: float = LIMIT) -> list[Row]:
    """The rows that a script prints, from a process of its own; an error is a row too."""
    own = os.environ | {"WEATHERGLASS_CACHE_DIR": str(cache), "PYTHONWARNINGS": "ignore"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job"
        path.write_text(job if isinstance(job, str) else json.dumps(job), encoding="utf-8")
        # To a file: what was said before the time was up stays there.
        with open(Path(folder) / "said", "w+", encoding="utf-8") as said:
            line, end = [str(python), str(INSIDE / script), str(path)], ""
            try:
                done = subprocess.run(
                    line,
                    stdout=said,
                    stderr=subprocess.PIPE,
                    text=True,
                    env=own,
                    timeout=limit,
                    preexec_fn=with_less_memory if script.endswith(".R") else None,
                )
                if done.returncode:
                    end = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            except subprocess.TimeoutExpired:
                end = f"stopped after {limit:.0f} s"
            said.seek(0)
            rows = [json.loads(text) for text in said if text.startswith("{")]
    return [*rows, {"test": "", "error": end}] if end else rows


def fed(source: str, folder: Path) -> tuple[Path, dict[str, Any], dict[str, wg.WeatResult]]:
    """The rows of a source that the tests need, as word2vec text, and the words of each test."""
    vectors = wg.open_vectors(source)
    done = {f"weat{i}": wg.weat(vectors, f"weat{i}") for i in range(1, 11)}
    tests = {
        name: {side: list(words) for side, words in one.words.items()}
        for name, one in done.items()
        if one.status == "done"
    }
    words = sorted({word for sets in tests.values() for some in sets.values() for word in some})
    path = folder / f"{len(list(folder.iterdir()))}.txt"
    write_text(path, *vectors.take(words)[:2])
    return path, tests, done


def write_text(path: Path, words: list[str], rows: Any) -> None:
    """A word2vec text file with all digits that a float32 has."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{len(words)} {rows.shape[1]}\n")
        for word, row in zip(words, rows.tolist(), strict=True):
            file.write(f"{word} {' '.join(f'{value:.9g}' for value in row)}\n")


def compared(
    source: str, pythons: dict[str, Any], seconds: float, folder: Path, probing: bool
) -> list[Row]:
    """All tests on one source, by us and by every peer; and the six targets, if they are asked."""
    path, tests, done = fed(source, folder)
    rows, right = read_rows(path), {}
    values = {name: associations(rows, sets) for name, sets in tests.items()}
    sets = tests["weat6"]
    probe = {"apart": apart(sets), "mixed": mixed(sets, *values["weat6"])}
    job = {"vectors": str(path), "tests": tests, "seconds": seconds}
    job["probe"] = probe if probing else None
    ours = child(sys.executable, "run_ours.py", job, folder / "cache")
    made = [one | {"tool": "weatherglass"} for one in ours]
    for one in ours:
        right[one["test"]] = truth(*values[one["test"]], one["p"])
    for tool, (python, script) in pythons.items():
        asked = tabular(values) if script.endswith(".R") else job
        made += [one | {"tool": tool} for one in child(python, script, asked, folder / "cache")]
    base = {one["test"]: one["seconds"] for one in ours}
    for one in made:
        finish(one, source, right, base, done)
        if "probe" in one:
            six = (associations(rows, probe[kind]) for kind in ("mixed", "apart"))
            one["notes"] = told(one["probe"], *six)
    return made


def finish(one: Row, source: str, right: dict[str, Truth], base: Any, done: Any) -> None:
    """Add what only a comparison knows."""
    one["source"] = source
    if "p" in one:
        one.setdefault("n", None)
        took = one["seconds"]
        one["multiplied"] = one.get("usual", 0) > (one["n"] or 0)
        if one["multiplied"]:  # to as many draws as it makes if it is not told
            took = one["without"] + (took - one["without"]) * one["usual"] / one["n"]
        one["ratio"] = took / base[one["test"]]
        printed = done[one["test"]].published if source != "default" else None
        one["notes"] = judge(one, right[one["test"]], printed and printed["effect"])
        if "tried" in one:
            one["notes"].insert(0, one["tried"])
        one["definition"] = {
            "effect": right[one["test"]].effect,
            "p": right[one["test"]].p,
            "by": right[one["test"]].counted,
        }


def tabular(values: dict[str, Any]) -> str:
    """The associations as a table, for R."""
    lines = ["test\tside\tassociation"]
    for name, sides in values.items():
        for side, some in zip("XY", sides, strict=True):
            lines += [f"{name}\t{side}\t{value!r}" for value in some.tolist()]
    return "\n".join(lines) + "\n"


def reading(pythons: dict[str, Any], folder: Path) -> list[Row]:
    """One large file, read by gensim and by us, first and again."""
    vectors = wg.open_vectors("default")
    path = folder / "whole.txt"
    write_text(path, list(vectors.words), vectors.matrix)
    os.utime(path, (path.stat().st_mtime - 60,) * 2)  # the cache mistrusts files of this second
    made = []
    for again in (False, True):
        job = {"vectors": str(path), "saved": str(folder / "saved.kv"), "again": again}
        read = {
            tool: child(python, script, job, folder / "read")[0]
            for tool, (python, script) in pythons.items()
        }
        ours = read["weatherglass"]
        bits = ours.get("rows")
        for tool, one in read.items():
            row = {"tool": tool, "source": "default", "test": "again" if again else "first"}
            if "error" in one:
                made.append(row | one)
                continue
            same = one.pop("rows") == bits
            row["notes"] = [] if same else ["not the same bits on every 1,000th row"]
            made.append(row | one | {"ratio": one["seconds"] / ours["seconds"]})
    return made


def show(rows: list[Row]) -> None:
    """The table."""
    form = "{:<8} {:<7} {:<13} {:>7} {:>9}  {:<32} {:>11} {:>5}  {}"
    head = ("source", "test", "tool", "effect", "p", "how", "time", "MB", "differs")
    print(form.format(*head))
    order = {f"weat{i}": i for i in range(1, 11)}
    rows = sorted(rows, key=lambda one: (one["source"], order.get(one.get("test", ""), 99)))
    for one in rows:
        name = "glove840b" if one["source"] != "default" else "default"
        where = (name[:8], one.get("test", ""), one["tool"])
        notes = one.get("notes", [])
        if "error" in one:
            print(form.format(*where, "", "", "", "", "", one["error"]))
        elif "probe" in one:
            for note in notes:
                print(form.format(name[:8], "probe", one["tool"], "", "", "", "", "", note))
        else:
            how = " ".join(
                filter(None, [one.get("how", "read"), f"{one['n']:,}" if one.get("n") else ""])
            )
            effect = "" if one.get("effect") is None else f"{one['effect']:.3f}"
            p = "" if one.get("p") is None else f"{one['p']:.2g}"
            about = "≈" if one.get("multiplied") else ""
            time, memory = f"{about}{one['ratio']:,.1f}×", f"{one['memory']:.0f}"
            print(form.format(*where, effect, p, how, time, memory, "; ".join(notes)))


def main() -> None:
    """Make the environments, run everything, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON in place of the table")
    parser.add_argument("--cache", type=Path, help="folder of the environments")
    parser.add_argument("--seconds", type=float, default=60.0)
    chosen = parser.parse_args()
    if chosen.cache is None:
        import platformdirs

        chosen.cache = Path(platformdirs.user_cache_dir("weatherglass-peers"))
    pythons, absent = {}, []
    for peer in (*PEERS, GENSIM):
        try:
            pythons[peer.name] = environment(peer, chosen.cache), peer.script
        except NotThere as error:
            absent.append({"tool": peer.name, "reason": str(error)})
    try:
        pythons["R coin"] = rscript(), "run_coin.R"
    except NotThere as error:
        absent.append({"tool": "R coin", "reason": str(error)})
    readers = {"weatherglass": (sys.executable, "read_ours.py")}
    if "gensim" in pythons:
        readers["gensim"] = pythons.pop("gensim")
    absent += [{"tool": name, "reason": asked_for(name)} for name in OTHERS]
    sources = ["default"]
    if STIMULI.exists():
        sources.append(str(STIMULI))
    else:
        absent.append({"tool": "glove840b", "reason": "no rows of GloVe 840B at ../shared/data"})
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        for source in sources:
            last = source == sources[-1]
            rows += compared(source, pythons, chosen.seconds, Path(name), last)
        rows += reading(readers, Path(name))
    if chosen.json:
        for one in rows:
            one["source"] = "default" if one["source"] == "default" else "glove840b-stimuli"
        print(json.dumps({"rows": rows, "absent": absent}, indent=1))
        return
    show(rows)
    print()
    for one in absent:
        print(f"{one['tool']:<22} {one['reason']}")


if __name__ == "__main__":
    main()
