"""One module a subcommand: each takes the parsed arguments and gives an exit code."""
