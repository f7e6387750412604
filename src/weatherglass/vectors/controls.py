"""Controls: the same vectors without word frequency, without their mean or main axes, or whitened.

A control never replaces a measurement. It answers whether an effect is also there without
something that vectors have for other reasons than meaning.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import cpu_count, map_in_order
from weatherglass.errors import CannotMeasure, UsageError, quote_safe

from .anisotropy import RowMap, fit_centering, fit_top, fit_whitening
from .frequency import KNOTS, WordFrequencies, fit_recolouring, informative_counts
from .open import VectorsSource, open_vectors
from .predictability import FrequencySample
from .vectors import EPSILON, Floats, Positions, Vectors, row_blocks, unit_rows, unusable_rows
from .vocabulary_sample import is_alphabetical

R2_THRESHOLD = 0.25  # ``auto`` controls for frequency above this R²
REMAINING_R2 = 0.10  # above this R², messages say that frequency remains after the control
# With fewer words, covariances are noise and an R² says little.
MIN_WORDS, MIN_WORDS_PER_DIM = 1000, 20
_CHECKED_WORDS = 4096  # whether these are in alphabetical order
_CACHED_ROWS = 1024  # mapped at a time, so that the intermediate rows stay small

NAMES = "frequency, center, top:K, whiten, auto or none"
_PART = re.compile(r"frequency|center|whiten|top:0*([1-9][0-9]{0,5})")

Progress = Callable[[int, int], None]


def parse_control(name: str) -> str:
    """Return the canonical name of a control, or raise `UsageError`.

    Controls joined by ``+`` are applied one after the other.

    >>> parse_control("frequency + top:02")
    'frequency+top:2'
    """
    text = name.strip() if isinstance(name, str) else ""
    if text in ("auto", "none"):
        return text
    parts = []
    for part in text.split("+"):
        match = _PART.fullmatch(part.strip())
        if match is None:
            raise UsageError(
                f"control is {quote_safe(str(name))}; expected {NAMES}, or several joined by "
                "'+', such as frequency+top:2."
            )
        parts.append(f"top:{match[1]}" if match[1] else match[0])
    return "+".join(parts)


def parse_controls(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return the canonical names of several controls, each once; ``none`` is left out.

    >>> parse_controls("frequency,top:2"), parse_controls(["none"])
    (('frequency', 'top:2'), ())
    """
    listed = [names] if isinstance(names, str) else list(names)
    parsed = [parse_control(name) for text in listed for name in str(text).split(",")]
    return tuple(dict.fromkeys(name for name in parsed if name != "none"))


def parse_single_control(names: str | Iterable[str]) -> str:
    """Return the one control to measure with, for measurements on controlled vectors only.

    >>> parse_single_control("frequency+top:2"), parse_single_control([])
    ('frequency+top:2', 'none')
    """
    parsed = parse_controls(names)
    if len(parsed) > 1:
        raise UsageError(
            f"This measures on the controlled vectors only, so give one control instead of "
            f"{', '.join(parsed)}, or join them by '+': {'+'.join(parsed)}."
        )
    return parsed[0] if parsed else "none"


def control_phrase(name: str) -> str:
    """Return what a control takes away, to follow an effect in a sentence.

    >>> control_phrase("frequency"), control_phrase("frequency+top:2")
    ('without frequency', 'without frequency and the top 2 components')
    """
    parts = name.split("+")
    removed = [_removed(part) for part in parts if part != "whiten"]
    phrases = [f"without {' and '.join(removed)}"] if removed else []
    return ", ".join(phrases + ["whitened"] * ("whiten" in parts))


def _removed(part: str) -> str:
    if part.startswith("top:"):
        count = part.partition(":")[2]
        return "the top component" if count == "1" else f"the top {count} components"
    return {"center": "the mean"}.get(part, part)


@dataclass(frozen=True)
class Control:
    """What a control did to the vectors.

    Attributes
    ----------
    method
        The control that was applied, such as ``"frequency"`` or ``"top:2"``; ``"none"`` if the
        vectors are unchanged.
    r2_before, r2_after
        How well log frequency is predicted from the unit vectors: the share of its variance, out
        of sample, by the best of three predictors. `None` if that was not computed: for controls
        without frequency, with too few words, and `r2_after` also if the vectors are unchanged.
    asked
        The control requested, such as ``"auto"``.
    by
        Where frequency comes from: ``"counts"`` of words in the training text, or ``"rank"``, the
        file order, if the source has no counts or hardly any that differ.
    threshold
        The R² above which ``"auto"`` controls for frequency.
    predictors_before, predictors_after
        R² of each predictor: 20 nearest ``neighbours``, boosted ``trees``, and ``linear``.
    reason
        Why the control could not be applied, if so.
    """

    method: str
    r2_before: float | None = None
    r2_after: float | None = None
    asked: str = "auto"
    by: str = "rank"
    threshold: float = R2_THRESHOLD
    predictors_before: dict[str, float] = field(default_factory=dict)
    predictors_after: dict[str, float] = field(default_factory=dict)
    reason: str = ""


