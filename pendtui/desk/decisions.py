"""What an examiner does with a claim, put into the journal: decisions, and what accompanies them."""

from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime

from pendtui.desk.claim_view import ClaimView, NotDecidableError
from pendtui.desk.journal import Action, Entry, Journal, NewEntry, Status
from pendtui.engines.gate import require_examiner
from pendtui.engines.policy import Policy, Resolved
from pendtui.engines.recheck import Answers
from pendtui.errors import JournalError


class Decisions:
    """The examiner's acts in one queue. Each is on disk when its call returns, or was not made at all.

    Every method raises JournalError when the journal could not be written, and ConflictError when somebody else
    decided since the examiner looked. `saved` is called after each row.
    """

    def __init__(
        self,
        journal: Journal,
        policy: Policy,
        queue: str,
        *,
        who: str,
        name: str,
        now: Callable[[], datetime],
        saved: Callable[[], object],
    ) -> None:
        self._journal = journal
        self._policy = policy
        self._queue = queue
        self._who = who
        self._name = name
        self._now = now
        self._saved = saved

    def accept(self, view: ClaimView) -> Entry:
        """Save the answers as the examiner's decision, or confirm another examiner's that is the same.

        Raises NotDecidableError where the claim cannot be accepted as it stands.
        """
        obstacle = self.obstacle(view)
        if obstacle is not None:
            raise NotDecidableError(f"cannot be accepted: {obstacle}", where=view.id)
        require_examiner(view.answers.release)
        if self.to_confirm(view):
            assert view.standing is not None
            return self._told(
                self._journal.confirm(view.standing.entry, who=self._who, display_name=self._name, at=self._now())
            )
        changed = view.cause_by_examiner or view.evidence_by_examiner
        return self._append(view, "change" if changed else "accept", "")

    def obstacle(self, view: ClaimView) -> str | None:
        """Why the claim cannot be accepted as it stands; None when it can."""
        if view.claim.faults:
            return "a faulty record can be parked (p) and not accepted"
        if view.answers.cause is None:
            return "no cause class was read; choose one (c)"
        if not isinstance(view.answers.resolution, Resolved):
            blocked = view.answers.resolution
            key = "say what it holds (v)" if blocked.missing == "evidence" else "choose one (c)"
            return f"{blocked.reason}; {key}"
        if view.answers.clock is None:
            return "its clock cannot be read; it can be parked (p)"
        if self._awaits_second_look(view) and view.standing is not None and view.standing.who == self._who:
            return "you decided so; another examiner has to confirm it"
        return None

    def to_confirm(self, view: ClaimView) -> bool:
        """Whether accepting gives another examiner's decision its second look: the answers are the same."""
        return self._awaits_second_look(view) and view.standing is not None and view.standing.who != self._who

    def _awaits_second_look(self, view: ClaimView) -> bool:
        standing, resolution = view.standing, view.answers.resolution
        if standing is None or standing.status is not Status.SECOND_LOOK or view.stale:
            return False
        decided = standing.entry.decided
        return (
            isinstance(resolution, Resolved)
            and decided.get("cause_class") == view.answers.cause
            and decided.get("resolution") == resolution.resolution
            and standing.policy_sha256 == self._policy.sha256
        )

    def park(self, view: ClaimView, note: str) -> Entry:
        """Set the claim aside with a note."""
        return self._append(view, "park", note)

    def undo(self) -> Entry | None:
        """Take back my last decision in this queue, with a new journal row; None when there is none."""
        last = self._journal.last_by(self._queue, self._who)
        if last is None:
            return None
        return self._told(self._journal.undo(last, who=self._who, display_name=self._name, at=self._now()))

    def undone(self, entry: Entry) -> str:
        """What an undo has left: the claim open again, or standing as before."""
        try:
            standing = self._journal.standing(self._queue, entry.record_id)
        except JournalError as fault:
            return f"Row {entry.undoes} undone by row {entry.seq}. {fault}"
        left = "is open again" if standing is None else f"stands as {standing.status} again, by {standing.entry.by}"
        return f"Row {entry.undoes} undone by row {entry.seq}: {entry.record_id} {left}."

    # What accompanies a decision

    def assign(self, record_id: str, assignee: str) -> Entry:
        """Say whose the claim is: an examiner's system user, a specialist queue, or nobody's (empty)."""
        return self._told(
            self._journal.assign(
                self._queue, record_id, assignee, who=self._who, display_name=self._name, at=self._now()
            )
        )

    def request(self, view: ClaimView, asked: str, what: str, due_on: date) -> Entry:
        """Note that somebody outside was asked for something, and by when an answer is expected."""
        return self._told(
            self._journal.request(
                self._queue,
                view.id,
                asked=asked,
                what=what,
                due_on=due_on,
                who=self._who,
                display_name=self._name,
                at=self._now(),
            )
        )

    def answer_in(self, view: ClaimView, *, withdrawn: bool = False) -> Entry:
        """Note that what was asked for came in, or is no longer wanted.

        Raises NotDecidableError where nobody was asked for anything.
        """
        request = view.state.request_seq if view.state is not None else None
        if request is None:
            raise NotDecidableError("nobody was asked for anything", where=view.id)
        return self._told(
            self._journal.answer(
                self._queue,
                view.id,
                request=request,
                withdrawn=withdrawn,
                who=self._who,
                display_name=self._name,
                at=self._now(),
            )
        )

    # Rows

    def _append(self, view: ClaimView, action: str, note: str) -> Entry:
        return self._told(
            self._journal.append(
                NewEntry(
                    at=self._now(),
                    who=self._who,
                    display_name=self._name,
                    queue=self._queue,
                    record_id=view.id,
                    record_sha256=view.sha256,
                    policy_id=self._policy.policy_id,
                    policy_sha256=self._policy.sha256,
                    action=action,
                    reader=view.base.arm,
                    proposed=_as_json(view.proposed, view),
                    decided=_as_json(view.answers, view) | self._second_look(view, action) | _reply_json(view),
                    note=note,
                ),
                expected_last=view.last_seq,
            )
        )

    def _told(self, entry: Entry) -> Entry:
        with suppress(JournalError):  # the row is in; a store that goes away just after must not make it look lost
            self._saved()
        return entry

    def _second_look(self, view: ClaimView, action: str) -> dict[str, object]:
        """Why another examiner has to confirm this decision; nothing where none has to."""
        resolution = view.answers.resolution
        if action == Action.PARK or not isinstance(resolution, Resolved):
            return {}
        reason = self._policy.second_look.reason(resolution.resolution, view.claim.facts)
        return {"second_look": reason} if reason else {}


def _as_json(answers: Answers, view: ClaimView) -> dict[str, object]:
    clock, resolution = answers.clock, answers.resolution
    resolved = resolution if isinstance(resolution, Resolved) else None
    facts = view.claim.facts
    return {
        "cause_class": answers.cause,
        "citation": answers.quote,
        "span": list(answers.span) if answers.span else None,
        "resolution": resolved.resolution if resolved else None,
        "rule": resolved.rule.id if resolved else None,
        "clock": clock.state if clock else None,
        "clock_rule": clock.rule.id if clock else None,
        "release": answers.release,
        "as_of": clock.as_of.isoformat() if clock else None,
        "elapsed_days": clock.elapsed_days if clock else None,
        "deadline_days": clock.deadline_days if clock else None,
        "evidence": facts.evidence if facts else None,
    }


def _reply_json(view: ClaimView) -> dict[str, object]:
    """The hash of the model's raw reply that was on screen; nothing where no model was asked."""
    return {"reply_sha256": view.model.reply_sha256} if view.model is not None else {}
