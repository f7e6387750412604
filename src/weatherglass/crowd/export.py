"""`export_crowd_study`: the folder of a study, with pages, tables and texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from weatherglass._files import delimited_text, read_text, report_write_errors, write_text
from weatherglass.discovery import Discovery
from weatherglass.errors import CannotWrite

from .make_study import make_study
from .order import presented_order
from .study import DISCOVERY_FILE, STUDY_FILE, CrowdStudy, StudyOptions, Task
from .task_page import default_texts, group_names, item_text, spell, task_page

PAGES_FOLDER = "pages"
TASKS_FILE, LABEL_STUDIO_FILE = "tasks.csv", "label-studio.json"
_LABEL_STUDIO_CONFIG = """<View>
  <Header value="$instruction"/>
  <Text name="words" value="$text"/>
  <Choices name="answer" toName="words" choice="single-radio" required="true" value="$options"/>
</View>
"""
_README = """Crowd study {id}: {source}

pages/              one page for each task; hand out these, and nothing else of this folder
tasks.csv           the same tasks for survey tools (loop and merge): one row for each item
label-studio.json   the same tasks for Label Studio, with label-studio.xml as its interface
consent.txt, content-warning.txt
                    adapt both, then run the export again: the pages take them over
study.json          the tasks with the key: keep it private
discovery.json      the discovery

Plan {matchers} workers who pass the exam for each matching task, and {raters} raters.

1. Workers do pages/exam.html, then the matching tasks. Each page shows a completion code and saves
   a file of answers.
2. weatherglass crowd import ANSWERS... --study {folder} --write-ratings
   evaluates the answers and writes the pages of the rating tasks for agreed cells.
3. weatherglass crowd import ANSWERS... --study {folder} --page marked.html
   adds the ratings, and marks on the page of the discovery where people agree.
