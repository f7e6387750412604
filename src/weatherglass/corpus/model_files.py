"""Trained models as files: write one, open the models of a folder, read its `train.json`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weatherglass._files import atomic_write, unseal
from weatherglass.errors import (
    BadContent,
    SourceNotFound,
    UsageError,
    did_you_mean,
    join_first,
    quote_safe,
)
from weatherglass.vectors import TRAIN_RECORD, Vectors, open_vectors

from .permutation import list_permuted

RECORD = TRAIN_RECORD
SUFFIX = ".parquet"
_METADATA_KEY = b"weatherglass.model"


class Model(NamedTuple):
    """A trained model: a label, such as ``full``, ``boot-007`` or ``F/boot-007``, and vectors."""

    label: str
    vectors: Vectors

    def __repr__(self) -> str:
        return f"<Model {self.label}: {len(self.vectors):,} words × {self.vectors.dim}>"

    @property
    def group(self) -> str:
        """The folder of the group; empty if the corpus was not divided into groups."""
        return self.label.rpartition("/")[0]

    @property
    def is_full(self) -> bool:
        """Whether it was trained on all documents, not on a bootstrap sample."""
        return self.label.rpartition("/")[2] == "full"


def label_of(folder: str, sample: int | None) -> str:
    """Return the label of a model in the folder of a group.

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
    """Write words, vectors and counts, the most frequent first, atomically."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    order = np.argsort(-counts, kind="stable")
    flat = pa.array(np.ascontiguousarray(table[order]).ravel())
    columns = {
        "word": pa.array([words[i] for i in order.tolist()], pa.string()),
        "vector": pa.FixedSizeListArray.from_arrays(flat, table.shape[1]),
        "count": pa.array(counts[order]),
    }
    model = pa.table(columns).replace_schema_metadata({_METADATA_KEY: key})
    with atomic_write(path) as temporary:
        pq.write_table(model, temporary, compression="zstd", write_page_checksum=True)


def is_model(path: Path, key: str) -> bool:
    """Return whether a file is the model with this key."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_schema(path).metadata or {}
    except (pa.ArrowException, OSError, ValueError):
        return False
    return bool(metadata.get(_METADATA_KEY) == key.encode())


def read_record(folder: Path) -> dict[str, Any]:
    """Return the record that `train` wrote about the models in a folder."""
    try:
        record = unseal((folder / RECORD).read_text())
        if isinstance(record["models"], dict) and isinstance(record["groups"], dict):
            return {"notes": [], "permuted": {}, **record}
    except FileNotFoundError:
        raise SourceNotFound(
            f"{folder} is not a folder of models: it has no {RECORD} from `weatherglass train`."
        ) from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadContent(f"{folder / RECORD} cannot be read ({error}).") from None
    raise BadContent(f"{folder / RECORD} was not written by `weatherglass train`.")


def language_of_models(source: str | Path) -> str | None:
    """Return the language of the corpus that trained vectors are of; None if it is not known.

    `source` is a folder of `train`, or a file in it or in the folder of a group.
    """
    path = Path(str(source).partition("?")[0])
    for folder in (path, *path.parents[:2]):
        try:
            if (folder / RECORD).is_file():
                language = read_record(folder).get("language")
                return language if isinstance(language, str) else None
        except (OSError, BadContent, ValueError):
            return None
    return None


def open_models(
    folder: str | Path, *, group: str | None = None, words: Iterable[str] | None = None
) -> list[Model]:
    """Open the models in a folder of `train`: for each group the full one, then the bootstraps.

    Parameters
    ----------
    folder
        The folder; unfinished models are skipped.
    group
        Only the models of this group, by its value in the column that divided the corpus.
    words
        Read only these words.

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
    folder = Path(folder)
    record = read_record(folder)
    word_list = None if words is None else list(words)
    paths = {label: folder / f"{label}{SUFFIX}" for label in _finished_labels(record, group)}
    models = [
        Model(label, open_vectors(path, words=word_list))
        for label, path in paths.items()
        if path.exists()
    ]
    if not models:
        raise BadContent(
            f"{folder} holds no finished model yet. Run `weatherglass train` on it again to "
            "resume the training."
        )
    return models


def open_permuted(
    folder: str | Path, pair: tuple[str, str], permutations: int
) -> list[tuple[Vectors, Vectors]]:
    """Open the models of two groups whose documents were exchanged at random.

    Parameters
    ----------
    folder
        A folder of `train`.
    pair
        The two groups. The first model of each permutation is of as many documents as the first
        group has, in whichever order they are given.
    permutations
        How many to open, from the first one on; fewer are returned if there are fewer.
    """
    folder = Path(folder)
    record = read_record(folder)
    labels = list_permuted(record["groups"], permutations, None)
    opened: dict[tuple[int, str], Vectors] = {}
    for label, permuted in labels.items():
        groups = (permuted.first, permuted.second)
        if {*pair} == {*groups} and record["permuted"].get(label) == "done":
            path = folder / f"{label}{SUFFIX}"
            opened[permuted.number, groups[permuted.side]] = open_vectors(path)
    return [
        (opened[number, pair[0]], opened[number, pair[1]])
        for number in range(permutations)
        if all((number, name) in opened for name in pair)
    ]


def _finished_labels(record: dict[str, Any], group: str | None) -> list[str]:
    """Return the labels of the finished models, of all groups or of one."""
    labels = [str(label) for label, state in record["models"].items() if state == "done"]
    if group is None:
        return labels
    if group not in record["groups"]:
        names = join_first(map(quote_safe, record["groups"]), 20)
        raise UsageError(
            f"There is no group {quote_safe(group)}; the groups are {names}."
            + did_you_mean(group, record["groups"])
        )
    folder = record["groups"][group].get("folder")
    return [label for label in labels if label.rpartition("/")[0] == folder]
