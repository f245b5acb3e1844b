"""A model's own words as a run of their own, so that the raw column is graded by what grades the rechecked one."""

from pendtui.desk.run_file import Run, RunRecord
from pendtui.evals.scorer import WORDS, folded_word

NO_REPLY = "no reply"
"""The error of a record for which the run holds no raw answers."""


def raw_run(run: Run) -> Run | None:
    """What the replies said, before the recheck; None for a run that holds no raw answers.

    The quote is the one the reply gave, searched for in the record as everywhere. A record without a reply
    counts as not answered.
    """
    if all(record.raw is None for record in run.records):
        return None
    return run._replace(records=tuple(_raw(record) for record in run.records))


def _raw(record: RunRecord) -> RunRecord:
    if record.raw is None:
        return RunRecord(record.id, record.arm, error=record.error or NO_REPLY, call=record.call)
    cause_class, resolution, clock, release = (folded_word(record.raw.get(name)) for name in WORDS)
    return RunRecord(
        record.id,
        record.arm,
        cause_class=cause_class,
        citation=record.citation,
        span=record.span,
        resolution=resolution,
        clock=clock,
        release=release,
        confidence=record.confidence,
        raw=record.raw,
        call=record.call,
    )
