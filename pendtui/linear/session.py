"""Plain mode: the queue and its claims, worked by typing a word and reading lines.

It acts through the same Desk and Decisions as the screens and holds no rule of its own. Its letters are theirs.
"""

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pendtui.desk.desk import Desk
from pendtui.desk.exports.listed import Wanted
from pendtui.desk.exports.write import write_list_file
from pendtui.desk.index import Changes
from pendtui.desk.listing import SORTS, QueueRow
from pendtui.desk.words import count
from pendtui.errors import PendtuiError
from pendtui.linear.claim import OpenClaim
from pendtui.linear.phrases import row_sentence, standings_sentence
from pendtui.linear.terminal import EndOfInputError, Terminal
from pendtui.screens.wording import folder_line, news_line, turned_line

PAGE = 10
"""Claims that are listed at once; `more` goes on."""
STAY_SECONDS = 20.0
"""Between two renewals of the leases while input is waited for: a third of their term."""


NONE_LEFT = "No other open claim is left in the list."
NONE_URGENT = "No other open claim must escalate or is breached."
NONE_TO_GET = "No open claim is left that is nobody else's."


class Command(NamedTuple):
    """One thing that can be typed."""

    word: str
    letter: str
    """The screens' key for the same, where there is one."""
    takes: str
    help: str
    on_claim: bool = False
    """Whether it asks for an open claim."""


COMMANDS = (
    Command("list", "", "", "list the claims from the first one, most urgent first"),
    Command("more", "", "", "list the claims that follow"),
    Command(
        "filter",
        "/",
        "WORDS",
        "list only claims that match, such as filter escalate; alone, all again",
    ),
    Command("sort", "s", "ORDER", f"list in another order: {', '.join(SORTS)}"),
    Command("mine", "m", "", "list what is assigned to me or to my queues"),
    Command("open", "", "ID", "open a claim by its id, or by its number in the list"),
    Command("next", "n", "", "open the next open claim of the list"),
    Command("back", "b", "", "open the open claim before"),
    Command("urgent", "e", "", "open the next open claim that must escalate or is breached"),
    Command("get", "g", "", "get the next claim to work, and hold it"),
    Command("standing", "", "", "say how the whole queue stands"),
    Command("export", "X", "FILE", "write the listed claims to a file that ends in .csv, .jsonl, .md or .html"),
    Command("undo", "u", "", "undo my last decision, with a new row in the journal"),
    Command("answers", "", "", "say the four answers again", on_claim=True),
    Command("quote", ".", "", "say the cited sentence again", on_claim=True),
    Command("sum", "", "", "say the clock's arithmetic again", on_claim=True),
    Command("rules", "", "", "say what the answers mean, and why each earlier rule did not fire", on_claim=True),
    Command("why", "w", "", "say the sentences that counted for and against the cause class", on_claim=True),
    Command("text", "", "", "say the whole record, line by line", on_claim=True),
    Command("history", "", "", "say every journal row of the claim", on_claim=True),
    Command("show", "", "", "read the claim again as it stands now", on_claim=True),
    Command("accept", "a", "", "accept the four answers, and go to the next open claim", on_claim=True),
    Command("cause", "c", "CLASS", "choose another cause class; the answers follow at once", on_claim=True),
    Command("register", "v", "WORD", "say what the register holds, where nothing says it", on_claim=True),
    Command("park", "p", "NOTE", "set the claim aside with a note", on_claim=True),
    Command("diary", "d", "", "note that somebody outside was asked, or that the answer is in", on_claim=True),
    Command("assign", "A", "NAME", "say whose the claim is", on_claim=True),
    Command("handover", "X", "FILE", "write a hand-over sheet that ends in .html, .md or .jsonl", on_claim=True),
    Command("leave", "q", "", "leave the claim; without an open claim, the program"),
    Command("help", "?", "", "say what can be typed; help WORD says it of one"),
    Command("quit", "", "", "leave the program; every decision is already saved"),
)
"""Everything that can be typed, in the order the help lists it."""


