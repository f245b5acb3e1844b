"""One open claim in plain mode: said on request, changed, decided."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pendtui.desk.claim_view import ClaimView
from pendtui.desk.colleagues import News
from pendtui.desk.diary import due_day, suggested_due_day
from pendtui.desk.exports.sheet import HISTORY_HEADS, history_cells
from pendtui.desk.exports.write import write_sheet_file
from pendtui.desk.journal import ConflictError, Entry, Lease, UnknownOutcomeError, Waiting
from pendtui.engines.policy import Resolved
from pendtui.engines.vocabulary import CauseClass, Evidence
from pendtui.errors import PendtuiError
from pendtui.linear import phrases
from pendtui.screens.wording import done_words, in_use_line, news_line

if TYPE_CHECKING:
    from pendtui.linear.session import Session

YES = ("y", "yes")
IN, WITHDRAWN, AGAIN = "in", "withdrawn", "again"
NOBODY = "nobody"


class OpenClaim:
    """The claim that is open in a session."""

    def __init__(self, session: "Session", view: ClaimView) -> None:
        self.session = session
        self.desk = session.desk
        self.say = session.say
        self.view = view
        self.decided = False
        self._outdated = ""

    @property
    def id(self) -> str:
        """The record's id."""
        return self.view.id

    def do(self, word: str, rest: str) -> None:
        """Do what a command says. Raises PendtuiError."""
        acts: Mapping[str, Callable[[str], None]] = {
            "answers": lambda rest: self.say_answers(),
            "quote": lambda rest: self.say(phrases.quote_sentence(self.view)),
            "sum": lambda rest: self.say_sum(),
            "rules": lambda rest: self.say_lines(phrases.rule_sentences(self.view, self.desk.policy)),
            "why": lambda rest: self.say_lines(phrases.weighed_sentences(self.view)),
            "text": lambda rest: self.say_lines(phrases.text_sentences(self.view)),
            "history": lambda rest: self._history(),
            "show": lambda rest: self.session.open(self.id),
            "accept": lambda rest: self._accept(),
            "cause": self._cause,
            "register": self._register,
            "park": self._park,
            "diary": lambda rest: self._diary(),
            "assign": self._assign,
            "handover": self._handover,
        }
        acts[word](rest)

    # Saying

    def say_lines(self, lines: Iterable[str]) -> None:
        """Say several lines."""
        for line in lines:
            self.say(line)

    def say_all(self, holder: Lease | None) -> None:
        """Say the claim: what it is, the four answers, the quote, the sum. Rules and text come on request."""
        self.say_lines(phrases.title_sentences(self.view, holder))
        self.say_answers()
        self.say(phrases.quote_sentence(self.view))
        self.say_sum()
        self.say("Type accept, cause, park, or rules, why, text, history to hear more.")

    def say_answers(self) -> None:
        """Say the four answers, and what keeps them from being accepted."""
        self.say_lines(phrases.answer_sentences(self.view))
        obstacle = self.desk.decisions.obstacle(self.view)
        if obstacle is not None:
            self.say(f"Not to be accepted yet: {obstacle}.")

    def say_sum(self) -> None:
        """Say the clock's arithmetic."""
        desk = self.desk
        self.say_lines(phrases.sum_sentences(self.view, desk.policy, desk.as_of, desk.today))

    def _history(self) -> None:
        history = self.desk.journal.history(self.desk.queue_name, self.id)
        for entry in history:
            cells = zip(HISTORY_HEADS, history_cells(entry), strict=True)
            self.say("; ".join(f"{head} {cell}" for head, cell in cells if cell) + ".")
        if not history:
            self.say(f"{self.id} has no journal row.")

    # Others

    def follow(self, news: News) -> bool:
        """Tell what others did with this claim; whether there was anything."""
        mine = next((claim for claim in news.claims if claim.record_id == self.id), None)
        if mine is None:
            return False
        if mine.decision_seq == self.view.last_seq and mine.status:
            self.view = replace(self.view, state=mine)
        else:
            self.say(f"News: {news_line(News((mine,), leases=False))}. Type show to hear it as it stands now.")
        return True

    def lost(self, lost: Sequence[Lease]) -> None:
        """Tell that somebody else has taken the claim, after its lease here had lapsed."""
        for holder in lost:
            if holder.record_id == self.id:
                self.say(f"News: {self.id} is {in_use_line(holder)}; your own hold on it had lapsed.")

    def on_this_day(self) -> None:
        """Count the days anew; what the examiner has changed stays."""
        self.view = self.desk.on_this_day(self.view)

    def tell_outdated(self) -> bool:
        """Tell once where the claim has become another in the folder; whether it was told now."""
        outdated = self.desk.outdated(self.view)
        told, self._outdated = bool(outdated) and outdated != self._outdated, outdated
        if told:
            self.say(f"News: {self.id}: {outdated}. Type show to read it again.")
        return told

    # Deciding

    def _accept(self) -> None:
        if self.tell_outdated():
            self.say("Not accepted: the claim has changed since it was said.")
            return
        obstacle = self.desk.decisions.obstacle(self.view)
        if obstacle is not None:
            self.say(f"Not accepted: {obstacle}.")
            return
        resolution = self.view.answers.resolution
        assert isinstance(resolution, Resolved)
        holder = self._holder()
        denies = resolution.resolution.denies and self.desk.config.confirm_denials
        if holder is not None or denies:
            self.say(phrases.quote_sentence(self.view))
            self.say(f"{resolution.rule.id}: {resolution.rule.title}. {resolution.rule.reason}")
            told = f"{self.id} is {in_use_line(holder)}. " if holder is not None else ""
            answer = self.session.question(f"{told}Decide {self.id} as {resolution.resolution}? Type yes.")
            if answer is None or answer.lower() not in YES:
                self.say("Not accepted.")
                return
        entry = self._tried(lambda: self.desk.decisions.accept(self.view))
        if entry is not None:
            self._done(f"Saved as row {entry.seq}: {self.id} {done_words(entry)}.")

    def _holder(self) -> Lease | None:
        with suppress(PendtuiError):
            self.desk.colleagues.look_at_leases()
        return self.desk.colleagues.holder(self.id)

    def _park(self, note: str) -> None:
        holder = self._holder()
        if holder is not None:
            self.say(f"Take care: {self.id} is {in_use_line(holder)}.")
        said = note or self.session.question(f"Park {self.id}: why, and what it waits for?")
        if said is None:
            self.say("Not parked: a note has to say why.")
            return
        entry = self._tried(lambda: self.desk.decisions.park(self.view, said))
        if entry is not None:
            self._done(f"Saved as row {entry.seq}: {self.id} parked.")

    def _done(self, told: str) -> None:
        self.decided = True
        self.say(told)
        self.session.after_decision()

    def _tried(self, act: Callable[[], Entry]) -> Entry | None:
        """What was saved. Where nothing was, it is told why, and the claim is said as it stands now."""
        try:
            return act()
        except ConflictError as conflict:
            self.say(f"Not saved: {conflict}.")
            with suppress(PendtuiError):
                self.desk.load_claims()
            self.session.open(self.id)
        except UnknownOutcomeError as fault:
            self.say(f"{fault}.")
        except PendtuiError as fault:
            self.say(f"Not saved: {fault}.")
        return None

    # Changing the answers

    def _cause(self, word: str) -> None:
        meanings = self.desk.policy.meanings["cause_class"]
        chosen = self._chosen(
            word, f"{self.id}: why did it pend?", {cause: meanings[cause] for cause in CauseClass}
        )
        if chosen is not None:
            self.view = self.desk.with_cause(self.view, CauseClass(chosen))
            self.say_answers()

    def _register(self, word: str) -> None:
        obstacle = self.desk.evidence_is_given(self.view)
        if obstacle is not None:
            self.say(obstacle)
            return
        meanings = self.desk.policy.meanings["evidence"]
        choices = {str(evidence): meanings[evidence] for evidence in Evidence}
        chosen = self._chosen(word, f"{self.id}: what does the register hold?", choices)
        if chosen is not None:
            self.view = self.desk.with_evidence(self.view, Evidence(chosen))
            self.say_answers()

    def _chosen(self, word: str, question: str, choices: Mapping[str, str]) -> str | None:
        """One of the words, given by itself, its beginning or its number; asked for where it is not given."""
        if not word:
            for n, (each, meaning) in enumerate(choices.items(), 1):
                self.say(f"{n}. {each}: {meaning}.")
            word = self.session.question(f"{question} A number or a word.") or ""
        words = list(choices)
        if word.isdecimal() and 1 <= int(word) <= len(words):
            return words[int(word) - 1]
        found = [each for each in words if word and each.lower().startswith(word.lower())]
        exact = [each for each in found if each.lower() == word.lower()]
        if len(exact or found) == 1:
            return (exact or found)[0]
        if word:
            self.say(f"{word} is {'more than' if found else 'not'} one of {', '.join(words)}.")
        self.say("Left as it was.")
        return None

    # What accompanies a decision

    def _assign(self, name: str) -> None:
        if not name:
            choices = {**self.desk.assignees, NOBODY: "whoever gets it"}
            for n, (each, what) in enumerate(choices.items(), 1):
                self.say(f"{n}. {each}: {what}.")
            said = self.session.question(f"Whose is {self.id}? A number or a name.")
            if said is None:
                self.say("Left as it was.")
                return
            number = int(said) if said.isdecimal() else 0
            name = list(choices)[number - 1] if 1 <= number <= len(choices) else said
        assignee = "" if name == NOBODY else name
        entry = self._tried(lambda: self.desk.decisions.assign(self.id, assignee))
        self._noted(entry, f"{self.id} is assigned to {assignee or 'nobody'}.")

    def _diary(self) -> None:
        state = self.view.state
        if state is not None and state.waiting == Waiting.ASKED:
            self.say(f"{state.asked} was asked; an answer is expected by {state.due_on}.")
            question = f"Type {IN} where the answer is in, {WITHDRAWN} where none is needed, {AGAIN} to ask again."
            said = (self.session.question(question) or "").lower()
            if said in (IN, WITHDRAWN):
                entry = self._tried(lambda: self.desk.decisions.answer_in(self.view, withdrawn=said == WITHDRAWN))
                self._noted(entry, "the answer is in." if said == IN else "the request is withdrawn.")
                return
            if said != AGAIN:
                self.say("Left as it was.")
                return
        self._ask()

    def _ask(self) -> None:
        due = suggested_due_day(self.view.answers.clock, self.desk.today)
        asked = self.session.question(f"{self.id}: who was asked?")
        what = self.session.question("What for?") if asked is not None else None
        if asked is None or what is None:
            self.say("Not noted.")
            return
        answer = self.session.question(f"By which day: a date, +10 for ten days, or ok for {due.isoformat()}.")
        due_on = due if (answer or "").lower() == "ok" else due_day(answer or "", self.desk.today)
        if due_on is None:
            self.say(f"Not noted: {answer or 'an empty line'} is no day; write 2026-09-14 or +10.")
            return
        entry = self._tried(lambda: self.desk.decisions.request(self.view, asked, what, due_on))
        self._noted(entry, f"{asked} was asked, an answer is expected by {due_on.isoformat()}.")

    def _noted(self, entry: Entry | None, told: str) -> None:
        if entry is None:
            return
        with suppress(PendtuiError):  # it is saved; how the claim stands with it is heard at the next look
            self.view = replace(self.view, state=self.desk.journal.claim(self.desk.queue_name, self.id))
        self.say(f"Row {entry.seq}: {told}")

    def _handover(self, name: str) -> None:
        named = name or self.session.question("Hand over to which file, ending in .html, .md or .jsonl?")
        if named is None:
            self.say("Not written.")
            return
        path = Path(named).expanduser().absolute()
        write_sheet_file(self.desk, self.view, path)
        self.say(f"The hand-over sheet is written to {path}.")
