"""Comparison with other tools: the same vectors and tests, and why results differ.

    python benchmarks/peers.py [--json] [--cache FOLDER] [--seconds 60]

Creates an environment for each tool (once, in the cache folder; the first run needs a package
index). Every tool gets the words and rows of the ten association tests of Caliskan et al. (2017),
from `default` and, if they are in ../shared/data, from GloVe 840B. Prints effect size, p-value and
its method, time relative to Weatherglass in the same run, and peak memory. Each tool runs in its
own process and is called as its documentation says. Differences from the definition are computed
by plain arithmetic and explained by the convention that causes them. Then gensim and Weatherglass
read the same file.

A tool that cannot be installed gets a line with the reason. Only the ratios can be compared between
machines. `--seconds` limits the time of wefe's p-values for each source: it then makes fewer draws
than by default, and ≈ marks times that are extrapolated to all of them.
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
from peers.environments import (
    GENSIM,
    OTHERS,
    PEERS,
    NotAvailable,
    find_rscript,
    make_environment,
    why_not_compared,
)
from peers.judging import Truth, associations, judge, read_rows, truth
from peers.probing import describe_probe, mixed_targets, separate_targets

INSIDE = Path(__file__).parent / "peers" / "inside"
STIMULI = Path(__file__).parents[2] / "shared" / "data" / "glove840b-stimuli" / "vectors.txt"
TIMEOUT = 240  # seconds for one tool and one source
MAX_MEMORY = 4 << 30  # bytes for R; with 64 targets, coin's exact test would use up all memory
Row = dict[str, Any]


def limit_memory() -> None:
    """Limit the memory of the process that is about to start."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


