"""One record before and after a model is asked: whether it may be sent, what is asked, what the answer comes to.

A record is not sent when it is faulty, when the sweep finds something in it that it must not carry, or when it
holds control words of a chat template. Where a reply to the very same question is held, nobody is asked.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from hashlib import sha256
from typing import NamedTuple, Protocol

from pendtui.desk.queue_folder import RecordFile, claim_in, read_record
from pendtui.desk.reply_store import Question, ReplyStore
from pendtui.desk.run_file import RunRecord
from pendtui.desk.runs import QueueState, run_record
from pendtui.engines.facts import Claim
from pendtui.engines.policy import Policy
from pendtui.engines.prompt import build_prompt, json_schema, messages, template_marks
from pendtui.engines.readers import Reader, Reading
from pendtui.engines.recheck import Answers, recheck
from pendtui.engines.reply import Reply, ReplyFault, read_reply, reading_of

ARM = "model"
_MAX_NAMED = 3
"""How many findings of the sweep an error names."""


class Finding(Protocol):
    """What a sweep reports: what kind of text it is and where, never the text itself."""

    @property
    def kind(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def start(self) -> int: ...


Sweep = Callable[[str, date | None], Sequence[Finding]]
"""Looks through a record's text for what it must not carry. The second argument is the claim's receipt date."""


class Ask(NamedTuple):
    """One record, ready to be asked about."""

    claim: Claim
    sha256: str
    """Of the record's bytes."""
    question: Question
    messages: Sequence[Mapping[str, str]]
    held: Mapping[str, object] | None
    """The reply that is held for it, with all that was noted of its call."""


class ModelAnswer(NamedTuple):
    """What one record's read came to."""

    record: RunRecord
    """The line of the run: the answers after the recheck, or an `error` and no answers but clock and release."""
    sha256: str
    """Of the record's bytes."""
    answers: Answers | None = None
    """The rechecked answers, as a screen shows them; None where there are none."""
    reading: Reading | None = None
    """The reading behind them; None where there is none."""
    reply: Reply | None = None
    held: bool = False
    """Whether the reply was held already, so that nobody was asked."""
    failed: bool = False
    """Whether a call was made, or a held reply looked at, in vain."""

    @property
    def reply_sha256(self) -> str | None:
        """The hash of the raw reply, as the journal takes it; None where there was none."""
        found = (self.record.call or {}).get("reply_sha256")
        return found if isinstance(found, str) else None


class ModelReads:
    """How the records of one queue are put to one model under one policy. Any thread may use it."""

    def __init__(
        self,
        *,
        queue: QueueState,
        policy: Policy,
        as_of: str | date,
        today: date,
        model: str,
        base_url: str,
        store: ReplyStore,
        sweep: Sweep,
        first: Reader | None = None,
    ) -> None:
        """Take `as_of` with the day put in for `today`.

        `first` reads before the model is asked; where it is sure, its reading stands and nobody is asked.
        """
        self.queue = queue
        self.policy = policy
        self.as_of = as_of
        self.schema = json_schema(policy)
        self.prompt_sha256 = build_prompt(policy._replace(as_of=as_of), "").sha256
        self.model = model
        self.base_url = base_url
        self._today = today
        self._store = store
        self._sweep = sweep
        self._first = first

    def prepare(self, file: RecordFile, *, fresh: bool = False) -> Ask | ModelAnswer:
        """What to ask about a record, or the answer where nothing is to be asked.

        With `fresh`, a reply that is held is not looked at. Raises RunError when the replies cannot be read.
        """
        loaded = read_record(file.path, file.id)
        claim = claim_in(loaded.record, self.queue.rows)
        if loaded.sha256 != self.queue.hashes.get(file.id):
            return self._unanswered(claim, loaded.sha256, "the record changed while the batch ran")
        if claim.faults:
            return self._unanswered(claim, loaded.sha256, "")
        if self._first is not None:
            reading = self._first.read(claim.record)
            if not reading.unsure:
                return self._answered(claim, loaded.sha256, reading)
        text = claim.record.text
        refusal = self._refusal(text, claim.facts.received_on if claim.facts else None)
        if refusal:
            return self._unanswered(claim, loaded.sha256, refusal)
        prompt = build_prompt(self.policy._replace(as_of=self.as_of), text)
        question = Question(loaded.sha256, prompt.sha256, self.model, self.base_url)
        held = None if fresh else self._store.held(question)
        return Ask(claim, loaded.sha256, question, messages(prompt), held)

    def answer(self, ask: Ask, call: Mapping[str, object], *, held: bool) -> ModelAnswer:
        """What a reply comes to. `call` is what was noted of the call, with the reply's text as `text`."""
        text = str(call["text"])
        reply = read_reply(text, bool(call.get("answer_from_reasoning")))
        noted = dict(call)
        noted["reply_sha256"] = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        noted |= {"record_sha256": ask.sha256, "base_url": self.base_url, "held": held}
        if isinstance(reply, ReplyFault):
            noted["departures"] = []
            again = "; a reply is held and is not bought again unless asked for afresh" if held else ""
            return self._unanswered(ask.claim, ask.sha256, reply.what + again, noted, failed=True, held=held)
        noted["departures"] = list(reply.departures)
        answered = self._answered(ask.claim, ask.sha256, reading_of(reply), noted)
        return answered._replace(reply=reply, held=held)

    def failure(self, ask: Ask, error: str, call: Mapping[str, object]) -> ModelAnswer:
        """What a call that failed comes to: its error, and the claim's clock as everywhere."""
        noted = dict(call) | {"record_sha256": ask.sha256, "base_url": self.base_url, "held": False}
        return self._unanswered(ask.claim, ask.sha256, error, noted, failed=True)

    def hold(self, ask: Ask, call: Mapping[str, object]) -> None:
        """Keep a reply; it is on disk when this returns."""
        self._store.hold(ask.question, call)

    def _refusal(self, text: str, received_on: date | None) -> str:
        """Why a record must not be sent, by kind and place and never by value; empty where it may be."""
        findings = self._sweep(text, received_on)
        named = [f"{each.kind} on line {each.line} at offset {each.start}" for each in findings[:_MAX_NAMED]]
        named += [
            f"chat template control word on line {text.count(chr(10), 0, start) + 1} at offset {start}"
            for start, _ in template_marks(text)[: _MAX_NAMED - len(named)]
        ]
        if not named:
            return ""
        more = f" and {len(findings) - _MAX_NAMED} more" if len(findings) > _MAX_NAMED else ""
        return f"not sent: the record holds {', '.join(named)}{more}"

    def _answered(
        self, claim: Claim, record_sha256: str, reading: Reading, call: Mapping[str, object] | None = None
    ) -> ModelAnswer:
        answers = recheck(reading, claim, self.policy, self.as_of, self._today)
        record = run_record(claim, reading, answers)._replace(call=call, record_sha256=record_sha256)
        return ModelAnswer(record, record_sha256, answers, reading)

    def _unanswered(
        self,
        claim: Claim,
        record_sha256: str,
        error: str,
        call: Mapping[str, object] | None = None,
        *,
        failed: bool = False,
        held: bool = False,
    ) -> ModelAnswer:
        nothing = Reading(ARM, None)
        answers = recheck(nothing, claim, self.policy, self.as_of, self._today)
        record = run_record(claim, nothing, answers)
        record = record._replace(
            resolution=None,
            rule=None,
            error="; ".join(filter(None, (record.error, error))),
            call=call,
            record_sha256=record_sha256,
        )
        return ModelAnswer(record, record_sha256, failed=failed, held=held)
