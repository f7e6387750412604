"""SEAT: association tests whose items are sentences (May et al., NAACL 2019)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from weatherglass.catalog import Test
from weatherglass.significance import PermutationMethod, PValue, permutation_p
from weatherglass.vectors import Vectors

from .weat import NOISE, WeatResult, effect, weat

PAPER_LIMIT = 100_000


@dataclass(frozen=True, kw_only=True)
class SeatResult(WeatResult):
    """The result of one association test on one encoder.

    Attributes
    ----------
    level
        ``"word"`` or ``"sentence"``.
    effect_by_word, p_by_word
        The same test with one association a word, the mean over the sentences made from it. The
        sentences of a word are near-copies of each other; counted one by one they overstate the
        evidence.
    n_words
        The number of words behind the sentences of X and Y.

    All else is as for `WeatResult`; the words are sentences.
    """

    measure: ClassVar[str] = "seat"

    level: str = "sentence"
    effect_by_word: float | None = None
    p_by_word: PValue | None = None
    n_words: dict[str, int] = field(default_factory=dict)


def seat_test(
    encoded: Vectors, test: Test, *, method: PermutationMethod | str = "auto", **options: Any
) -> SeatResult:
    """Run one association test on sentences that have been encoded.

    Parameters
    ----------
    encoded
        The sentences and their vectors.
    test
        A test of the catalogue, or one that `weatherglass.catalog.to_sentences` has made.
    method
        As for `weat`; ``"paper"`` is the supplement's rule: exact up to 100,000 partitions,
        otherwise 99,999 sampled ones and the observed one.
    options
        As for `weat`.
    """
    chosen: Any = method
    if method == "paper":
        n, m = (int((encoded.words.find(one.words) >= 0).sum()) for one in (test.x, test.y))
        few = math.comb(n + m, n) <= PAPER_LIMIT
        chosen = "exact" if few else "sample"
    plain = weat(encoded, test, method=chosen, case="keep", **options)
    fields: dict[str, Any] = {
        one.name: getattr(plain, one.name) for one in dataclasses.fields(plain)
    }
    fields["options"] = plain.options | {"method": method}
    if plain.status == "not run":
        return SeatResult(level=test.level, **fields)
    x, y = (_by_word(plain, name, test.sets[name]) for name in "XY")
    about: dict[str, Any] = {"n_words": {"X": len(x), "Y": len(y)}}
    if min(len(x), len(y)) >= 2 and np.std([*x, *y]) > 0:
        about["effect_by_word"] = effect(x, y, plain.options["ddof"])
        same = chosen == "auto" and not (test.x.origins or test.y.origins)
        about["p_by_word"] = (
            plain.p
            if same
            else permutation_p(x, y, alternative=plain.options["alternative"], resolution=NOISE)
        )
    return SeatResult(level=test.level, **about, **fields)


def _by_word(result: WeatResult, name: str, items: Any) -> list[float]:
    """The mean association over the sentences of each word."""
    origin: dict[str, str] = dict(zip(items.words, origins(items), strict=True))
    sums: dict[str, list[float]] = {}
    for sentence, value in zip(result.words[name], result.associations[name], strict=True):
        sums.setdefault(origin[sentence], []).append(value)
    return [float(np.mean(values)) for values in sums.values()]


def origins(items: Any) -> Sequence[str]:
    """The word that each item was made from; a plain word is its own."""
    made: Sequence[str] = getattr(items, "origins", ()) or items.words
    return made
