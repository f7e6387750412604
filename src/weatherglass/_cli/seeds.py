"""``weatherglass seeds``: the group; each family of its commands is in a file of its own."""

from __future__ import annotations

import click

from weatherglass._cli.seeds_catalog import export, list_concepts, list_sets, show


@click.group()
def seeds() -> None:
    """Browse seed sets: word lists that studies used, and where the words come from."""


for _command in (list_sets, list_concepts, show, export):
    seeds.add_command(_command)
