"""``weatherglass translations``: sentences for translators, and the pronouns of translations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weatherglass.errors import UsageError

from .options import out_option, output_options
from .output import Output, remarks, table
from .run_tests import write_results
from .verbosity import SuggestingGroup

if TYPE_CHECKING:
    from weatherglass.translation import Translation, TranslationResult

_languages_option = click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="CODE",
    help="A language of the catalogue: tr (Turkish), fi (Finnish), hu (Hungarian), et (Estonian) "
    "or fa (Persian); repeatable. All by default.",
)
_target_option = click.option(
    "--to",
    "target",
    metavar="CODE",
    default="en",
    show_default=True,
    help="The language to translate to: en, de, es, fr, pt or ru.",
)


@click.group(cls=SuggestingGroup)
def translations() -> None:
    """Test the pronouns of machine translations for gender stereotypes.

    In the Science paper, "O bir doktor. O bir hemşire." becomes "He is a doctor. She is a nurse.",
    although the Turkish pronoun has no gender. `export` writes such sentences for the 50
    occupations of wefat1; `measure` says whether the pronouns of their translations follow the
    share of women in the occupations.
    """


@translations.command()
@_languages_option
@_target_option
@out_option
def export(languages: tuple[str, ...], target: str, out: Path | None) -> None:
    """Write the sentences as CSV, with an empty column for the translations."""
    from weatherglass.translation import format_sentences, translation_sentences

    Output("csv", out, None).write(format_sentences(translation_sentences(languages), target))


@translations.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option(
    "--command",
    metavar="COMMAND",
    help="Translate with this command, which reads sentences and prints translations, one per "
    "line; {source} and {target} in it become the codes of the languages.",
)
@click.option(
    "--endpoint",
    metavar="URL",
    help="Translate with this HTTP endpoint, which takes the JSON of LibreTranslate: q, source, "
    "target.",
)
@_languages_option
@_target_option
@click.option(
    "--embedding",
    "embeddings",
    multiple=True,
    metavar="SOURCE",
    help="A source, such as word vectors or an encoder, whose gender associations are to predict "
    "the pronoun; repeatable.",
)
@click.option(
    "--counts",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write how often each occupation has each pronoun, as CSV with target, attribute "
    "and value, which opens as the source table:FILE.",
)
@output_options(plot=True)
def measure(
    file: Path | None,
    command: str | None,
    endpoint: str | None,
    languages: tuple[str, ...],
    target: str,
    embeddings: tuple[str, ...],
    counts: Path | None,
    output: Output,
) -> None:
    """Measure the translations in FILE, or those of a command or an endpoint.

    FILE is the CSV of `export` with the translations filled in. The table has, for each language,
    how many occupations have "he" and "she", and the chance that an occupation with "she" has a
    higher share of women than one with "he" (AUC), with an exact p over occupations.
    """
    from weatherglass.translation import measure_translations

    if sum(given is not None for given in (file, command, endpoint)) != 1:
        raise UsageError("Give a file of translations, --command or --endpoint.")
    rows = _translations(file, command, endpoint, languages, target)
    name = str(file) if file else command or endpoint or ""
    results = measure_translations(rows, embeddings=embeddings, translator=name)
    if counts is not None:
        _write_counts(rows, counts)
    write_results(results, output, _text)


def _translations(
    file: Path | None,
    command: str | None,
    endpoint: str | None,
    languages: Sequence[str],
    target: str,
) -> list[Translation]:
    from weatherglass.translation import (
        command_translator,
        endpoint_translator,
        read_translations,
        translate_sentences,
    )

    if file is not None:
        rows = read_translations(file)
        return [row for row in rows if not languages or row.language in languages]
    translator = command_translator(command) if command else endpoint_translator(endpoint or "")
    return translate_sentences(translator, languages, target)


def _write_counts(rows: Sequence[Translation], path: Path) -> None:
    from weatherglass._files import delimited_text, write_text
    from weatherglass.translation import count_pronouns, counts_rows

    counted = counts_rows(count_pronouns(rows))
    cells = [list(row.values()) for row in counted]
    write_text(path, delimited_text([["target", "attribute", "value"], *cells], ","))


def _text(results: Sequence[TranslationResult]) -> str:
    done = [result for result in results if result.is_done]
    if not done:
        return ""
    text = table([_row(result) for result in done], f"Translations by {done[0].source_name}")
    predicted = [row for result in done for row in _prediction_rows(result)]
    if predicted:
        text += "\n" + table(predicted, "Does the association with female terms predict 'she'?")
    by_note: dict[str, list[str]] = {}
    for result in done:
        for note in _notes(result):
            by_note.setdefault(note, []).append(result.test)
    return text + remarks(f"{', '.join(tests)}: {note}" for note, tests in by_note.items())


def _row(result: TranslationResult) -> dict[str, Any]:
    from weatherglass.significance import format_p

    assert result.p is not None
    by_pronoun = result.n_by_pronoun
    return {
        "languages": result.test,
        **{name: by_pronoun[name] for name in ("he", "she", "they", "other")},
        "p (he = she)": "" if result.p_share is None else format_p(result.p_share),
        "AUC": f"{result.auc:.2f}",
        "p": str(result.p),
        "by": result.p.method,
        "Pearson": "" if result.pearson is None else f"{result.pearson:.2f}",
        "grade": result.finding.grade,
    }


def _prediction_rows(result: TranslationResult) -> list[dict[str, Any]]:
    from weatherglass.significance import format_p

    return [
        {
            "languages": result.test,
            "embedding": found.source,
            "AUC": f"{found.auc:.2f}",
            "p": str(found.p),
            "p Holm": format_p(found.p_holm),
            "by": found.p.method,
            "occupations": found.n,
        }
        for found in result.predictions
        if found.auc is not None and found.p is not None and found.p_holm is not None
    ]


def _notes(result: TranslationResult) -> list[str]:
    """What a reader must know: notes on the sentences, embeddings that could not be compared."""
    from weatherglass.translation import translation_catalogue

    known = translation_catalogue().languages
    lines = []
    if result.language in known and known[result.language].notes:
        lines.append(known[result.language].notes)
    lines += [
        f"{found.source} was not compared, {found.reason}."
        for found in result.predictions
        if found.reason
    ]
    return lines
