"""One module a subcommand: each takes the parsed arguments and gives an exit code."""

FINE, CHECK_FAILED, WRONG_INPUT, CONDITION_HOLDS, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes: fine, a check failed, wrong input or call, a --fail-on condition holds, interrupted."""