def run_script(
    python: object, script: str, job: object, cache: Path, timeout: float = TIMEOUT
) -> list[Row]:
    """Run a script in a new process and return the rows that it prints; an error is a row too."""
    environment = os.environ | {"WEATHERGLASS_CACHE_DIR": str(cache), "PYTHONWARNINGS": "ignore"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "job"
        path.write_text(job if isinstance(job, str) else json.dumps(job), encoding="utf-8")
        # Output goes to a file, so that rows printed before a timeout are not lost.
        with open(Path(folder) / "output", "w+", encoding="utf-8") as output:
            line, error = [str(python), str(INSIDE / script), str(path)], ""
            try:
                process = subprocess.run(
                    line,
                    stdout=output,
                    stderr=subprocess.PIPE,
                    text=True,
                    env=environment,
                    timeout=timeout,
                    preexec_fn=limit_memory if script.endswith(".R") else None,
                )
                if process.returncode:
                    error = (process.stderr.strip().splitlines() or ["no reason given"])[-1]
            except subprocess.TimeoutExpired:
                error = f"timed out after {timeout:.0f} s"
            output.seek(0)
            rows = [json.loads(text) for text in output if text.startswith("{")]
    return [*rows, {"test": "", "error": error}] if error else rows


def write_inputs(
    source: str, folder: Path
) -> tuple[Path, dict[str, Any], dict[str, wg.WeatResult]]:
    """Write the rows that the tests need as word2vec text.

    Returns the file, the words of each test, and the results of Weatherglass.
    """
    vectors = wg.open_vectors(source)
    results = {f"weat{i}": wg.weat(vectors, f"weat{i}") for i in range(1, 11)}
    tests = {
        name: {side: list(words) for side, words in result.words.items()}
        for name, result in results.items()
        if result.status == "done"
    }
    words = sorted({word for sets in tests.values() for side in sets.values() for word in side})
    path = folder / f"{len(list(folder.iterdir()))}.txt"
    write_text(path, *vectors.take(words)[:2])
    return path, tests, results


def write_text(path: Path, words: list[str], rows: Any) -> None:
    """Write a word2vec text file with all digits of a float32."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{len(words)} {rows.shape[1]}\n")
        for word, row in zip(words, rows.tolist(), strict=True):
            file.write(f"{word} {' '.join(f'{value:.9g}' for value in row)}\n")


def compare(
    source: str, tools: dict[str, Any], seconds: float, folder: Path, probing: bool
) -> list[Row]:
    """Run all tests on one source with every tool, and the probe with six targets if `probing`."""
    path, tests, results = write_inputs(source, folder)
    vectors, truths = read_rows(path), {}
    values = {name: associations(vectors, sets) for name, sets in tests.items()}
    sets = tests["weat6"]
    probe = {"separate": separate_targets(sets), "mixed": mixed_targets(sets, *values["weat6"])}
    job = {"vectors": str(path), "tests": tests, "seconds": seconds}
    job["probe"] = probe if probing else None
    ours = run_script(sys.executable, "run_ours.py", job, folder / "cache")
    rows = [row | {"tool": "weatherglass"} for row in ours]
    for row in ours:
        truths[row["test"]] = truth(*values[row["test"]], row["p"])
    for tool, (python, script) in tools.items():
        tool_job = tabular(values) if script.endswith(".R") else job
        tool_rows = run_script(python, script, tool_job, folder / "cache")
        rows += [row | {"tool": tool} for row in tool_rows]
    our_seconds = {row["test"]: row["seconds"] for row in ours}
    for row in rows:
        complete(row, source, truths, our_seconds, results)
        if "probe" in row:
            targets = (associations(vectors, probe[kind]) for kind in ("mixed", "separate"))
            row["notes"] = describe_probe(row["probe"], *targets)
    return rows


def complete(
    row: Row, source: str, truths: dict[str, Truth], our_seconds: Any, results: Any
) -> None:
    """Add to a row what follows from the comparison: ratio of times, notes, the right result."""
    row["source"] = source
    if "p" in row:
        row.setdefault("n", None)
        seconds = row["seconds"]
        row["extrapolated"] = row.get("usual", 0) > (row["n"] or 0)
        if row["extrapolated"]:  # to the number of draws that it makes by default
            seconds = row["without"] + (seconds - row["without"]) * row["usual"] / row["n"]
        row["ratio"] = seconds / our_seconds[row["test"]]
        published = results[row["test"]].published if source != "default" else None
        right = truths[row["test"]]
        row["notes"] = judge(row, right, published and published["effect"])
        if "tried" in row:
            row["notes"].insert(0, row["tried"])
        row["definition"] = {"effect": right.effect, "p": right.p, "by": right.counted}


def tabular(values: dict[str, Any]) -> str:
    """The associations as a table, for R."""
    lines = ["test\tside\tassociation"]
    for name, sides in values.items():
        for side, side_values in zip("XY", sides, strict=True):
            lines += [f"{name}\t{side}\t{value!r}" for value in side_values.tolist()]
    return "\n".join(lines) + "\n"


def read_file(tools: dict[str, Any], folder: Path) -> list[Row]:
    """Read one large file with gensim and with Weatherglass, for the first time and again."""
    vectors = wg.open_vectors("default")
    path = folder / "whole.txt"
    write_text(path, list(vectors.words), vectors.matrix)
    os.utime(path, (path.stat().st_mtime - 60,) * 2)  # files of the last seconds are not cached
    rows = []
    for again in (False, True):
        job = {"vectors": str(path), "saved": str(folder / "saved.kv"), "again": again}
        answers = {
            tool: run_script(python, script, job, folder / "read")[0]
            for tool, (python, script) in tools.items()
        }
        ours = answers["weatherglass"]
        expected = ours.get("rows")
        for tool, answer in answers.items():
            row = {"tool": tool, "source": "default", "test": "again" if again else "first"}
            if "error" in answer:
                rows.append(row | answer)
                continue
            is_same = answer.pop("rows") == expected
            row["notes"] = [] if is_same else ["every 1,000th row compared: not identical"]
            rows.append(row | answer | {"ratio": answer["seconds"] / ours["seconds"]})
    return rows


def show(rows: list[Row]) -> None:
    """Print the table."""
    form = "{:<8} {:<7} {:<13} {:>7} {:>9}  {:<32} {:>11} {:>5}  {}"
    head = ("source", "test", "tool", "effect", "p", "method", "time", "MB", "differences")
    print(form.format(*head))
    order = {f"weat{i}": i for i in range(1, 11)}
    rows = sorted(rows, key=lambda row: (row["source"], order.get(row.get("test", ""), 99)))
    for row in rows:
        name = "glove840b" if row["source"] != "default" else "default"
        first = (name[:8], row.get("test", ""), row["tool"])
        notes = row.get("notes", [])
        if "error" in row:
            print(form.format(*first, "", "", "", "", "", row["error"]))
        elif "probe" in row:
            for note in notes:
                print(form.format(name[:8], "probe", row["tool"], "", "", "", "", "", note))
        else:
            number = f"{row['n']:,}" if row.get("n") else ""
            method = " ".join(filter(None, [row.get("how", "read"), number]))
            effect = "" if row.get("effect") is None else f"{row['effect']:.3f}"
            p = "" if row.get("p") is None else f"{row['p']:.2g}"
            sign = "≈" if row.get("extrapolated") else ""
            time, memory = f"{sign}{row['ratio']:,.1f}×", f"{row['memory']:.0f}"
            print(form.format(*first, effect, p, method, time, memory, "; ".join(notes)))


def main() -> None:
    """Create the environments, run all tools and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--cache", type=Path, help="folder for the environments")
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    if options.cache is None:
        import platformdirs

        options.cache = Path(platformdirs.user_cache_dir("weatherglass-peers"))
    tools, missing = {}, []
    for peer in (*PEERS, GENSIM):
        try:
            tools[peer.name] = make_environment(peer, options.cache), peer.script
        except NotAvailable as error:
            missing.append({"tool": peer.name, "reason": str(error)})
    try:
        tools["R coin"] = find_rscript(), "run_coin.R"
    except NotAvailable as error:
        missing.append({"tool": "R coin", "reason": str(error)})
    readers = {"weatherglass": (sys.executable, "read_ours.py")}
    if "gensim" in tools:
        readers["gensim"] = tools.pop("gensim")
    missing += [{"tool": name, "reason": why_not_compared(name)} for name in OTHERS]
    sources = ["default"]
    if STIMULI.exists():
        sources.append(str(STIMULI))
    else:
        missing.append({"tool": "glove840b", "reason": "../shared/data has no rows of GloVe 840B"})
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        for source in sources:
            probing = source == sources[-1]
            rows += compare(source, tools, options.seconds, Path(name), probing)
        rows += read_file(readers, Path(name))
    if options.json:
        for row in rows:
            row["source"] = "default" if row["source"] == "default" else "glove840b-stimuli"
        print(json.dumps({"rows": rows, "missing": missing}, indent=1))
        return
    show(rows)
    print()
    for tool in missing:
        print(f"{tool['tool']:<22} {tool['reason']}")


if __name__ == "__main__":
    main()