@dataclass(frozen=True, eq=False)
class FittedControl:
    """A control fitted to vectors: gives controlled rows of a few words, or of all.

    Attributes
    ----------
    vectors
        The vectors that it was fitted to.
    control
        What it does.
    """

    vectors: Vectors
    control: Control
    maps: tuple[RowMap, ...] = field(default=(), repr=False)

    def rows(self, positions: Positions) -> Floats:
        """Return controlled unit rows; zeros for rows that have no direction, or none left."""
        rows = unit_rows(self.vectors, positions)
        is_usable = rows.any(axis=1)
        for row_map in self.maps:
            rows = row_map.apply(rows, positions)
            norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
            is_usable &= norms >= EPSILON
            rows /= np.maximum(norms, EPSILON)[:, None]
            rows[~is_usable] = 0
        return rows

    def subset(self, words: Iterable[str]) -> Vectors:
        """Return the controlled vectors of these words; missing words are ignored."""
        subset = self.vectors.subset(words)
        if not self.maps:
            return subset
        positions = self.vectors.words.find(list(subset.words))
        with _single_blas_thread():
            return self._replace(subset, self.rows(positions).astype(subset.matrix.dtype))

    def whole(self, workers: int | None = None, progress: Progress | None = None) -> Vectors:
        """Return the controlled vectors of all words."""
        if not self.maps:
            return self.vectors
        matrix = np.empty_like(self.vectors.matrix, subok=False)

        def write(block: slice) -> int:
            for start in range(block.start, block.stop, _CACHED_ROWS):
                positions = np.arange(start, min(start + _CACHED_ROWS, block.stop))
                matrix[positions[0] : positions[-1] + 1] = self.rows(positions)
            return int(block.stop)

        blocks = list(row_blocks(len(matrix)))
        with _single_blas_thread():
            for end in map_in_order(write, blocks, workers or cpu_count()):
                if progress is not None:
                    progress(end, len(matrix))
        controlled = self._replace(self.vectors, matrix)
        if len(controlled.unusable) == len(matrix):
            raise CannotMeasure(
                f"Nothing is left of {self.vectors.source} {control_phrase(self.control.method)}: "
                "no vector has a direction any more."
            )
        return controlled

    def _replace(self, vectors: Vectors, matrix: NDArray[np.float32]) -> Vectors:
        matrix.flags.writeable = False
        return dataclasses.replace(
            vectors,
            bootstraps=(),  # they are not controlled
            matrix=matrix,
            fingerprint=controlled_fingerprint(vectors.fingerprint, self.control.method),
            unusable=unusable_rows(matrix),
        )


def fit_control(
    vectors: Vectors, name: str = "auto", *, strict: bool = True, workers: int | None = None
) -> FittedControl:
    """Fit a control to a complete embedding; the parameters are those of `control`.

    Where the control cannot be fitted, raise `CannotMeasure`; unless `strict`, return a control
    that changes nothing and states the reason.
    """
    asked, workers = parse_control(name), workers or cpu_count()
    by = "rank" if informative_counts(vectors) is None else "counts"
    problem = _find_problem(vectors, asked)
    # Words without ranks are a mistake of the caller, too few words are a property of the file.
    if problem and strict and asked != "none" and (vectors.part or asked != "auto"):
        raise CannotMeasure(f"{vectors.source} cannot be controlled ({asked}): {problem}.")
    if problem:
        return FittedControl(vectors, Control("none", asked=asked, by=by, reason=problem))
    frequencies = WordFrequencies.of(vectors)
    record = Control("none", asked=asked, by=by)
    with _single_blas_thread():
        sample = FrequencySample.of(frequencies)
        if "frequency" in asked or asked in ("auto", "none"):
            before = sample.predictability(FittedControl(vectors, record).rows)
            record = dataclasses.replace(
                record, r2_before=before.largest, predictors_before=dataclasses.asdict(before)
            )
        is_strong = record.r2_before is not None and record.r2_before > R2_THRESHOLD
        if asked == "none" or (asked == "auto" and not is_strong):
            return FittedControl(vectors, record)
        method = "frequency" if asked == "auto" else asked
        fitted = FittedControl(vectors, dataclasses.replace(record, method=method))
        for part in method.split("+"):
            row_map = _fit_map(part, fitted, frequencies, workers)
            fitted = dataclasses.replace(fitted, maps=(*fitted.maps, row_map))
        if "frequency" in method:
            after = sample.predictability(fitted.rows)
            record = dataclasses.replace(
                fitted.control, r2_after=after.largest, predictors_after=dataclasses.asdict(after)
            )
            fitted = dataclasses.replace(fitted, control=record)
    return fitted