class Session:
    """One sitting: reads a line, does what it says, tells what came of it."""

    def __init__(self, desk: Desk, terminal: Terminal) -> None:
        self.desk = desk
        self.terminal = terminal
        self.say = terminal.say
        self._search = ""
        self._sort = SORTS[0]
        self._rids: Sequence[int] = ()
        self._said: list[str] = []
        """The ids of the claims that were listed, in order: a number means the claim that was heard with it."""
        self._here = ""
        self._open: OpenClaim | None = None
        self._over = False
        self._day = desk.today
        self._trouble = ""
        self._changes: queue.SimpleQueue[Changes] = queue.SimpleQueue()
        self._leaving = threading.Event()
        self._acts: Mapping[str, Callable[[str], None]] = {
            "list": self._list,
            "more": lambda rest: self._more(),
            "filter": self._filter,
            "sort": self._sort_by,
            "mine": lambda rest: self._mine(),
            "open": self._open_by_name,
            "next": lambda rest: self._go(self._find(), NONE_LEFT),
            "back": lambda rest: self._go(self._find(step=-1), NONE_LEFT),
            "urgent": lambda rest: self._go(self._find(urgent=True), NONE_URGENT),
            "get": lambda rest: self._go(self.desk.take_next(self._open.id if self._open else ""), NONE_TO_GET),
            "standing": lambda rest: self._standing(),
            "export": self._export,
            "undo": lambda rest: self._undo(),
            "leave": lambda rest: self._leave(),
            "help": self._help,
            "quit": lambda rest: self._quit(),
        }

    def run(self, record: str | None = None) -> int:
        """Work until the examiner leaves or the input ends; the exit code. Ctrl-C at the prompt is passed on."""
        follower = threading.Thread(target=self._follow, daemon=True)
        try:
            self._begin(record)
            follower.start()
            while not self._over:
                self._look()
                self._once()
        except EndOfInputError:
            pass
        finally:
            self._leaving.set()
            if follower.is_alive():
                follower.join()
        return 0

    def _begin(self, record: str | None) -> None:
        if not self.desk.is_small:
            self.say("Reading the queue, which takes a while at the first time.")
        self.desk.refresh()
        self.desk.colleagues.look_at_leases()
        self.desk.turned()
        self.say(f"pendtui, plain mode. Queue {self.desk.folder.name}, policy {self.desk.policy.policy_id}.")
        self.say("The program proposes; a person decides. Type help for what can be typed.")
        self._standing()
        if record is not None:
            self._guarded(lambda: self.open(record))
        else:
            self._list("")

    def _once(self) -> None:
        prompt = f"{self._open.id}>" if self._open is not None else "queue>"
        line = self.terminal.ask(prompt, self.stay, STAY_SECONDS)
        if line:
            self._guarded(lambda: self._do(line))

    def _guarded(self, act: Callable[[], None]) -> None:
        try:
            act()
        except PendtuiError as fault:
            self.say(f"{fault}.".replace("..", "."))

    def question(self, prompt: str) -> str | None:
        """What the examiner answers to a question; None for an empty line, or Ctrl-C."""
        try:
            return self.terminal.ask(f"{prompt} An empty line leaves it.", self.stay, STAY_SECONDS) or None
        except KeyboardInterrupt:
            self.say("")
            return None

    def _do(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if line.startswith("/"):
            word, rest = "/", line[1:]
        command = find_command(word, on_claim=self._open is not None)
        if command is None:
            self._open_named(line)
        elif command.on_claim and self._open is None:
            self.say(f"{command.word}: no claim is open. Open one by its id or number, or type next.")
        elif command.on_claim:
            assert self._open is not None
            self._open.do(command.word, rest.strip())
        else:
            self._acts[command.word](rest.strip())

    # What happens meanwhile

    def stay(self) -> None:
        """Keep what is open here from lapsing."""
        try:
            lost = self.desk.colleagues.stay()
        except PendtuiError as fault:
            self._tell_trouble(str(fault))
            return
        if self._open is not None:
            self._open.lost(lost)

    def _look(self) -> None:
        """Tell what others did, what the folder brought and what the day changed, before the next prompt."""
        self.stay()
        try:
            self._tell_news()
        except PendtuiError as fault:
            self._tell_trouble(str(fault))
        else:
            self._trouble = ""

    def _tell_news(self) -> None:
        news = self.desk.colleagues.look()
        if news is not None and self._open is not None and self._open.follow(news):
            news = None
        if news is not None and (line := news_line(news)):
            self.say(f"News: {line}.")
        changed = self._folder_news()
        if self.desk.today != self._day:
            self._day = self.desk.today
            self.say(f"News: it is {self._day.isoformat()} now; the days are counted anew.")
            if self._open is not None:
                self._open.on_this_day()
            changed = True
        if changed and (line := turned_line(self.desk.turned())):
            self.say(f"News: {line}.")
        if self._open is not None:
            self._open.tell_outdated()

    def _folder_news(self) -> bool:
        changed = False
        while not self._changes.empty():
            changes = self._changes.get_nowait()
            changed = True
            if changes.fault:
                self.say(f"News: {changes.fault}.")
            elif changes.any and changes.done >= changes.due:
                self.say(f"News: {folder_line(changes)}")
        return changed

    def _follow(self) -> None:
        """Keep the index up with the folder, in a thread with a connection of its own."""
        try:
            for changes in self.desk.follow(self._leaving):
                self._changes.put(changes)
        except PendtuiError as fault:
            self._changes.put(Changes(fault=str(fault)))

    def _tell_trouble(self, text: str) -> None:
        if text != self._trouble:
            self._trouble = text
            self.say(f"Trouble: {text}.")

    # The queue

    def _list(self, rest: str) -> None:
        if rest:
            self._filter(rest)
            return
        self._relist()
        which = f" that match {self._search}" if self._search else ""
        self.say(f"{count(len(self._rids), 'claim')} by {self._sort}{which}.")
        self._said = []
        self._more()

    def _relist(self) -> None:
        self._rids = self.desk.order(self._sort, self._search)

    def _more(self) -> None:
        if self.desk.mend():
            self._relist()
        rows = self.desk.rows(self._rids[len(self._said) : len(self._said) + PAGE])
        if not rows:
            self.say("No more claims are listed.")
            return
        for n, row in enumerate(rows, len(self._said) + 1):
            self.say(row_sentence(n, row))
        self._said += (row.id for row in rows)
        left = len(self._rids) - len(self._said)
        if left > 0:
            self.say(f"{count(left, 'claim')} follow; more lists them.")

    def _filter(self, rest: str) -> None:
        before, self._search = self._search, rest
        try:
            self._list("")
        except PendtuiError:
            self._search = before
            raise

    def _mine(self) -> None:
        words = self._search.split()
        others = [word for word in words if word != "mine"]
        self._filter(" ".join(others if len(others) < len(words) else ("mine", *words)))

    def _sort_by(self, order: str) -> None:
        if order not in SORTS:
            self.say(f"sort: there is no order {order or 'without a name'}; the orders are {', '.join(SORTS)}.")
            return
        self._sort = order
        self._list("")

    def _standing(self) -> None:
        self.say(standings_sentence(self.desk.standings()))

    def _export(self, rest: str) -> None:
        name = rest or self.question("Export to which file, ending in .csv, .jsonl, .md or .html?")
        if name is None:
            self.say("Not exported.")
            return
        path = Path(name).expanduser().absolute()
        wanted = Wanted(self._sort, self._search)
        written = write_list_file(self.desk, wanted, path, stop=self._leaving, step=lambda seen, total: None)
        self.say(f"{count(written, 'claim')} written to {path}.")

    def _undo(self) -> None:
        entry = self.desk.decisions.undo()
        if entry is None:
            self.say("There is no decision of yours to undo.")
            return
        self.say(self.desk.decisions.undone(entry))
        if self._open is not None and self._open.id == entry.record_id:
            self.open(entry.record_id)

    # Going to a claim

    def _open_named(self, line: str) -> None:
        if line.isdecimal():
            if 1 <= int(line) <= len(self._said):
                self.open(self._said[int(line) - 1])
            else:
                self.say(f"Number {line} was not listed; list and more say the numbers.")
            return
        found = self.desk.row_of(line) or self.desk.row_of(line.upper())
        if found is not None:
            self.open(found.id)
        else:
            self.say(f"{line}: no command and no record of this queue. Type help for what can be typed.")

    def _open_by_name(self, rest: str) -> None:
        named = rest or self.question("Open which claim: its id, or its number in the list?")
        if named is not None:
            self._open_named(named)

    def open(self, record_id: str) -> None:
        """Open a claim and say it."""
        view = self.desk.open(record_id)
        if self._open is not None and self._open.id != record_id:
            self._let_go()
        holder = self.desk.colleagues.take(record_id)
        self._here = record_id
        self._open = OpenClaim(self, view)
        self._open.say_all(holder)

    def after_decision(self) -> None:
        """Go on to the next open claim of the list."""
        self._go(self._find(), NONE_LEFT)

    def _find(self, *, step: int = 1, urgent: bool = False) -> QueueRow | None:
        self._relist()
        if not self._rids:
            return None
        here = self.desk.row_of(self._here) if self._here else None
        try:
            start = self._rids.index(here.rid) + step if here is not None else 0
        except ValueError:
            start = 0
        return self.desk.find_open(self._rids, start, step=step, urgent=urgent)

    def _go(self, row: QueueRow | None, otherwise: str) -> None:
        if row is not None and (self._open is None or row.id != self._open.id):
            self.open(row.id)
            return
        self.say(otherwise)
        if row is None and self._open is not None and self._open.decided:
            self._leave()

    def _let_go(self) -> None:
        if self._open is not None:
            with suppress(PendtuiError):  # a lease that could not be given back lapses by itself
                self.desk.colleagues.let_go(self._open.id)
            self._open = None

    def _leave(self) -> None:
        if self._open is None:
            self._quit()
            return
        left = self._open.id
        self._let_go()
        self.say(f"{left} left. Back at the queue.")

    def _quit(self) -> None:
        self._over = True
        self.say("Left. Every decision is saved.")

    def _help(self, rest: str) -> None:
        one = find_command(rest) if rest else None
        for command in (one,) if one is not None else COMMANDS:
            letter = f", or {command.letter}" if command.letter else ""
            takes = f" {command.takes}" if command.takes else ""
            where = " (on an open claim)" if command.on_claim else ""
            self.say(f"{command.word}{takes}{letter}: {command.help}{where}.")
        if one is None:
            self.say("A number or an id alone opens that claim. Ctrl-C leaves a question, else the program.")


def find_command(word: str, *, on_claim: bool = True) -> Command | None:
    """The command of a word, or of one of the screens' letters, which differ by case.

    A letter that stands for two is the open claim's where one is open, and the queue's elsewhere.
    """
    found = [one for one in COMMANDS if word and (word == one.letter or word.lower() == one.word)]
    return next((one for one in found if one.on_claim == on_claim), next(iter(found), None))
