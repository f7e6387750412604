"""``weatherglass seeds``: the group; each family of its commands is in a file of its own."""

from __future__ import annotations

import click

from .axes import axis, concept, variance
from .catalog import export, list_concepts, list_sets, show
from .lint import lint
from .multiverse import multiverse
from .pairs import coherence, generated, measure


@click.group()
def seeds() -> None:
    """The seed lab: choose seed words, and see how far an answer depends on them.

    Browse the word lists that studies used (list, show, concepts, export), look at sets before
    anything is measured (lint), measure with them (measure, variance, axis, generated, concept,
    coherence), and run a test under every documented choice of words (multiverse).
    """


for _command in (list_sets, list_concepts, show, export, lint, multiverse):
    seeds.add_command(_command)
for _command in (measure, variance, axis, generated, concept, coherence):
    seeds.add_command(_command)
