"""`pendtui clock`: every claim's clock, the most urgent first, for an examiner or for cron."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from datetime import date

from pendtui.commands import CONDITION_HOLDS, FINE
from pendtui.desk import sources
from pendtui.desk.queue_folder import claims
from pendtui.engines.clock import Clock, most_urgent_clock
from pendtui.engines.facts import Claim
from pendtui.engines.vocabulary import ClockState
from pendtui.tables import print_rows

COLUMNS = (
    *("id", "claim_id", "line_of_business", "state", "days_left", "received_on", "as_of", "elapsed_days"),
    *("deadline_days", "deadline_on", "clock_rule", "basis", "cite", "pend_state", "fault"),
)
"""`pend_state` is what counting from the pend date, the usual mistake, would have shown."""

_FIRES: Mapping[str, Sequence[ClockState]] = {
    "breached": (ClockState.BREACHED,),
    "escalate": (ClockState.BREACHED, ClockState.ESCALATE_NOW),
}


def run(args: argparse.Namespace) -> int:
    """List the clocks by days left; 3 when --fail-on names a state that a claim is in.

    A claim without a known deadline is listed last, with a blank state. With --fail-on, nothing goes to
    stderr unless the condition holds or a clock is unknown, so that cron has nothing to mail.
    """
    config = sources.settings(args)
    folder = sources.queue_folder(config)
    policy = sources.read_policy(config)
    as_of = sources.as_of(config, policy)
    today = date.today()
    read = [(claim, most_urgent_clock(claim, as_of, today, policy)) for claim, _ in claims(folder)]
    read.sort(key=_urgency)
    print_rows(COLUMNS, (_row(claim, clock) for claim, clock in read), args.format)
    sys.stdout.flush()
    counts = {state: sum(1 for _, clock in read if clock and clock.state is state) for state in ClockState}
    unknown = len(read) - sum(counts.values())
    fired = sum(counts[state] for state in _FIRES.get(args.fail_on, ()))
    if fired or unknown or args.fail_on is None:
        day = today if as_of == "today" else as_of
        sys.stderr.write(
            f"pendtui clock: {len(read)} claims as of {day}: {counts[ClockState.BREACHED]} breached, "
            f"{counts[ClockState.ESCALATE_NOW]} to escalate now, {counts[ClockState.WITHIN_CLOCK]} within "
            f"the clock, {unknown} with no clock known\n"
        )
    return CONDITION_HOLDS if fired else FINE


def _urgency(read: tuple[Claim, Clock | None]) -> tuple[float, str]:
    claim, clock = read
    left = float("inf") if clock is None or clock.days_left is None else clock.days_left
    return left, claim.record.id


def _row(claim: Claim, clock: Clock | None) -> tuple[object, ...]:
    facts = claim.facts
    known = (claim.record.id, facts.claim_id if facts else None, facts.line_of_business if facts else None)
    fault = "; ".join(claim.faults) or None
    if clock is None:
        return (*known, *[None] * (len(COLUMNS) - 4), fault)
    return (
        *known,
        *(clock.state, clock.days_left, clock.received_on, clock.as_of, clock.elapsed_days),
        *(clock.deadline_days, clock.deadline_on, clock.rule.id, clock.rule.basis, clock.rule.cite),
        *(clock.pend_state, fault),
    )
