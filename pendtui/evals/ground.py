"""The ground a run is graded on: the queue as it stands, its answer key and the policy in force."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pendtui.config import Config
from pendtui.desk import sources
from pendtui.desk.run_file import Run, RunHeader
from pendtui.desk.runs import QueueState, queue_state
from pendtui.engines.citation import COVERAGE_FLOOR, PRECISION_FLOOR
from pendtui.engines.facts import ClaimFacts
from pendtui.engines.policy import Policy
from pendtui.errors import RunError
from pendtui.evals.gold import GoldAnswer, read_cases, read_gold
from pendtui.evals.scorer import Score, score


class Ground(NamedTuple):
    """A queue with its key, and the policy that the key was derived under."""

    folder: Path
    queue: QueueState
    policy: Policy
    gold: Mapping[str, GoldAnswer]
    cases: Mapping[str, str] | None
    """Record id to the case it was made for; None for a queue that the generator did not write."""

    @property
    def facts(self) -> dict[str, ClaimFacts]:
        """What claims.json says of each record."""
        return {record_id: row.facts for record_id, row in self.queue.rows.rows.items()}

    def differs_from(self, header: RunHeader) -> list[str]:
        """Which hashes of a run are others than this ground's, in words; empty where it was made on it."""
        return [
            f"{name} hash {then[:12]} then, {now[:12]} now"
            for name, then, now in (
                ("queue", header.queue_sha256, self.queue.sha256),
                ("policy", header.policy_sha256, self.policy.sha256),
            )
            if then != now
        ]


def ground_of(config: Config) -> Ground:
    """The ground that the settings name. Raises QueueError where the queue has no answer key, and PolicyError."""
    folder = sources.queue_folder(config)
    gold = read_gold(folder)
    return Ground(folder, queue_state(folder), sources.read_policy(config), gold, read_cases(folder))


def grade(
    ground: Ground, run: Run, *, coverage_floor: float = COVERAGE_FLOOR, precision_floor: float = PRECISION_FLOOR
) -> Score:
    """Grade a run: every figure of it that is printed or shown anywhere comes from here.

    Raises RunError, naming the hash that differs, for a run that was made on another queue or policy.
    """
    header = run.header
    differing = ground.differs_from(header)
    if differing:
        raise RunError(
            f"run {header.run_id} was not made on this queue and policy: {'; '.join(differing)}",
            remedy=f"It was made on {header.queue} with {header.policy_id}",
        )
    return score(
        ground.gold,
        run,
        ground.facts,
        ground.policy,
        cases=ground.cases,
        coverage_floor=coverage_floor,
        precision_floor=precision_floor,
    )
