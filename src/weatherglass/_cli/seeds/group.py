"""The command group ``weatherglass seeds``."""

from __future__ import annotations

import click

from ..verbosity import SuggestingGroup
from .axes import axis, concept, variance
from .catalog import export, list_concepts, list_sets, show
from .checklist import checklist, overview
from .lint import lint
from .multiverse import multiverse
from .pairs import coherence, generated, measure


@click.group(cls=SuggestingGroup)
def seeds() -> None:
    """Choose and check seed words, and measure how much a result depends on them.

    Browse the word lists of published studies (list, show, concepts, export, overview), check sets
    before you measure with them (lint), document them (checklist), measure properties of sets
    (measure, variance, axis, generated, concept, coherence), and run a test under every documented
    choice of words (multiverse).
    """


for _command in (list_sets, list_concepts, show, export, overview, lint, checklist, multiverse):
    seeds.add_command(_command)
for _command in (measure, variance, axis, generated, concept, coherence):
    seeds.add_command(_command)
