"""Compiled inner loops of the readers. Import them where a file is read: numba is slow to import.

The kernels work on bytes, not text. They parse ordinary rows at full speed and flag the rows whose
value they are not certain of, which `text.parse_line` then parses in Python.

Every buffer of lines ends in a newline, and `inputs.PADDING` bytes after it may be read, so that
the loops need not check for the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.extending import intrinsic

from weatherglass._numba import compiled

SPACE, TAB, NEWLINE, RETURN = 32, 9, 10, 13
_MINUS, _PLUS, _POINT, _ZERO, _NINE, _UPPER_E, _LOWER_E = (ord(c) for c in "-+.09Ee")
CERTAIN, UNCERTAIN = np.uint8(0), np.uint8(1)

_MAX_EXPONENT = 270
_POWERS_OF_10 = np.array([float(f"1e{k}") for k in range(_MAX_EXPONENT + 1)])
_INTEGER_POWERS_OF_10 = 10 ** np.arange(9)
_FULL_MANTISSA = 10**17  # further digits are below the error that `_scale` allows for
_MAX_BEFORE_EIGHT = 10**9  # a mantissa that can take eight more digits
_MAX_EXACT_INTEGER = 2**53
_MAX_EXACT_EXPONENT = 22  # 10**22 is the largest power of ten that a double holds exactly
_RELATIVE_ERROR = 8.9e-16  # four units in the last place of a double
_FNV_OFFSET = np.uint64(0xCBF29CE484222325)
_FNV_PRIME = np.uint64(0x100000001B3)

_memchr = types.ExternalFunction("memchr", types.uintp(types.uintp, types.int32, types.uintp))


@intrinsic
def _load1(typingctx: Any, address: Any) -> Any:
    """Load the byte at an address."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        return builder.load(pointer)

    return types.uint8(types.uintp), codegen


@intrinsic
def _load8(typingctx: Any, address: Any) -> Any:
    """Load eight bytes from any address as a little-endian integer."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.load(pointer, align=1)

    return types.uint64(types.uintp), codegen


@intrinsic
def _trailing_zeros(typingctx: Any, value: Any) -> Any:
    """Count the zero bits at the low end of an integer."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), codegen


@compiled()
def _find_newline(buffer: Any, size: int, i: int) -> int:
    """Return the index of the first newline at or after `i`."""
    base = buffer.ctypes.data
    address = _memchr(base + np.uintp(i), np.int32(NEWLINE), np.uintp(size - i))
    return np.int64(address - base)


# The helpers below take the address of a buffer instead of the array: numba would count references
# to the array in every call, which takes half as long again as parsing.


@compiled(inline="always")
def _byte(base: Any, i: int) -> Any:
    """Return byte `i` after the address `base`."""
    return _load1(base + np.uintp(i))


@compiled(inline="always")
def _digits8(address: Any) -> tuple[Any, Any]:
    """Return how many of the eight characters at `address` are leading digits, and their value."""
    # A digit XOR '0' is 0 to 9: its high nibble is empty, also after adding 6.
    digits = _load8(address) ^ np.uint64(0x3030303030303030)
    others = (digits | (digits + np.uint64(0x0606060606060606))) & np.uint64(0xF0F0F0F0F0F0F0F0)
    n = _trailing_zeros(others) >> np.uint64(3)
    if n == 0:
        return np.int64(0), np.int64(0)
    # Shift out what follows, so that zeros lead; then combine pairs, fours and eights in parallel.
    x = digits << (np.uint64(64) - (n << np.uint64(3)))
    x = ((x * np.uint64(2561)) >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)
    x = ((x * np.uint64(6553601)) >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)
    x = (x * np.uint64(42949672960001)) >> np.uint64(32)
    return np.int64(n), np.int64(x)


@compiled(inline="always")
def _parse_mantissa(base: Any, i: int) -> tuple[int, int, int, bool]:
    """Parse the digits and the decimal point of a number from byte `i` on.

    Returns the index after them, the digits as an integer, the power of ten to multiply it with,
    and whether there was a digit.
    """
    start, mantissa, exponent = i, 0, 0
    c = _byte(base, i)
    while _ZERO <= c <= _NINE:
        if mantissa < _FULL_MANTISSA:
            mantissa = mantissa * 10 + (c - _ZERO)
        else:
            exponent += 1
        i += 1
        c = _byte(base, i)
    digits = i - start
    if c == _POINT:
        i += 1
        start = i
        if mantissa < _MAX_BEFORE_EIGHT:
            count, value = _digits8(base + np.uintp(i))
            mantissa = mantissa * _INTEGER_POWERS_OF_10[count] + value
            i += count
            exponent -= count
        c = _byte(base, i)
        while _ZERO <= c <= _NINE:
            if mantissa < _FULL_MANTISSA:
                mantissa = mantissa * 10 + (c - _ZERO)
                exponent -= 1
            i += 1
            c = _byte(base, i)
        digits += i - start
    return i, mantissa, exponent, digits > 0


