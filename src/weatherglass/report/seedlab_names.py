"""What seed sets and sources are called in a picture."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath

from weatherglass.report.words import spelled
from weatherglass.seedlab.record import Experiment

_STUDY = re.compile(r"(.+)-([^-]*_(?:19|20)\d\d)")


def set_name(id: str) -> str:
    """A seed set's id as it is read.

    >>> set_name("female_1-Caliskan_et_al_2017"), set_name("my_words")
    ('female 1 (Caliskan et al. 2017)', 'my words')
    """
    name, study = _parts(id)
    return f"{name} ({study})" if study else name


def pair_name(x: str, y: str) -> str:
    """The ids of two seed sets as they are read; of one study, it is named once.

    >>> pair_name("career-Caliskan_et_al_2017", "family-Caliskan_et_al_2017")
    'career / family (Caliskan et al. 2017)'
    """
    (first, one), (second, other) = _parts(x), _parts(y)
    if one != other:
        return f"{set_name(x)} / {set_name(y)}"
    return f"{first} / {second}" + (f" ({one})" if one else "")


def _parts(id: str) -> tuple[str, str]:
    """What a set is called, and the study that used it."""
    name, study = id, ""
    while found := _STUDY.fullmatch(name):  # one id of the catalogue names its study twice
        name, study = found[1], found[2]
    return spelled(name), spelled(study).replace(" et al ", " et al. ")


def source_labels(experiments: Iterable[Experiment]) -> dict[str, str]:
    """A short name for each source: of a path its last part, or two where these are the same."""
    names = list(dict.fromkeys(one.source["name"] for one in experiments))
    last = {name: PurePath(name).name or name for name in names}
    times = Counter(last.values())
    return {
        name: spelled(
            short if times[short] == 1 else "/".join(PurePath(name).parts[-2:]), phrase=False
        )
        for name, short in last.items()
    }
