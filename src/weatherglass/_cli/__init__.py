"""The command line: one module per command, each imported only when the command is called."""
