"""Trained models as files, and folders of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import atomic_write
from weatherglass.errors import (
    BadContent,
    SourceNotFound,
    UsageError,
    did_you_mean,
    join_first,
    quote_safe,
)
from weatherglass.vectors import Vectors, open_vectors

RECORD = "train.json"
SUFFIX = ".parquet"
_KEY = b"weatherglass.model"


class Model(NamedTuple):
    """A trained model: its label, such as ``full``, ``boot-007`` or ``F/boot-007``, and vectors."""

    label: str
    vectors: Vectors

    @property
    def group(self) -> str:
        """The group's folder, or nothing if the corpus was not divided."""
        return self.label.rpartition("/")[0]

    @property
    def is_full(self) -> bool:
        """Whether it was trained on all documents, not on a sample."""
        return self.label.rpartition("/")[2] == "full"


def label_of(folder: str, sample: int | None) -> str:
    """The label of a model in a group's folder.

    >>> label_of("F", 7), label_of("", None)
    ('F/boot-007', 'full')
    """
    name = "full" if sample is None else f"boot-{sample:03}"
    return f"{folder}/{name}" if folder else name


def write_model(
    path: Path,
    words: Sequence[str],
    counts: NDArray[np.int64],
    table: NDArray[np.float32],
    key: str,
) -> None:
    """Write words, vectors and counts, the most frequent first; whole, or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    order = np.argsort(-counts, kind="stable")
    flat = pa.array(np.ascontiguousarray(table[order]).ravel())
    columns = {
        "word": pa.array([words[i] for i in order.tolist()], pa.string()),
        "vector": pa.FixedSizeListArray.from_arrays(flat, table.shape[1]),
        "count": pa.array(counts[order]),
    }
    made = pa.table(columns).replace_schema_metadata({_KEY: key})
    with atomic_write(path) as temporary:
        pq.write_table(made, temporary, compression="zstd")


def is_model(path: Path, key: str) -> bool:
    """Whether a file is the model with this key."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_schema(path).metadata or {}
    except (pa.ArrowException, OSError, ValueError):
        return False
    return bool(found.get(_KEY) == key.encode())


def read_record(folder: Path) -> dict[str, Any]:
    """What `train` noted about the models in a folder."""
    try:
        record = json.loads((folder / RECORD).read_text())
        if isinstance(record["models"], dict) and isinstance(record["groups"], dict):
            return {"notes": [], **record}
    except FileNotFoundError:
        raise SourceNotFound(
            f"{folder} is no folder of models: it has no {RECORD} from `weatherglass train`."
        ) from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadContent(f"{folder / RECORD} cannot be read ({error}).") from None
    raise BadContent(f"{folder / RECORD} is not what `weatherglass train` writes.")


def open_models(
    folder: str | Path, *, group: str | None = None, words: Iterable[str] | None = None
) -> list[Model]:
    """Open the models that `train` has written: of each group the full one, then the bootstraps.

    Parameters
    ----------
    folder
        The folder; models that are not finished are passed over.
    group
        Only the models of this group, by its value in the column that divided the corpus.
    words
        Only these words.

    Returns
    -------
    list of Model
        Pairs of a label and `Vectors`.

    Examples
    --------
    >>> import tempfile
    >>> from weatherglass.corpus import train
    >>> texts = ["the sea was calm and the sky was clear"] * 5 + ["the sea was high"] * 5
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     trained = train(texts, folder, method="ppmi-svd", dim=3, bootstrap=2, workers=1)
    ...     [(label, len(vectors)) for label, vectors in open_models(folder)]
    [('full', 3), ('boot-000', 3), ('boot-001', 3)]
    """
    place = Path(folder)
    record = read_record(place)
    chosen = _of_group(record, group)
    asked = None if words is None else list(words)
    found = [
        Model(label, open_vectors(place / f"{label}{SUFFIX}", words=asked))
        for label in chosen
        if (place / f"{label}{SUFFIX}").exists()
    ]
    if not found:
        raise BadContent(
            f"{place} holds no finished model yet: run `weatherglass train` on it again, which "
            "goes on where it stopped."
        )
    return found


def _of_group(record: dict[str, Any], group: str | None) -> list[str]:
    labels = [str(label) for label, state in record["models"].items() if state == "done"]
    if group is None:
        return labels
    if group not in record["groups"]:
        raise UsageError(
            f"There is no group {quote_safe(group)}; there are {join_first(map(quote_safe, record['groups']), 20)}."
            + did_you_mean(group, record["groups"])
        )
    folder = record["groups"][group].get("folder")
    return [label for label in labels if label.rpartition("/")[0] == folder]
