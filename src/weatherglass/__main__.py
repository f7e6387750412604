"""The command ``weatherglass``, and ``python -m weatherglass``.

This module imports nothing when it is imported, because workers of the command import it again.
"""


def main(arguments: list[str] | None = None) -> None:
    """Handle signals first; then load and run the command line."""
    import _signal  # type: ignore[import-not-found]

    # Until our handlers are loaded, Ctrl-C ends Python without a traceback.
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    from weatherglass._cli import signals

    signals.exit_at_once()
    from weatherglass._cli.main import main as run

    run(arguments)


if __name__ == "__main__":
    main()
