"""The exit codes of all commands; 0 says that a command did what it should.

A job can tell a bad model (1) from a bad network (3). Errors carry their own code; see
`weatherglass.errors`.
"""

FAILED = 1
"""A policy is violated, or a check found a problem."""

NOT_MEASURED = 3
"""The measurement could not be made. A wrong command or a wrong file of the user has the code 2."""
