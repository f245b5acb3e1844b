"""What has to be equal before two runs may be compared, and the refusal that names what is not.

The ground (queue, key, policy, as-of, records, floors) has to be equal always: two runs on other ground were set
other questions. The reader (arm, model, prompt, how it was called) has to be equal wherever a difference is to
be laid to chance or to time. To compare two readers is another question, and is asked for by name.
"""

from typing import NamedTuple

from pendtui.errors import RunError
from pendtui.evals.scorer import Score

_COUNTS = {
    "records to read": "answered",
    "bait records": "false_releases_on_bait",
    "records that must escalate": "missed_escalations",
    "records that need not": "over_escalations",
    "decided by the register": "resolution_by_register",
    "decided by the cause class": "resolution_by_cause",
}
"""The counts that two runs on one ground share, and the figure whose denominator each one is."""
_SHOWN = 12
_HASH = 64


class Guard(NamedTuple):
    """One thing that is to be equal, as either run has it. None is not recorded."""

    name: str
    first: object
    second: object
    of_reader: bool = False
    """Whether it belongs to the reader, and not to the ground."""

    @property
    def holds(self) -> bool:
        """Whether both runs have the same."""
        return self.first == self.second

    def __str__(self) -> str:
        return f"{self.name}: {shown(self.first)} against {shown(self.second)}"


def guards(first: Score, second: Score) -> list[Guard]:
    """Every guard of two graded runs, those of the ground first."""
    a, b = first.run, second.run
    found = [
        Guard("queue hash", a.queue_sha256, b.queue_sha256),
        Guard("policy", a.policy_id, b.policy_id),
        Guard("policy hash", a.policy_sha256, b.policy_sha256),
        Guard("as of", a.as_of, b.as_of),
        Guard("records read", _asked(first), _asked(second)),
        *(Guard(name, first.measure(of).of, second.measure(of).of) for name, of in _COUNTS.items()),
        Guard("coverage floor", first.coverage_floor, second.coverage_floor),
        Guard("precision floor", first.precision_floor, second.precision_floor),
        Guard("finished", first.finished, second.finished),
        Guard("arm", a.arm, b.arm, of_reader=True),
        Guard("model", a.model, b.model, of_reader=True),
        Guard("prompt hash", a.prompt_sha256, b.prompt_sha256, of_reader=True),
    ]
    settings = [dict(run.settings or {}) for run in (a, b)]
    names = sorted(settings[0] | settings[1])
    return found + [Guard(name, settings[0].get(name), settings[1].get(name), of_reader=True) for name in names]


def broken(first: Score, second: Score, *, across_readers: bool = False) -> list[Guard]:
    """The guards that do not hold; with `across_readers`, only those of the ground."""
    return [
        guard for guard in guards(first, second) if not guard.holds and not (across_readers and guard.of_reader)
    ]


def require_comparable(first: Score, second: Score, *, across_readers: bool = False) -> None:
    """Refuse two runs that cannot be compared. Raises RunError that names every guard that does not hold."""
    found = broken(first, second, across_readers=across_readers)
    if not found:
        return
    only_readers = all(guard.of_reader for guard in found)
    raise RunError(
        f"{first.run.run_id} and {second.run.run_id} cannot be compared: {'; '.join(map(str, found))}",
        remedy="To compare two readers on one ground, add --across-readers"
        if only_readers
        else "Nothing is differenced between runs on different ground",
    )


def shown(value: object) -> str:
    """A guard's value as a line shows it: hashes short, nothing as `not recorded`."""
    if value is None:
        return "not recorded"
    if isinstance(value, str) and len(value) == _HASH:
        return value[:_SHOWN]
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _asked(score: Score) -> str:
    """Which records were asked for: all of the queue, or a hash over the ids of those that were."""
    if score.run.only is None:
        return f"all {score.run.records}"
    from hashlib import sha256

    return f"{len(score.run.only)}, {sha256(' '.join(sorted(score.run.only)).encode()).hexdigest()[:_SHOWN]}"
