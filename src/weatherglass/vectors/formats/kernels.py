"""Compiled inner loops of the readers. Imported only when a file is read: numba is slow to import.

The kernels see bytes, not text. They do the ordinary case at full speed and hand everything else
back: a row they are not certain of is flagged, and `lines.parse_line` settles it in Python.

Every buffer of lines ends in a newline, and `inputs.PADDING` bytes after it may be read, so that
the loops need no check for the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.extending import intrinsic

from weatherglass._numba import compiled

SPACE, TAB, NEWLINE, RETURN = 32, 9, 10, 13
ORDINARY, UNCERTAIN = np.uint8(0), np.uint8(1)

_POWERS = np.array([float(f"1e{k}") for k in range(271)])
_SCALE = 10 ** np.arange(9)
_ENOUGH = 10**17
_FNV_OFFSET = np.uint64(0xCBF29CE484222325)
_FNV_PRIME = np.uint64(0x100000001B3)

_memchr = types.ExternalFunction("memchr", types.uintp(types.uintp, types.int32, types.uintp))


@intrinsic
def _load8(typingctx: Any, address: Any) -> Any:
    """Eight bytes at any address, as one little-endian integer."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.load(pointer, align=1)

    return types.uint64(types.uintp), codegen


@intrinsic
def _trailing_zeros(typingctx: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), codegen


@compiled()
def _find_newline(buffer: Any, size: int, i: int) -> int:
    """Index of the first newline at or after `i`."""
    base = buffer.ctypes.data
    at = _memchr(base + np.uintp(i), np.int32(NEWLINE), np.uintp(size - i))
    return np.int64(at - base)


@compiled(inline="always")
def _digits8(address: Any) -> tuple[Any, Any]:
    """How many of the eight characters at `address` are leading digits, and their value."""
    # A digit XOR '0' is 0 to 9: its high nibble stays empty, also after adding 6.
    digits = _load8(address) ^ np.uint64(0x3030303030303030)
    others = (digits | (digits + np.uint64(0x0606060606060606))) & np.uint64(0xF0F0F0F0F0F0F0F0)
    n = _trailing_zeros(others) >> np.uint64(3)
    if n == 0:
        return np.int64(0), np.int64(0)
    # Shift out what follows, so that zeros lead; then add up pairs, fours and eights at once.
    x = digits << (np.uint64(64) - (n << np.uint64(3)))
    x = ((x * np.uint64(2561)) >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)
    x = ((x * np.uint64(6553601)) >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)
    x = (x * np.uint64(42949672960001)) >> np.uint64(32)
    return np.int64(n), np.int64(x)


