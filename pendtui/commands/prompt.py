"""`pendtui prompt`: what a model would be asked about one record, without asking it."""

import argparse
import sys
from datetime import date

from pendtui.commands import FINE
from pendtui.desk import sources
from pendtui.desk.queue_folder import read_record, record_files
from pendtui.engines.policy import AS_OF_TODAY
from pendtui.engines.prompt import Prompt, build_prompt, messages
from pendtui.errors import QueueError
from pendtui.plain import plain_lines
from pendtui.tables import print_rows

PART_COLUMNS = ("part", "title", "characters", "share")
MESSAGE_COLUMNS = ("role", "content")


def run(args: argparse.Namespace) -> int:
    """Print the two messages, or with --parts each part's characters and share.

    As a table the text has its control characters made visible; the other formats give it to the letter.
    """
    config = sources.settings(args)
    folder = sources.queue_folder(config)
    policy = sources.read_policy(config)
    as_of = sources.as_of(config, policy)
    path = next((file.path for file in record_files(folder) if file.id == args.id), None)
    if path is None:
        raise QueueError(f"there is no record {args.id}", where=str(folder))
    record = read_record(path, args.id).record
    day = date.today() if as_of == AS_OF_TODAY else as_of
    prompt = build_prompt(policy._replace(as_of=day), record.text)
    if args.parts:
        print_rows(PART_COLUMNS, _parts(prompt, percent=args.format == "table"), args.format)
    elif args.format == "table":
        for message in messages(prompt):
            sys.stdout.write(f"[{message['role']}]\n{plain_lines(message['content'])}\n\n")
    else:
        print_rows(MESSAGE_COLUMNS, [tuple(message.values()) for message in messages(prompt)], args.format)
    sys.stdout.flush()
    sys.stderr.write(
        f"pendtui prompt: {args.id}, {prompt.characters:,} characters; "
        f"the same for all records but the record, sha256 {prompt.sha256}\n"
    )
    return FINE


def _parts(prompt: Prompt, *, percent: bool) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for part in prompt.parts:
        share = len(part.text) / prompt.characters
        rows.append((part.name, part.title, len(part.text), f"{share:.1%}" if percent else round(share, 4)))
    return rows
