"""One module a subcommand: each takes the parsed arguments and gives an exit code. Here is what they are called."""

FINE, CHECK_FAILED, WRONG_INPUT, CONDITION_HOLDS, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes: fine, a check failed, wrong input or call, a --fail-on condition holds, interrupted."""

DESCRIPTION = (
    "Work pended health-plan claims by the clock that runs from receipt."
    " Without a command, the full-screen program opens."
)

COMMANDS = {
    "open": "open the full-screen program (the default)",
    "demo": "open the program on a freshly built demo queue in a temporary folder",
    "serve": "serve the full-screen program to a browser on this machine",
    "build": "write a queue of invented claims with its answer key",
    "check": "derive the answer key anew and sweep the records; exit 1 on any failure",
    "clock": "list every claim's clock, most urgent first",
    "read": "read the queue with one reader and store the run",
    "prompt": "print what a model would be asked about a record",
    "score": "grade a stored run, or a reader, against the answer key",
    "runs": "list, show, compare, cost or replay the stored runs",
    "inject": "add a line to every record's notes and measure what it moves",
    "dossier": "report what the release gate would need and what there is: not open",
    "export": "write the listed claims as CSV, JSON lines, Markdown or a page to print",
    "handover": "write claims as hand-over sheets to print",
    "journal": "list, export, verify, seal, back up or move the decisions",
    "population": "say where the percentile standards stand, by month of receipt",
    "keys": "list every action, its key, and how the settings name it",
    "config": "print the settings in force and where each came from",
    "doctor": "look over the terminal, the queue, the policy, the journal and the key",
}
"""Every command and what it does, in the order the help lists them."""

WITHOUT_QUEUE = frozenset({"demo", "build"})
"""The commands that take no --queue, --config and --policy."""

PLAIN = "lines and prompts in place of screens, for screen readers and scripts"
"""What --plain does for the commands that open the program."""

LISTING = frozenset(
    {
        *("check", "clock", "read", "prompt", "score", "runs", "inject", "dossier", "journal"),
        *("population", "keys", "config", "doctor"),
    }
)
"""The commands that list things and so take --format."""

SOURCES = {
    "--queue": ("DIR", "the folder with the pend records"),
    "--config": ("FILE", "the settings file"),
    "--policy": ("FILE", "the policy file, or a shipped policy's name"),
}
"""The options that say what a command works on."""
