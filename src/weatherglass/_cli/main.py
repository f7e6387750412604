"""The group of all commands, and what happens to their errors."""

import importlib
import os
import sys

import click

from weatherglass._version import __version__
from weatherglass.errors import WeatherglassError

from . import signals
from .exit_codes import NOT_MEASURED
from .masking import slurs_option
from .verbosity import SuggestingGroup, accept_shared_options, verbosity_options

# Command -> one line of help. The module of the same name in this folder has the command under
# that name; the help is here so that `weatherglass --help` imports none of them.
COMMANDS = {
    "agree": "Compare sources: do they associate the same words with the same attributes?",
    "audit": "Run a suite of measures, and write a readable report.",
    "cache": "List or clear the cache of parsed files and encoded sentences.",
    "catalog": "List, show and check the tests of the catalogue and your own.",
    "ceat": "Run association tests over the contexts of words in a corpus.",
    "check": "Check sources against a policy.",
    "compare": "Run tests on several corpora, or on the groups of one, and compare.",
    "corpus": "Show what a corpus contains: documents, words, metadata.",
    "crowd": "Let people evaluate a discovery: tasks for crowd workers, and their answers.",
    "discover": "Find biases without naming them first.",
    "doctor": "Show what is installed, what is missing, and how to install it.",
    "groups": "Compare groups of a corpus that are too small to train vectors on each.",
    "measure": "Run any other measure of bias on word sets of your choice; list the measures.",
    "norms": "Correlate associations with what people say about words.",
    "power": "Show which effects a test can find, and how many words it would need.",
    "query": "Query the results of audits in SQL.",
    "rank": "Rank the sources of audits by their effect size in a test.",
    "report": "Write the report of an audit again, and its charts.",
    "retrieve": "Rank documents that differ only in a name: whose are found?",
    "schema": "Print the JSON Schema of tests, suites, policies, results or checks.",
    "seat": "Run association tests on sentence encoders.",
    "seeds": "Choose and check seed words, and measure how much a result depends on them.",
    "sentiment": "Score the same sentences with different names, by the valence of their words.",
    "serve": "Open a local web page to measure, explore and compare embeddings.",
    "table": "Write the association table of a source: the cosines that tests need.",
    "train": "Train vectors on a corpus and on bootstrap samples of it.",
    "translations": "Test the pronouns of machine translations for gender stereotypes.",
    "vectors": "Show, convert, subset and debias files of vectors; clean lists, answer analogies.",
    "weat": "Run association tests: target sets X, Y against attribute sets A, B.",
    "wefat": "Run factual tests: does association predict a fact about a word?",
}


class LazyGroup(SuggestingGroup):
    """A group that imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"weatherglass._cli.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return accept_shared_options(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


def _limit_memory(context: click.Context, option: click.Parameter, size: str | None) -> None:
    """Set the limit for this process and its workers, until the command ends."""
    if size is None:
        return
    from weatherglass._files import MAX_MEMORY_VARIABLE, parse_size

    parse_size(size)
    before = os.environ.get(MAX_MEMORY_VARIABLE)
    os.environ[MAX_MEMORY_VARIABLE] = size

    def restore() -> None:
        os.environ.pop(MAX_MEMORY_VARIABLE)
        if before is not None:
            os.environ[MAX_MEMORY_VARIABLE] = before

    context.call_on_close(restore)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="weatherglass")
@click.option(
    "--max-memory",
    metavar="SIZE",
    callback=_limit_memory,
    expose_value=False,
    help="Memory that reading a file may take, such as 500M or 4G. Default: the environment "
    "variable WEATHERGLASS_MAX_MEMORY, or half of the memory that is available.",
)
@verbosity_options()
@slurs_option()
def cli() -> None:
    """Measure social bias in word and sentence embeddings, and say how sure it is."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line.

    Exit code 0: done and passed; 1: a policy is violated, or a check found a problem; 2: wrong
    command; 3: the measurement could not be made. 128 and more: interrupted by a signal, see
    `signals`.
    """
    if sys.stdout is None:  # closed by the caller (`>&-`): nothing can be printed
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        with signals.raise_interrupted():
            code = cli.main(arguments, prog_name="weatherglass", standalone_mode=False)
            sys.stdout.flush()
        if isinstance(code, int) and code:  # the code that a command gave to `ctx.exit`
            sys.exit(code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except WeatherglassError as error:
        message = str(error).encode("utf-8", "backslashreplace").decode()
        click.echo(f"weatherglass: {message}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): not an error, and nothing left to flush.
        _discard_stdout()
        sys.exit(0)
    except (KeyboardInterrupt, click.Abort):
        _discard_stdout()
        click.echo(signals.SENTENCE, err=True)
        signals.suppress_shutdown_tracebacks()
        sys.exit(signals.exit_code())
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        click.echo(f"weatherglass: {error.strerror or error}{place}.", err=True)
        _discard_stdout()
        sys.exit(NOT_MEASURED)
    except Exception:  # a defect of ours: Python's own code, 1, would be taken for a violation
        import traceback

        traceback.print_exc()
        sys.exit(NOT_MEASURED)


def _discard_stdout() -> None:
    """Discard output that cannot be written, so that Python does not try again when it ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