def _fit_map(
    part: str, fitted: FittedControl, frequencies: WordFrequencies, workers: int
) -> RowMap:
    """Fit one control to the rows that the previous ones give."""
    order = frequencies.order
    if part == "frequency":
        return fit_recolouring(fitted.rows, frequencies, fitted.vectors.dim, workers)
    if part == "center":
        return fit_centering(fitted.rows, order, workers)
    if part == "whiten":
        return fit_whitening(fitted.rows, order, workers)
    return fit_top(fitted.rows, order, workers, int(part.removeprefix("top:")))


def control(
    vectors: VectorsSource,
    method: str = "auto",
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> tuple[Vectors, Control]:
    """Remove word frequency, the mean or the main axes from vectors, or whiten them.

    Parameters
    ----------
    vectors
        A complete embedding, whose words are sorted by frequency or have counts: whatever
        `open_vectors` accepts.
    method
        ``frequency`` gives rare and frequent words the same mean and covariance; ``center``
        removes the mean of the unit vectors; ``top:K``, such as ``top:2``, removes the mean and
        the first K principal components; ``whiten`` removes the mean and maps the covariance to
        the identity. Controls joined by ``+``, such as ``frequency+top:2``, are applied one after
        the other. ``none`` only computes R², and ``auto`` is ``frequency`` if R² is above 0.25.
    workers
        Threads; all processors by default. The result does not depend on their number.
    progress
        Called with the number of rows done and the total number.

    Returns
    -------
    vectors, control
        Unit vectors after the control (or the unchanged vectors), and what was done. A row that
        has no direction left becomes zeros and is listed in `unusable`.

    Raises
    ------
    CannotMeasure
        Only some words were opened, so that their ranks are unknown; there are fewer than 1000
        usable words, or fewer than 20 for each dimension; or frequency is to be removed and the
        words are in alphabetical order without counts.

    Notes
    -----
    Mean and principal components are those of the unit vectors of the 60,000 most frequent usable
    words, each with the same weight. Whitening raises variances below 1/10,000 of their mean to
    that. Every control is followed by normalisation.

    The frequency control works with 16 knots, equally spaced in log rank from rank 50 to the last.
    μ and Σ of a knot are the mean and covariance of the unit vectors around it, with triangular
    weights of half-width 1.5 knots times 1 / max(rank, 2D) in D dimensions; Σ is shrunk towards
    the average Σ̄ of all knots. With A = Σ^(-1/2) Σ̄^(1/2), a vector v at the fraction f of the way
    from knot k to the next becomes (1 - f)(v - μ)A_k + f(v - μ)A_{k+1}, where μ is interpolated
    likewise. Words of the same count share a rank.

    R² is out of sample: of 9,000 words drawn from the 60,000 most frequent, 7,000 are used to fit
    and 2,000 to predict. It is the largest R² of 20 nearest neighbours, boosted trees and a linear
    fit. What remains after the control may be meaning, because rare words are other words.

    References
    ----------
    .. [1] J. Mu, P. Viswanath (2018). All-but-the-top: simple and effective postprocessing for
       word representations. ICLR.

    Examples
    --------
    >>> import weatherglass as wg
    >>> vectors, control = wg.control(wg.open_vectors("default"), "frequency")
    >>> control.method, round(control.r2_before, 1), control.r2_after < 0.1
    ('frequency', 0.9, True)
    """
    fitted = fit_control(open_vectors(vectors), method, workers=workers)
    return fitted.whole(workers, progress), fitted.control


def _find_problem(vectors: Vectors, name: str) -> str:
    """Return why a control cannot be fitted; an empty text if it can."""
    if vectors.part:
        return (
            "only some of its words were opened, so it is not known how frequent each is and how "
            "all are distributed; open all words, control, and then select words"
        )
    usable = len(vectors) - len(vectors.unusable)
    min_words = max(MIN_WORDS, MIN_WORDS_PER_DIM * vectors.dim)
    if usable < min_words:
        return (
            f"it has {usable:,} usable words, but with {vectors.dim} dimensions at least "
            f"{min_words:,} are needed"
        )
    for part in name.split("+"):
        if part.startswith("top:") and int(part[4:]) >= vectors.dim:
            return f"{part} leaves nothing of {vectors.dim} dimensions"
    needs_frequency = name in ("auto", "none") or "frequency" in name.split("+")
    if needs_frequency and informative_counts(vectors) is None:
        step = max(1, len(vectors) // _CHECKED_WORDS)
        if is_alphabetical([vectors.words[k] for k in range(0, len(vectors), step)]):
            return (
                "its words are in alphabetical order and have no counts, so it is not known how "
                "frequent they are"
            )
    return ""


def controlled_fingerprint(fingerprint: str, method: str) -> str:
    """Return the fingerprint that vectors with this fingerprint have after a control."""
    recipe = f"{fingerprint} {method}, {KNOTS} knots"
    return hashlib.blake2b(recipe.encode(), digest_size=16).hexdigest()


def _single_blas_thread() -> AbstractContextManager[object]:
    """Limit BLAS to one thread: blocks are shared between threads that are started here, and sums
    must not depend on the number of processors."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(limits=1, user_api="blas")
    return limits