@compiled()
def parse_lines(
    buffer: Any,
    size: int,
    dim: int,
    rows: Any,
    word_start: Any,
    word_end: Any,
    line_end: Any,
    line: Any,
    state: Any,
) -> tuple[int, int, int]:
    """Parse the lines ``word number … number`` in ``buffer[:size]``.

    Blank lines are passed over. Returns the number of rows, the number of lines, and where a line
    with too few fields begins, at which it stops (-1 if there is none). ``state[r]`` is UNCERTAIN
    where row r, which stands in line ``line[r]`` counted from 1, must be read again in Python.
    A row takes ``dim + 1`` bytes at least: so many rows must fit.

    The value is that of numpy's float32 of the text: the nearest double, then the nearest float32.
    An integer up to 2**53 and a power of ten up to 10**22 are exact doubles, so their quotient is
    rounded once and right. Elsewhere the quotient is within 4 units in the last place; if both
    ends of that range round to one float32, that float32 is certain.
    """
    i, row, lines = 0, 0, 0
    base = buffer.ctypes.data
    while i < size:
        begin = i
        c = buffer[i]
        while c != SPACE and c != TAB and c != NEWLINE:
            i += 1
            c = buffer[i]
        word_stop = i
        flag = ORDINARY if word_stop > begin else UNCERTAIN
        column = 0
        while column < dim and (c == SPACE or c == TAB):
            i += 1
            negative = buffer[i] == 45
            i += negative
            c = buffer[i]
            field, mantissa, exponent = i, 0, 0
            while 48 <= c <= 57:
                # Seventeen digits are kept; the rest is below the slack allowed for further down.
                if mantissa < _ENOUGH:
                    mantissa = mantissa * 10 + (c - 48)
                else:
                    exponent += 1
                i += 1
                c = buffer[i]
            digits = i - field
            if c == 46:
                i += 1
                point = i
                if mantissa < 1000000000:
                    n, value8 = _digits8(base + np.uintp(i))
                    mantissa = mantissa * _SCALE[n] + value8
                    i += n
                    exponent -= n
                c = buffer[i]
                while 48 <= c <= 57:
                    if mantissa < _ENOUGH:
                        mantissa = mantissa * 10 + (c - 48)
                        exponent -= 1
                    i += 1
                    c = buffer[i]
                digits += i - point
            if digits == 0:
                flag = UNCERTAIN
            if c == 101 or c == 69:
                i += 1
                c = buffer[i]
                shrink = c == 45
                if shrink or c == 43:
                    i += 1
                    c = buffer[i]
                power, first = 0, i
                while 48 <= c <= 57:
                    power = min(power * 10 + (c - 48), 9999)
                    i += 1
                    c = buffer[i]
                if first == i or power > 999:
                    flag = UNCERTAIN
                exponent += -power if shrink else power
            inside = False  # whether a carriage return stands inside the line, not at its end
            if c == RETURN and buffer[i + 1] != NEWLINE:
                k = i
                while buffer[k] == RETURN or buffer[k] == SPACE or buffer[k] == TAB:
                    k += 1
                inside = buffer[k] != NEWLINE
            if inside or (c != SPACE and c != NEWLINE and c != TAB and c != RETURN):
                flag = UNCERTAIN
                while c != SPACE and c != TAB and c != NEWLINE:
                    i += 1
                    c = buffer[i]
            if exponent < -270 or exponent > 270:
                flag, exponent = UNCERTAIN, 0
            value = np.float64(mantissa)
            if exponent <= 0:
                value /= _POWERS[-exponent]
            else:
                value *= _POWERS[exponent]
            if mantissa > 9007199254740992 or exponent < -22 or exponent > 22:
                slack = value * 8.9e-16
                if np.float32(value - slack) != np.float32(value + slack):
                    flag = UNCERTAIN
            rows[row, column] = -value if negative else value
            column += 1
        # Word and numbers are done: what is left may only be white space before the newline.
        while c == SPACE or c == TAB or c == RETURN:
            i += 1
            c = buffer[i]
        if c != NEWLINE:
            flag = UNCERTAIN
            i = _find_newline(buffer, size, i)
        lines += 1
        if (flag == ORDINARY and column == dim) or not _is_blank(buffer, begin):
            if column < dim:
                return row, lines, begin
            word_start[row], word_end[row], line_end[row] = begin, word_stop, i
            line[row], state[row] = lines, flag
            row += 1
        i += 1
    return row, lines, -1


@compiled()
def _is_blank(buffer: Any, i: int) -> bool:
    """Whether the line that begins at `i` holds nothing but white space."""
    while buffer[i] == SPACE or buffer[i] == TAB or buffer[i] == RETURN:
        i += 1
    return buffer[i] == NEWLINE


@compiled()
def find_lines(buffer: Any, size: int, table: Any, hits: Any) -> tuple[int, int, int, bool]:
    """Find the lines whose first field is in `table`, an open-addressing table of FNV-1a hashes.

    Returns the number of hits, of lines, and of lines that are not blank, and whether any first
    field holds a capital letter A to Z.
    """
    i, found, lines, rows, cased = 0, 0, 0, 0, False
    mask = np.uint64(table.size - 1)
    while i < size:
        begin = i
        digest = _FNV_OFFSET
        c = buffer[i]
        while c != SPACE and c != TAB and c != NEWLINE:
            digest = (digest ^ np.uint64(c)) * _FNV_PRIME
            cased |= 65 <= c <= 90
            i += 1
            c = buffer[i]
        lines += 1
        # A line that begins with white space may be blank; hardly any does.
        if (i == begin or buffer[begin] == RETURN) and _is_blank(buffer, begin):
            i = _find_newline(buffer, size, i) + 1
            continue
        rows += 1
        slot = digest & mask
        while table[slot] != 0:
            if table[slot] == digest:
                hits[found] = begin
                found += 1
                break
            slot = (slot + np.uint64(1)) & mask
        i = _find_newline(buffer, size, i) + 1
    return found, lines, rows, cased


