"""What the scripts in this folder share: the job, the clock, the memory, one line of JSON a row.

They run in the environments of the peers, some of which need an old Python: nothing here may be
newer than Python 3.7, and nothing may be imported but the standard library.
"""

from __future__ import annotations

import json
import sys
import time


def job():
    """What is to be done: a file of vectors, tests as lists of words, seconds that may be used."""
    with open(sys.argv[1], encoding="utf-8") as file:
        return json.load(file)


def timed(run):
    """The seconds that a call takes, and what it gives."""
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def best(run):
    """The same for the shortest of up to three runs, fewer where they take over two seconds.

    One rule for all: on a machine that others use, a single run may say anything.
    """
    runs = [timed(run)]
    while len(runs) < 3 and sum(seconds for seconds, _ in runs) < 2:
        runs.append(timed(run))
    return min(runs, key=lambda one: one[0])


def peak_memory():
    """The most memory this process has held, in MB."""
    try:
        # Linux gives a new process its parent's peak in getrusage; this one starts afresh.
        with open("/proc/self/status", encoding="utf-8") as file:
            return int(file.read().split("VmHWM:")[1].split()[0]) / 1024
    except OSError:
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def say(**row):
    """One row of the answer, at once: what comes before a time limit is kept."""
    row.setdefault("memory", peak_memory())
    print("\n" + json.dumps(row), flush=True)


def in_a_word(error):
    """An error as a short reason."""
    text = " ".join(str(error).split())
    return type(error).__name__ + (": " + text[:120] if text else "")