"""


def export_crowd_study(
    discovery: Discovery,
    folder: str | Path | None = None,
    *,
    tests: int = 12,
    names: int = 3,
    shown: int = 5,
    pass_share: float = 0.5,
    matchers: int = 18,
    raters: int = 13,
    one_to_one: bool = False,
    offensive: float = 4.0,
    min_seconds: float = 1.0,
    show_slurs: bool = False,
    rng: int = 0,
) -> CrowdStudy:
    """Make tasks for crowd workers from a discovery: an exam, and words to match to groups.

    Parameters
    ----------
    discovery
        The result of `discover`.
    folder
        Where to write the study: task pages, tables for survey tools and Label Studio, texts to
        adapt, and the key. Without it, nothing is written.
    tests
        How many categories are evaluated, those with the highest scores.
    names, shown
        Names of each group in the exam, and names that stand for a group.
    pass_share
        A worker passes the exam with a larger share of correct answers.
    matchers, raters
        How many workers each matching and each rating task is meant for.
    one_to_one
        Whether a worker may use each group only once in a matching task.
    offensive
        The mean rating from which a cell counts as offensive.
    min_seconds
        A worker who takes less time for an item, on average, is left out as careless.
    show_slurs
        Whether workers see slurs in full; otherwise they are masked.
    rng
        Random seed of the exam's names and of every order.

    Returns
    -------
    CrowdStudy
        The tasks with their key.

    References
    ----------
    .. [1] N. Swinger et al. (2019). What are the biases in my word embedding? AIES 2019.

    Examples
    --------
    >>> import weatherglass as wg
    >>> discovery = wg.discover(wg.open_vectors("default"), groups=4, categories=8, words=2000,
    ...                         rotations=99, name_rank=10_000, control="none", alpha=0.2)
    >>> study = export_crowd_study(discovery, tests=2)
    >>> [(task.id, len(task.options), len(task.items)) for task in study.tasks]
    [('exam', 4, 12), ('match-01', 3, 4), ('match-02', 3, 4)]
    """
    options = StudyOptions(
        tests=tests,
        names=names,
        shown=shown,
        pass_share=pass_share,
        matchers=matchers,
        raters=raters,
        one_to_one=one_to_one,
        offensive=offensive,
        min_seconds=min_seconds,
        show_slurs=show_slurs,
        rng=rng,
    )
    study = make_study(discovery, options)
    if folder is not None:
        study = _with_earlier_ratings(study, Path(folder))
        write_study(study, folder, discovery)
    return study


def write_study(
    study: CrowdStudy, folder: str | Path, discovery: Discovery | None = None
) -> list[Path]:
    """Write the files of a study, and return the pages. ``study.json`` is written last.

    The texts that are in the folder already are kept, and used on the pages.
    """
    home = Path(folder)
    with report_write_errors(home):
        (home / PAGES_FOLDER).mkdir(parents=True, exist_ok=True)
    texts = study_texts(home)
    for name, text in texts.items():
        if not (home / name).exists():
            write_text(home / name, text)
    pages = []
    for task in study.tasks:
        pages.append(home / PAGES_FOLDER / f"{task.id}.html")
        write_text(pages[-1], task_page(study, task, texts))
    for path in set((home / PAGES_FOLDER).glob("rate-*.html")) - set(pages):
        path.unlink(missing_ok=True)  # of cells on which people no longer agree
    write_text(home / TASKS_FILE, delimited_text(_task_rows(study)))
    write_text(home / LABEL_STUDIO_FILE, json.dumps(_label_studio(study), indent=1) + "\n")
    write_text(home / "label-studio.xml", _LABEL_STUDIO_CONFIG)
    options = study.options
    write_text(
        home / "README.txt",
        _README.format(
            id=study.id,
            source=spell(study.source, show_slurs=True),
            folder=home.name,
            matchers=options.matchers,
            raters=options.raters,
        ),
    )
    if discovery is not None:
        write_text(home / DISCOVERY_FILE, discovery.to_json() + "\n")
    write_text(home / STUDY_FILE, study.to_json())
    return pages


def study_texts(folder: Path) -> dict[str, str]:
    """Return the texts of a study, by the names of their files: adapted ones where there are."""
    return {
        name: read_text(folder / name) if (folder / name).is_file() else text
        for name, text in default_texts().items()
    }


def texts_to_adapt(folder: Path) -> list[str]:
    """Return the names of the texts of a study that still have the placeholders of the package."""
    texts = study_texts(folder)
    return [name for name, text in default_texts().items() if texts[name] == text and "[" in text]


def _with_earlier_ratings(study: CrowdStudy, folder: Path) -> CrowdStudy:
    """Return the study with the rating tasks that its folder has, if it was exported before.

    A folder with another study is refused: answers to that study would no longer fit.
    """
    if not (folder / STUDY_FILE).is_file():
        return study
    earlier = CrowdStudy.load(folder)
    if earlier.id != study.id:
        raise CannotWrite(f"{folder} has another study. Choose another folder.")
    return study.with_tasks("rate", earlier.of_kind("rate"))


def _instruction(task: Task) -> str:
    return {
        "exam": "Which group does this name fit best?",
        "match": "Which group of names is, stereotypically, associated with these words?",
        "rate": "How politically incorrect is this stereotype, from 1 to 7?",
    }[task.kind]


def _mixed_items(study: CrowdStudy) -> Iterator[tuple[Task, Any]]:
    """Yield the items of each task in an order by the seed, attention checks among them."""
    for task in study.tasks:
        items = {item.id: item for item in task.items}
        for id in presented_order(study.options.rng, "", task.id, items):
            yield task, items[id]


def _task_rows(study: CrowdStudy) -> Iterator[list[str]]:
    """Yield the rows of the table for loop and merge; it does not have the key."""
    most = max(len(task.options) for task in study.tasks)
    columns = [f"option_{k + 1}" for k in range(most)]
    ids = [f"option_{k + 1}_id" for k in range(most)]
    yield ["item", "task", "kind", "instruction", "text", "names", *columns, *ids]
    for task, item in _mixed_items(study):
        is_rating = task.kind == "rate"
        texts = [option if is_rating else group_names(option, study) for option in task.options]
        names = group_names(item.group, study) if is_rating and not item.check else ""
        padding = [""] * (most - len(texts))
        yield [
            *(item.id, task.id, task.kind, _instruction(task)),
            *(item_text(item, task, study), names, *texts, *padding, *task.options, *padding),
        ]


def _label_studio(study: CrowdStudy) -> list[dict[str, Any]]:
    """Return the tasks for Label Studio, whose choices come from the data."""
    tasks = []
    for task, item in _mixed_items(study):
        is_rating = task.kind == "rate"
        text = item_text(item, task, study)
        if is_rating and not item.check:
            text = f"{group_names(item.group, study)}: {text}"
        options = [option if is_rating else group_names(option, study) for option in task.options]
        tasks.append(
            {
                "data": {
                    "item": item.id,
                    "task": task.id,
                    "instruction": _instruction(task),
                    "text": text,
                    "options": [{"value": option} for option in options],
                }
            }
        )
    return tasks
