"""The one table of what can be done: bindings, key bar, help and palette are all made from it."""

from collections.abc import Mapping
from typing import NamedTuple

from pendtui.errors import ConfigError

QUEUE, RECORD = "queue", "record"
VIEWS = ("overview", "population", "policy", "journal", "evidence", "settings")
"""The screens that are looked at beside the work, each opened by an action of its name."""
OVERVIEW, POPULATION, POLICY, JOURNAL, EVIDENCE, SETTINGS = VIEWS
VIEW, EVERYWHERE = "view", "everywhere"
"""What applies to all views alike, and what applies on every screen."""
PLACES = (QUEUE, RECORD, *VIEWS)
"""The screens that have keys of their own."""


class Action(NamedTuple):
    """One thing an examiner can do."""

    name: str
    """Of the screen's `action_` method."""
    keys: str
    """Textual key names, separated by commas."""
    shown: str
    """The key as key bar and help print it."""
    label: str
    """What the key bar prints."""
    help: str
    """What the help screen prints."""
    place: str
    bar: bool = True
    """Whether the key bar shows it; help and palette always do."""

    @property
    def id(self) -> str:
        """How [keys] and Textual's keymap name it."""
        return f"{self.place}.{self.name}"


ACTIONS: tuple[Action, ...] = (
    Action("open_record", "enter", "Enter", "Open", "open the record under the cursor", QUEUE),
    Action("take_next", "g", "g", "Get next", "get the next claim to work, and hold it", QUEUE),
    Action("next_urgent", "e", "e", "Urgent", "go to the next open claim that must escalate or is breached", QUEUE),
    Action("filter", "slash", "/", "Filter", "list only the records that match, as you type", QUEUE),
    Action("mine", "m", "m", "Mine", "list what is assigned to me or to my queues, or all again", QUEUE),
    Action("filters", "f", "f", "Filters", "list by a saved filter, or save the present one", QUEUE, bar=False),
    Action(
        "sort",
        "s",
        "s",
        "Sort",
        "list in the next order: clock, received, record, cause, resolution, status",
        QUEUE,
    ),
    Action("mark", "space", "Space", "Mark", "mark the record, and go one down", QUEUE),
    Action("mark_all", "asterisk", "*", "Mark all", "mark every listed record, or none", QUEUE, bar=False),
    Action("assign", "A", "A", "Assign", "say whose the marked claims are, or the one under the cursor", QUEUE),
    Action("park", "p", "p", "Park", "set the marked claims aside with one note", QUEUE, bar=False),
    Action(
        "repeat",
        "period",
        ".",
        "Repeat",
        "do the last A or p again, to the marked claims or the one here",
        QUEUE,
        False,
    ),
    Action("undo", "u", "u", "Undo", "undo my last decision, with a new row in the journal", QUEUE),
    Action(
        "read_listed", "R", "R", "Read all", "put the marked or listed records to the model, after a look", QUEUE
    ),
    Action("export", "X", "X", "Export", "write the marked or listed claims to a file", QUEUE, bar=False),
    Action("clear", "escape", "Esc", "Clear", "drop a count, then the marks, then the filter", QUEUE, bar=False),
    Action("cursor_down", "down,j", "j ↓", "Down", "one record down; 5j is five", QUEUE, bar=False),
    Action("cursor_up", "up,k", "k ↑", "Up", "one record up; 5k is five", QUEUE, bar=False),
    Action("page_down", "pagedown,ctrl+f,ctrl+d", "PgDn ^F", "Page down", "one page down", QUEUE, bar=False),
    Action("page_up", "pageup,ctrl+b,ctrl+u", "PgUp ^B", "Page up", "one page up", QUEUE, bar=False),
    Action("first", "home", "Home", "First", "to the first record", QUEUE, bar=False),
    Action("last", "end,G", "End G", "Last", "to the last record; 40G is the 40th", QUEUE, bar=False),
    Action("columns_right", "right,l", "l →", "Columns", "show the columns further right", QUEUE, bar=False),
    Action("columns_left", "left,h", "h ←", "Columns", "show the columns further left", QUEUE, bar=False),
    Action("quit_program", "q", "q", "Quit", "leave the program; every decision is already saved", QUEUE),
    Action("accept", "a", "a", "Accept", "accept the four answers as shown, and go to the next open claim", RECORD),
    Action("change_cause", "c", "c", "Cause", "choose another cause class; the answers follow at once", RECORD),
    Action("set_evidence", "v", "v", "Register", "say what the register holds, where nothing says it", RECORD),
    Action("park", "p", "p", "Park", "set the claim aside with a note", RECORD),
    Action("diary", "d", "d", "Diary", "note that somebody outside was asked, or that the answer is in", RECORD),
    Action("assign", "A", "A", "Assign", "say whose the claim is", RECORD, bar=False),
    Action("undo", "u", "u", "Undo", "undo my last decision, with a new row in the journal", RECORD),
    Action("read_model", "r", "r", "Read", "ask the model about this claim, in the background", RECORD),
    Action("swap", "t", "t", "Take other", "rest the acceptance on the other reading", RECORD, bar=False),
    Action("raw_reply", "x", "x", "Raw", "the model's raw reply", RECORD, bar=False),
    Action("cancel", "escape", "Esc", "Cancel", "cancel the read, or back to the queue", RECORD, bar=False),
    Action("export", "X", "X", "Hand over", "write a hand-over sheet of the claim, to print", RECORD, bar=False),
    Action("why", "w", "w", "Why", "the sentences that counted for and against the cause class", RECORD),
    Action("show_again", "enter", "Enter", "Look again", "show the claim as it stands now", RECORD, bar=False),
    Action("take_next", "g", "g", "Get next", "get the next claim to work, and hold it", RECORD, bar=False),
    Action("next_open", "n", "n", "Next", "the next open claim in the list", RECORD, bar=False),
    Action("previous_open", "b", "b", "Back", "the open claim before", RECORD, bar=False),
    Action(
        "next_urgent",
        "e",
        "e",
        "Urgent",
        "the next open claim that must escalate or is breached",
        RECORD,
        bar=False,
    ),
    Action("scroll_down", "down,j", "j ↓", "Down", "scroll the record or the answers down", RECORD, bar=False),
    Action("scroll_up", "up,k", "k ↑", "Up", "scroll the record or the answers up", RECORD, bar=False),
    Action(
        "page_down", "pagedown,space,ctrl+f", "PgDn Space", "Page down", "scroll one page down", RECORD, bar=False
    ),
    Action("page_up", "pageup,ctrl+b", "PgUp", "Page up", "scroll one page up", RECORD, bar=False),
    Action("sentence", "period", ".", "Sentence", "scroll back to the cited sentence", RECORD, bar=False),
    Action("to_queue", "q", "q", "Queue", "back to the queue", RECORD),
    Action("switch_pane", "tab", "Tab", "Pane", "on a narrow screen, switch between record and answers", RECORD),
    Action("export", "X", "X", "Export", "write the standards to a CSV file", POPULATION),
    Action("open_record", "enter", "Enter", "Open", "open the record of the row under the cursor", JOURNAL),
    Action("filter", "slash", "/", "Filter", "list only the rows that hold these words", JOURNAL),
    Action("undo", "u", "u", "Undo", "undo my last decision, with a new row in the journal", JOURNAL),
    Action("verify", "v", "v", "Verify", "check every row against the chain", JOURNAL),
    Action("export", "X", "X", "Export", "write the listed rows to a CSV or JSON lines file", JOURNAL),
    Action("older", "O", "O", "Older", "list older rows too", JOURNAL),
    Action("change", "enter", "Enter", "Change", "change the setting under the cursor, in config.toml", SETTINGS),
    Action("test_model", "t", "t", "Test model", "make one cheap call to the model's server", SETTINGS),
    Action("scroll_down", "down,j", "j ↓", "Down", "scroll down", VIEW, bar=False),
    Action("scroll_up", "up,k", "k ↑", "Up", "scroll up", VIEW, bar=False),
    Action("page_down", "pagedown,space,ctrl+f", "PgDn Space", "Page down", "one page down", VIEW, bar=False),
    Action("page_up", "pageup,ctrl+b", "PgUp", "Page up", "one page up", VIEW, bar=False),
    Action("scroll_home", "home", "Home", "Top", "to the top", VIEW, bar=False),
    Action("scroll_end", "end,G", "End G", "End", "to the end", VIEW, bar=False),
    Action("leave", "escape,q", "Esc q", "Back", "back to where the view was opened", VIEW),
    Action("arms", "1", "1", "Arms", "every figure, the arms side by side", EVIDENCE, bar=False),
    Action("confusion", "2", "2", "Confusion", "which cause class was read for which", EVIDENCE, bar=False),
    Action("reliability", "3", "3", "Sureness", "whether a reader is as sure as it is right", EVIDENCE, bar=False),
    Action("recheck", "4", "4", "Recheck", "where the recheck helped and where it hurt", EVIDENCE, bar=False),
    Action("calls", "5", "5", "Calls", "seconds, tokens and cost of the calls", EVIDENCE, bar=False),
    Action("history", "6", "6", "History", "the figures over the stored runs", EVIDENCE, bar=False),
    Action("stored", "7", "7", "Runs", "the stored runs, and each one's figures", EVIDENCE, bar=False),
    Action("next_view", "tab", "Tab", "Next", "the next view of the evidence", EVIDENCE),
    Action("next_arm", "a", "a", "Arm", "the next arm, in what shows one arm", EVIDENCE),
    Action("look_behind", "enter", "Enter", "Behind", "the records behind it, then the record itself", EVIDENCE),
    Action("left", "left,h", "h ←", "Left", "one column to the left", EVIDENCE, bar=False),
    Action("right", "right,l", "l →", "Right", "one column to the right", EVIDENCE, bar=False),
    Action(
        "overview",
        "o",
        "o",
        "Overview",
        "what turns urgent when, ages, today's work",
        EVERYWHERE,
        bar=False,
    ),
    Action(
        "population",
        "percent_sign",
        "%",
        "Population",
        "where the percentile standards stand",
        EVERYWHERE,
        bar=False,
    ),
    Action("policy", "P", "P", "Policy", "the rules, and why each fires here or not", EVERYWHERE, bar=False),
    Action("journal", "J", "J", "Journal", "every decision in order: look up, verify, export", EVERYWHERE, False),
    Action("evidence", "E", "E", "Evidence", "what the readers were shown to do, by run", EVERYWHERE, bar=False),
    Action("settings", "comma", ",", "Settings", "look at the settings, and change them", EVERYWHERE, False),
    Action("tour", "f2", "F2", "Tour", "a tour of two minutes, and its next step", EVERYWHERE, bar=False),
    Action("end_tour", "f3", "F3", "End tour", "end the tour", EVERYWHERE, bar=False),
    Action(
        "redraw",
        "ctrl+l",
        "^L",
        "Redraw",
        "paint the screen anew, where something else wrote on it",
        EVERYWHERE,
        False,
    ),
    Action("palette", "colon,ctrl+p", ":", "Find", "find any action, and any record by its id", EVERYWHERE),
    Action("help", "question_mark,f1", "?", "Help", "what the keys do here", EVERYWHERE),
)
"""Every action, in the order the key bar and the help list them."""

