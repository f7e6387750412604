"""The command line: one file per command, each loaded only when it is called."""

import _signal  # type: ignore[import-not-found]
import os
import sys


def _is_command_line() -> bool:
    """Whether Python was started as `weatherglass`, or as `python -m weatherglass`.

    Its workers import what it imported, and are none.
    """
    if "--multiprocessing-fork" in sys.orig_argv:
        return False
    folder, name = os.path.split(sys.argv[0] if sys.argv else "")
    own = os.path.basename(folder) == "weatherglass" and name == "__main__.py"
    return own or name.startswith("weatherglass")


# Until `signals` is there to say a sentence, Ctrl-C ends the command without one. (What is
# imported so far is part of Python: during any other import it could come to a traceback.)
try:
    if _is_command_line():
        if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
            _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        from . import signals

        signals.from_the_start()
except KeyboardInterrupt:
    raise SystemExit(130) from None

import importlib

import click

from weatherglass._version import __version__
from weatherglass.errors import WeatherglassError

from . import signals

# Command -> one line of help. The module of the same name in this folder has the command under
# that name; the help is here so that `weatherglass --help` imports none of them.
COMMANDS = {
    "audit": "Run every measure, and write a report that a person can read.",
    "cache": "List or clear the parsed files and encoded sentences that are kept.",
    "catalog": "List, show and check tests: what can be asked.",
    "ceat": "Run association tests over the contexts of words in a corpus.",
    "corpus": "Look at a corpus: documents, words, metadata.",
    "compare": "Run tests on two corpora, or on the parts of one, and compare.",
    "discover": "Find the biases that nobody thought to ask for.",
    "doctor": "Show what is installed, what is missing, and how to get it.",
    "check": "Hold a source against a policy: may it ship?",
    "measure": "Run any other measure of bias on word sets of your choice; list the measures.",
    "query": "Ask the results of audits a question in SQL.",
    "rank": "Order the sources of audits by their effect in a test.",
    "report": "Write the report of an audit anew, and its pictures.",
    "seat": "Run association tests on sentence encoders.",
    "seeds": "Choose seed words, look at them, and see how far an answer depends on them.",
    "serve": "Open a local web page that asks embeddings questions.",
    "train": "Train vectors on a corpus, with bootstraps.",
    "vectors": "Look at a file of vectors, convert it, cut it down, debias it.",
    "weat": "Run association tests: are two target sets differently near two attribute sets.",
    "wefat": "Run factual tests: does nearness predict a fact of the world.",
}


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"weatherglass._cli.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="weatherglass")
def cli() -> None:
    """Read the social bias in word and sentence embeddings, and say how sure it is."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line. Exit code 0: done; 1: could not be measured; 2: wrong command.

    128 and more: stopped by a signal, see `signals`.
    """
    if sys.stdout is None:  # closed by the caller (`>&-`): nothing can be printed
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        with signals.taken():
            code = cli.main(arguments, prog_name="weatherglass", standalone_mode=False)
            sys.stdout.flush()
        if isinstance(code, int) and code:  # what a command gave to `ctx.exit`
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
        _print_no_more()
        sys.exit(0)
    except (KeyboardInterrupt, click.Abort):
        _print_no_more()
        click.echo(signals.SENTENCE, err=True)
        signals.say_no_more()
        sys.exit(signals.exit_code())
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        click.echo(f"weatherglass: {error.strerror or error}{place}.", err=True)
        _print_no_more()
        sys.exit(1)


def _print_no_more() -> None:
    """Drop what was printed and cannot be written, so that Python does not try it again."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
