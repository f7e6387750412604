"""The order in which a worker sees items and options, and the completion code of the answers.

The pages compute both in the browser (``files/task.js``); here is the same in Python, so that an
import knows at which position an answer was, and whether a file was changed after it was saved.
Items are sorted by a hash of the study's seed, the worker, the task and the item: each worker has
another order, and a worker who opens a page again the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_FNV_OFFSET, _FNV_PRIME, _MASK = 0x811C9DC5, 0x01000193, 0xFFFFFFFF
_SECOND_HASH = 0x5BD1E995  # any other start gives a second, independent hash


def hash_text(text: str, start: int = 0) -> int:
    """Return a 32-bit hash: FNV-1a of the UTF-8 bytes, then the finalizer of MurmurHash3.

    >>> hash_text("weatherglass"), hash_text("weatherglasr")
    (1904643981, 2762897663)
    """
    # A browser encodes half of a surrogate pair as U+FFFD.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    number = _FNV_OFFSET ^ start
    for byte in text.encode():
        number = ((number ^ byte) * _FNV_PRIME) & _MASK
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        number = ((number ^ (number >> shift)) * factor) & _MASK
    return number ^ (number >> 16)


def presented_order(seed: int, worker: str, task: str, ids: Iterable[str]) -> list[str]:
    """Return items or options in the order in which a page shows them to a worker.

    >>> presented_order(0, "w1", "match-01", ["a", "b", "c", "d"])
    ['d', 'c', 'a', 'b']
    """
    return sorted(ids, key=lambda id: (hash_text(f"{seed}|{worker}|{task}|{id}"), id))


def completion_code(study: str, task: str, worker: str, answers: Mapping[str, str]) -> str:
    """Return the code that a page shows at the end.

    It is a checksum of the answers, not a signature: it finds files that were edited or mixed up,
    and lets a worker prove that the answers were given.

    >>> completion_code("s", "exam", "w1", {"e1": "G1"})
    'B821-1E4C-C0A5'
    """
    listed = "&".join(f"{item}={answers[item]}" for item in sorted(answers))
    text = f"{study}|{task}|{worker}|{listed}"
    digits = f"{hash_text(text):08X}{hash_text(text, _SECOND_HASH):08X}"[:12]
    return "-".join(digits[start : start + 4] for start in (0, 4, 8))