_SHOWN = {
    "question_mark": "?",
    "slash": "/",
    "period": ".",
    "comma": ",",
    "colon": ":",
    "asterisk": "*",
    "percent_sign": "%",
    "space": "Space",
    "enter": "Enter",
    "escape": "Esc",
    "tab": "Tab",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
}
_NAMES = {
    sign: name for name, sign in _SHOWN.items() if len(sign) == 1 and name not in {"up", "down", "left", "right"}
}
_MODIFIERS = ("ctrl", "shift", "alt")


def actions_at(place: str, actions: tuple[Action, ...] = ACTIONS) -> tuple[Action, ...]:
    """The actions of a place, those that apply elsewhere too last."""
    wanted = (place, VIEW, EVERYWHERE) if place in VIEWS else (place, EVERYWHERE)
    return tuple(action for one in wanted for action in actions if action.place == one)


def rebound(keys: Mapping[str, str]) -> tuple[Action, ...]:
    """The table with the keys that the settings give, by action (record.accept = "y", "ctrl+a,f5").

    Raises ConfigError naming the action, and the other one where two of a place would share a key.
    """
    known = {action.id: action for action in ACTIONS}
    changed = {}
    for action_id, given in keys.items():
        if action_id not in known:
            places = f"{', '.join((*PLACES, VIEW))} and {EVERYWHERE}"
            raise ConfigError(
                f"[keys] {action_id} is no action",
                remedy=f"`pendtui keys` lists them; the places are {places}",
            )
        names = [_key_name(key.strip(), action_id) for key in given.split(",")] if given.strip() else []
        if not names:
            raise ConfigError(f"[keys] {action_id} has no key", remedy='Write it as "f5" or "ctrl+a,y"')
        shown = " ".join(shown_key(name) for name in names)
        changed[action_id] = known[action_id]._replace(keys=",".join(names), shown=shown)
    table = tuple(changed.get(action.id, action) for action in ACTIONS)
    _refuse_shared_keys(table)
    return table


