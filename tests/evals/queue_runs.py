"""A built queue with its key, and runs over it that a test makes up."""

from collections.abc import Callable
from pathlib import Path

from pendtui.config import Config
from pendtui.desk.run_file import Run, RunHeader, RunRecord
from pendtui.evals.corpus.build import build
from pendtui.evals.gold import GoldAnswer
from pendtui.evals.ground import Ground, ground_of

Change = Callable[[GoldAnswer], dict[str, object]]


def built_ground(folder: Path, records: int = 20) -> Ground:
    """A queue of so many invented claims, written to disk, with its key and the shipped policy."""
    build(folder, records=records)
    return ground_of(Config(queue=folder, origins={"queue": "test"}))


def header_on(ground: Ground, **changes: object) -> RunHeader:
    """The header of a model's run on that ground."""
    header = RunHeader(
        run_id="made-up",
        arm="model",
        model="small-1",
        started_at="2026-12-01T13:15:00.000Z",
        program="pendtui 0.1.0",
        queue="/queues/monday",
        queue_sha256=ground.queue.sha256,
        policy_id=ground.policy.policy_id,
        policy_sha256=ground.policy.sha256,
        prompt_sha256="5" * 64,
        as_of="register",
        records=len(ground.gold),
        settings={"temperature": 0.0},
    )
    return header._replace(**changes)  # type: ignore[arg-type]


def run_on(ground: Ground, change: Change = lambda key: {}, **header: object) -> Run:
    """A run that answers as the key does, in the replies as well, but for these changes of each record."""
    records = []
    for key in ground.gold.values():
        words = {name: getattr(key, name) for name in ("cause_class", "resolution", "clock", "release")}
        record = RunRecord(
            id=key.id,
            arm="model",
            citation=key.citation,
            span=key.span,
            rule=key.rule,
            clock_rule=key.clock_rule,
            raw=words,
            record_sha256=ground.queue.hashes[key.id],
            **words,
        )
        records.append(record._replace(**change(key)))  # type: ignore[arg-type]
    return Run(header_on(ground, **header), tuple(records), "2026-12-01T13:20:00.000Z")