@compiled()
def hash_words(blob: Any, ends: Any, out: Any) -> None:
    """FNV-1a, 64 bits, of each word of a vocabulary."""
    start = 0
    for w in range(ends.size):
        digest = _FNV_OFFSET
        end = np.int64(ends[w])
        for k in range(start, end):
            digest = (digest ^ np.uint64(blob[k])) * _FNV_PRIME
        out[w] = digest
        start = end


@compiled()
def walk_records(
    buffer: Any, i: int, terminator: int, width: int, word_start: Any, word_end: Any
) -> tuple[int, int]:
    """Find records ``word, terminator, width bytes`` from byte `i` on; a newline may come first.

    Returns the number of whole records and where the first one that is cut off begins.
    """
    found, size = 0, buffer.size
    while found < word_start.size:
        k = i
        if terminator == SPACE and k < size and buffer[k] == NEWLINE:
            k += 1
        begin = k
        while k < size and buffer[k] != terminator:
            k += 1
        if k + 1 + width > size:
            break
        word_start[found], word_end[found] = begin, k
        found += 1
        i = k + 1 + width
    return found, i


@compiled()
def gather(buffer: Any, start: Any, end: Any, out: Any) -> None:
    """Copy the pieces ``buffer[start:end]`` one after the other into `out`."""
    k = 0
    for piece in range(start.size):
        for i in range(start[piece], end[piece]):
            out[k] = buffer[i]
            k += 1


@compiled()
def murmur64(blob: Any, ends: Any, seed: Any, out: Any) -> None:
    """MurmurHash64A of each word: the hash by which spaCy names its strings."""
    m = np.uint64(0xC6A4A7935BD1E995)
    r = np.uint64(47)
    start = 0
    for w in range(ends.size):
        end = np.int64(ends[w])
        size = end - start
        h = np.uint64(seed) ^ (np.uint64(size) * m)
        whole = start + size // 8 * 8
        for i in range(start, whole, 8):
            k = np.uint64(0)
            for b in range(8):
                k |= np.uint64(blob[i + b]) << np.uint64(8 * b)
            k *= m
            k ^= k >> r
            h = (h ^ (k * m)) * m
        if whole < end:
            for b in range(end - whole):
                h ^= np.uint64(blob[whole + b]) << np.uint64(8 * b)
            h *= m
        h ^= h >> r
        h *= m
        out[w] = h ^ (h >> r)
        start = end


@compiled()
def sum_subwords(
    word: Any, least: int, most: int, first: int, buckets: int, table: Any, total: Any
) -> int:
    """Add the rows of a word's character n-grams to `total`; returns how many there were.

    The n-grams of ``<word>`` have `least` to `most` characters (not bytes), without ``<`` and
    ``>`` by themselves; each is hashed to one of `buckets` rows that begin at row `first`
    (Bojanowski et al. 2017, section 3.2). The hash is FNV-1a, 32 bits, on signed bytes.
    """
    count, size = 0, word.size
    for i in range(size):
        if word[i] & 0xC0 == 0x80:  # inside a character
            continue
        digest = np.uint32(2166136261)
        j, characters = i, 0
        while j < size and characters < most:
            inside = False
            while j < size and (not inside or word[j] & 0xC0 == 0x80):
                signed = np.uint32(np.int32(np.int8(word[j])))
                digest = np.uint32((digest ^ signed) * np.uint32(16777619))
                inside = True
                j += 1
            characters += 1
            alone = characters == 1 and (i == 0 or j == size)
            if characters >= least and not alone:
                row = first + np.int64(digest % np.uint32(buckets))
                for d in range(total.size):
                    total[d] += table[row, d]
                count += 1
    return count