def shown_key(name: str) -> str:
    """A Textual key name as people write it."""
    *modifiers, key = name.split("+")
    return "+".join(
        [*(word.capitalize() for word in modifiers), _SHOWN.get(key, key.upper() if _is_function(key) else key)]
    )


def _refuse_shared_keys(table: tuple[Action, ...]) -> None:
    for place in PLACES:
        taken: dict[str, Action] = {}
        for action in actions_at(place, table):
            for key in action.keys.split(","):
                if key in taken:
                    raise ConfigError(
                        f"[keys] {shown_key(key)} would be both {taken[key].id} and {action.id}",
                        remedy="Give one of them another key",
                    )
                taken[key] = action


def _key_name(key: str, action_id: str) -> str:
    *modifiers, last = key.split("+") if key != "+" else ["plus"]
    last = _NAMES.get(last, last)
    fits = len(last) == 1 and last.isprintable() and not last.isdigit()
    fits = fits or last in _SHOWN or last in {"home", "end", "insert", "delete", "backspace", "plus", "minus"}
    fits = fits or _is_function(last)
    if not fits or any(modifier not in _MODIFIERS for modifier in modifiers):
        raise ConfigError(
            f"[keys] {action_id}: '{key}' is no key",
            remedy="A key is a letter, a sign, a name such as enter, f1 to f12, or ctrl+ and one of these",
        )
    return "+".join([*modifiers, last])


def _is_function(key: str) -> bool:
    return key[:1] == "f" and key[1:].isdigit() and 1 <= int(key[1:]) <= 12