@compiled(inline="always")
def _parse_exponent(base: Any, i: int) -> tuple[int, int, bool]:
    """Parse the sign and the digits after an ``e``.

    Returns the index after them, the exponent, and whether it is valid and of reasonable size.
    """
    c = _byte(base, i)
    is_negative = c == _MINUS
    if is_negative or c == _PLUS:
        i += 1
        c = _byte(base, i)
    power, start = 0, i
    while _ZERO <= c <= _NINE:
        power = min(power * 10 + (c - _ZERO), 9999)
        i += 1
        c = _byte(base, i)
    return i, -power if is_negative else power, start < i and power <= 999


@compiled(inline="always")
def _scale(mantissa: int, exponent: int) -> tuple[float, bool]:
    """Return ``mantissa * 10**exponent``, and whether its float32 is certain.

    An integer up to 2**53 and a power of ten up to 10**22 are exact doubles, so that their product
    or quotient is rounded only once. Otherwise the result is within 4 units in the last place; if
    both ends of that range round to the same float32, that float32 is certain.
    """
    is_certain = True
    if exponent < -_MAX_EXPONENT or exponent > _MAX_EXPONENT:
        is_certain, exponent = False, 0
    value = np.float64(mantissa)
    if exponent <= 0:
        value /= _POWERS_OF_10[-exponent]
    else:
        value *= _POWERS_OF_10[exponent]
    if (
        mantissa > _MAX_EXACT_INTEGER
        or exponent < -_MAX_EXACT_EXPONENT
        or exponent > _MAX_EXACT_EXPONENT
    ):
        error = value * _RELATIVE_ERROR
        if np.float32(value - error) != np.float32(value + error):
            is_certain = False
    return value, is_certain


@compiled(inline="always")
def _is_field_end(base: Any, i: int) -> bool:
    """Return whether white space follows, and no carriage return inside the line."""
    c = _byte(base, i)
    if c == RETURN and _byte(base, i + 1) != NEWLINE:
        k = i
        while _byte(base, k) == RETURN or _byte(base, k) == SPACE or _byte(base, k) == TAB:
            k += 1
        return _byte(base, k) == NEWLINE
    return c == SPACE or c == NEWLINE or c == TAB or c == RETURN


@compiled(inline="always")
def _skip_field(base: Any, i: int) -> int:
    """Return the index of the first space, tab or newline at or after `i`."""
    c = _byte(base, i)
    while c != SPACE and c != TAB and c != NEWLINE:
        i += 1
        c = _byte(base, i)
    return i


@compiled(inline="always")
def _parse_number(base: Any, i: int) -> tuple[int, float, bool]:
    """Parse the number at byte `i`: return the index after it, its value, whether that is certain.

    The value is numpy's float32 of the text: the nearest double, then the nearest float32.
    """
    is_negative = _byte(base, i) == _MINUS
    i, mantissa, exponent, is_number = _parse_mantissa(base, i + is_negative)
    is_exponent = True
    if _byte(base, i) == _LOWER_E or _byte(base, i) == _UPPER_E:
        i, power, is_exponent = _parse_exponent(base, i + 1)
        exponent += power
    is_complete = _is_field_end(base, i)
    if not is_complete:
        i = _skip_field(base, i)
    value, is_exact = _scale(mantissa, exponent)
    is_certain = is_number and is_exponent and is_complete and is_exact
    return i, -value if is_negative else value, is_certain


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
    """Parse the lines ``word number … number`` in ``_byte(base, :size)``.

    Blank lines are skipped. Returns the number of rows, the number of lines, and the start of the
    first line with too few fields, where parsing stops (-1 if there is none). ``state[r]`` is
    UNCERTAIN if row r, which is on line ``line[r]`` counted from 1, must be parsed again in Python.
    The output arrays need room for ``size // (dim + 1) + 1`` rows.
    """
    i, row, lines = 0, 0, 0
    base = buffer.ctypes.data
    while i < size:
        begin = i
        i = word_stop = _skip_field(base, i)
        flag = CERTAIN if word_stop > begin else UNCERTAIN
        column = 0
        while column < dim and (_byte(base, i) == SPACE or _byte(base, i) == TAB):
            i, value, is_certain = _parse_number(base, i + 1)
            if not is_certain:
                flag = UNCERTAIN
            rows[row, column] = value
            column += 1
        # After the numbers, only white space may come before the newline.
        while _byte(base, i) == SPACE or _byte(base, i) == TAB or _byte(base, i) == RETURN:
            i += 1
        if _byte(base, i) != NEWLINE:
            flag = UNCERTAIN
            i = _find_newline(buffer, size, i)
        lines += 1
        if (flag == CERTAIN and column == dim) or not _is_blank(buffer, begin):
            if column < dim:
                return row, lines, begin
            word_start[row], word_end[row], line_end[row] = begin, word_stop, i
            line[row], state[row] = lines, flag
            row += 1
        i += 1
    return row, lines, -1


@compiled()
def _is_blank(buffer: Any, i: int) -> bool:
    """Return whether the line that begins at `i` is only white space."""
    while buffer[i] == SPACE or buffer[i] == TAB or buffer[i] == RETURN:
        i += 1
    return buffer[i] == NEWLINE


