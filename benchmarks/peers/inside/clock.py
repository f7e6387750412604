"""Shared by the scripts of this folder: read the job, measure time and memory, print JSON rows.

They run in the environments of the tools, some of which need an old Python: use only the standard
library and the syntax of Python 3.7.
"""

from __future__ import annotations

import json
import sys
import time


def read_job():
    """Read the job: a file of vectors, tests as lists of words, and a time limit in seconds."""
    with open(sys.argv[1], encoding="utf-8") as file:
        return json.load(file)


def time_run(run):
    """Seconds of a call, and its result."""
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def best_run(run):
    """Seconds and result of the shortest of three runs, or of fewer if they take over two seconds.

    The same rule for all tools; a single run on a busy machine would be unreliable.
    """
    runs = [time_run(run)]
    while len(runs) < 3 and sum(seconds for seconds, _ in runs) < 2:
        runs.append(time_run(run))
    return min(runs, key=lambda pair: pair[0])


def peak_memory():
    """Peak memory of this process in MB."""
    try:
        # On Linux, getrusage of a new process starts with the peak of its parent; VmHWM does not.
        with open("/proc/self/status", encoding="utf-8") as file:
            return int(file.read().split("VmHWM:")[1].split()[0]) / 1024
    except OSError:
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def print_row(**row):
    """Print a row and flush, so that rows before a timeout are not lost."""
    row.setdefault("memory", peak_memory())
    print("\n" + json.dumps(row), flush=True)


def shorten_error(error):
    """Type and first characters of an error."""
    text = " ".join(str(error).split())
    return type(error).__name__ + (": " + text[:120] if text else "")
