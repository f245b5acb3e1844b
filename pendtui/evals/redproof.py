"""The red proof: each check broken on purpose, to see that the row meant for it goes red.

A check that has never been seen to fail proves nothing. A run with every answer right is made from the key; each
break spoils one thing in it, and the row named beside it has to move. The guards and the release gate are put to
the proof as well.
"""

from collections.abc import Callable
from typing import NamedTuple

from pendtui.desk import sources
from pendtui.desk.queue_folder import read_record
from pendtui.desk.run_file import Run, RunHeader, RunRecord, now_utc
from pendtui.engines.gate import GateBreachError, release_for, require_examiner
from pendtui.engines.policy_file import load_policy
from pendtui.engines.vocabulary import CauseClass
from pendtui.errors import PolicyError, RunError
from pendtui.evals.breaks import BREAKS, FEWER, Break, Sound
from pendtui.evals.ground import Ground, grade
from pendtui.evals.guards import require_comparable
from pendtui.evals.scorer import Measure

OVER_THE_WRONG = ("wrong_clock_by_pend_date", "raw/wrong_clock_by_pend_date")
"""Rows over the wrong answers alone: 0 of 0 after a break means that the check has seen none of them."""


class Proof(NamedTuple):
    """What came of one break."""

    name: str
    what: str
    row: str
    before: str
    """The row over the sound run."""
    after: str
    """The row over the spoiled one."""
    caught: bool | None
    """None where the break changes no record of this queue, or the row has none to count."""


def redproof(ground: Ground) -> list[Proof]:
    """Every break and what came of it."""
    sound = sound_run(ground)
    return [*(prove(sound, each) for each in BREAKS), *_gates(sound)]


def sound_run(ground: Ground) -> Sound:
    """A run that answers every record of the key as the key does, with a reply that says the same."""
    paths = {file.id: file.path for file in ground.queue.files}
    texts = {record_id: read_record(paths[record_id], record_id).record.text for record_id in ground.gold}
    header = RunHeader(
        run_id="sound",
        arm="sound",
        model=None,
        started_at=now_utc(),
        program="red proof",
        queue=str(ground.folder),
        queue_sha256=ground.queue.sha256,
        policy_id=ground.policy.policy_id,
        policy_sha256=ground.policy.sha256,
        prompt_sha256=None,
        as_of=str(ground.policy.as_of) if str(ground.policy.as_of) != "today" else "register",
        records=len(ground.gold),
    )
    records = tuple(
        RunRecord(
            id=key.id,
            arm="sound",
            cause_class=key.cause_class,
            citation=key.citation,
            span=key.span,
            resolution=key.resolution,
            rule=key.rule,
            clock=key.clock,
            clock_rule=key.clock_rule,
            release=key.release,
            confidence=1.0,
            raw={
                "cause_class": key.cause_class,
                "resolution": key.resolution,
                "clock": key.clock,
                "release": key.release,
            },
        )
        for key in ground.gold.values()
    )
    run = Run(header, records, header.started_at)
    return Sound(ground, run, grade(ground, run), texts)


def prove(sound: Sound, each: Break) -> Proof:
    """Spoil the sound run as a break says, and look at its row."""
    changed = each.spoil(sound)
    records = [changed.get(record.id, record) for record in sound.run.records]
    spoiled = sound.run._replace(records=tuple(record for record in records if record is not None))
    before, after = sound.score.measure(each.row), grade(sound.ground, spoiled).measure(each.row)
    caught = None
    counts = before.of or after.of or each.row in OVER_THE_WRONG
    if spoiled != sound.run and before.n is not None and after.n is not None and counts:
        caught = after.n < before.n if each.moves == FEWER else after.n > before.n
    return Proof(each.name, each.what, each.row, _counted(before), _counted(after), caught)


def _counted(measure: Measure) -> str:
    return "" if measure.n is None else f"{measure.n} of {measure.of}"


def _gates(sound: Sound) -> list[Proof]:
    """The checks that refuse instead of counting."""
    header, score = sound.run.header, sound.score
    other_queue = sound.run._replace(header=header._replace(queue_sha256="0" * 64))
    other_policy = sound.run._replace(header=header._replace(policy_sha256="0" * 64))
    opened = sound.ground.policy._replace(
        gate=sound.ground.policy.gate._replace(open_categories=(str(CauseClass.CODE_EDIT),))
    )
    text = (sources.POLICIES / "pr-2026.toml").read_text(encoding="utf-8")
    open_file = text.replace("open_categories = []", f'open_categories = ["{CauseClass.CODE_EDIT}"]')
    return [
        _refused(
            "is of another queue", "a run whose queue has another hash", lambda: grade(sound.ground, other_queue)
        ),
        _refused("is of another policy", "a run made under other rules", lambda: grade(sound.ground, other_policy)),
        _refused(
            "compares the incomparable",
            "two runs graded at other citation floors",
            lambda: require_comparable(score, score._replace(coverage_floor=score.coverage_floor / 2)),
        ),
        _refused("opens the gate", "a policy value with an open category", lambda: release_for(opened)),
        _refused("opens the gate by file", "a policy file with one", lambda: load_policy(open_file, "opened")),
        _refused(
            "writes a release", "AUTO-RELEASE on its way to the journal", lambda: require_examiner("AUTO-RELEASE")
        ),
    ]


def _refused(name: str, what: str, act: Callable[[], object]) -> Proof:
    """Whether an act that has to be refused is."""
    try:
        act()
    except (RunError, PolicyError, GateBreachError) as refusal:
        return Proof(name, what, "refused", "", type(refusal).__name__, caught=True)
    return Proof(name, what, "refused", "", "let through", caught=False)