@compiled()
def _is_special(first: int, last: int) -> bool:
    """Return whether a word with these ends is a special token: ``[PAD]`` or ``<UNK>``."""
    return (first == 91 and last == 93) or (first == 60 and last == 62)


@compiled()
def find_lines(
    buffer: Any, size: int, table: Any, hits: Any, starts: Any
) -> tuple[int, int, int, bool]:
    """Find the lines whose first field is in `table`, an open-addressing table of FNV-1a hashes.

    The starts of these lines go to `hits`, and those of all lines that are not blank to `starts`
    unless it is empty. Returns the number of hits, of lines, and of lines that are not blank, and
    whether any first field has a capital letter A to Z, other than ``[PAD]`` and the like.
    """
    i, count, lines, rows, cased = 0, 0, 0, 0, False
    mask = np.uint64(table.size - 1)
    while i < size:
        begin = i
        digest = _FNV_OFFSET
        capital = False
        c = buffer[i]
        while c != SPACE and c != TAB and c != NEWLINE:
            digest = (digest ^ np.uint64(c)) * _FNV_PRIME
            capital |= 65 <= c <= 90
            i += 1
            c = buffer[i]
        if capital and not _is_special(buffer[begin], buffer[i - 1]):
            cased = True
        lines += 1
        # Only a line that begins with white space may be blank, and hardly any does.
        if (i == begin or buffer[begin] == RETURN) and _is_blank(buffer, begin):
            i = _find_newline(buffer, size, i) + 1
            continue
        if starts.size:
            starts[rows] = begin
        rows += 1
        slot = digest & mask
        while table[slot] != 0:
            if table[slot] == digest:
                hits[count] = begin
                count += 1
                break
            slot = (slot + np.uint64(1)) & mask
        i = _find_newline(buffer, size, i) + 1
    return count, lines, rows, cased


@compiled()
def hash_words(blob: Any, ends: Any, out: Any) -> None:
    """Write the 64-bit FNV-1a hash of each word of a vocabulary to `out`."""
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

    Returns the number of complete records, and the start of the first incomplete one.
    """
    count, size = 0, buffer.size
    while count < word_start.size:
        k = i
        if terminator == SPACE and k < size and buffer[k] == NEWLINE:
            k += 1
        begin = k
        while k < size and buffer[k] != terminator:
            k += 1
        if k + 1 + width > size:
            break
        word_start[count], word_end[count] = begin, k
        count += 1
        i = k + 1 + width
    return count, i


@compiled()
def gather(buffer: Any, start: Any, end: Any, out: Any) -> None:
    """Copy the pieces ``buffer[start:end]`` one after another to `out`."""
    k = 0
    for piece in range(start.size):
        for i in range(start[piece], end[piece]):
            out[k] = buffer[i]
            k += 1


@compiled()
def murmur64(blob: Any, ends: Any, seed: Any, out: Any) -> None:
    """Write MurmurHash64A of each word to `out`: the hash that identifies a string in spaCy."""
    m = np.uint64(0xC6A4A7935BD1E995)
    r = np.uint64(47)
    start = 0
    for w in range(ends.size):
        end = np.int64(ends[w])
        size = end - start
        h = np.uint64(seed) ^ (np.uint64(size) * m)
        tail = start + size // 8 * 8
        for i in range(start, tail, 8):
            k = np.uint64(0)
            for b in range(8):
                k |= np.uint64(blob[i + b]) << np.uint64(8 * b)
            k *= m
            k ^= k >> r
            h = (h ^ (k * m)) * m
        if tail < end:
            for b in range(end - tail):
                h ^= np.uint64(blob[tail + b]) << np.uint64(8 * b)
            h *= m
        h ^= h >> r
        h *= m
        out[w] = h ^ (h >> r)
        start = end


@compiled()
def sum_subwords(
    word: Any, min_length: int, max_length: int, first: int, buckets: int, table: Any, total: Any
) -> int:
    """Add the rows of a word's character n-grams to `total`, and return their number.

    The n-grams of ``<word>`` have `min_length` to `max_length` characters (not bytes); ``<`` and
    ``>`` alone are no n-grams. Each is hashed to one of `buckets` rows that begin at row `first`
    (Bojanowski et al. 2017, section 3.2). The hash is 32-bit FNV-1a on signed bytes.
    """
    count, size = 0, word.size
    for i in range(size):
        if word[i] & 0xC0 == 0x80:  # a continuation byte: no character starts here
            continue
        digest = np.uint32(2166136261)
        j, characters = i, 0
        while j < size and characters < max_length:
            is_inside = False
            while j < size and (not is_inside or word[j] & 0xC0 == 0x80):
                signed = np.uint32(np.int32(np.int8(word[j])))
                digest = np.uint32((digest ^ signed) * np.uint32(16777619))
                is_inside = True
                j += 1
            characters += 1
            is_bracket = characters == 1 and (i == 0 or j == size)
            if characters >= min_length and not is_bracket:
                row = first + np.int64(digest % np.uint32(buckets))
                for d in range(total.size):
                    total[d] += table[row, d]
                count += 1
    return count
