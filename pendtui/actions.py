"""The one table of what can be done: bindings, footer, help and palette are all made from it."""

from dataclasses import dataclass

QUEUE, RECORD, EVERYWHERE = "queue", "record", "everywhere"
"""The places an action applies to."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing an examiner can do."""

    name: str
    """Of the screen's `action_` method."""
    keys: str
    """Textual key names, separated by commas."""
    shown: str
    """The key as footer and help print it."""
    label: str
    """What the footer prints."""
    help: str
    """What the help screen prints."""
    place: str
    footer: bool = True


ACTIONS: tuple[Action, ...] = (
    Action("open_record", "enter", "Enter", "Open", "open the record under the cursor", QUEUE),
    Action("next_urgent", "e", "e", "Urgent", "go to the next open claim that must escalate or is breached", QUEUE),
    Action("filter", "slash", "/", "Filter", "list only the records that match, as you type", QUEUE),
    Action("clear_filter", "escape", "Esc", "Clear", "list every record again", QUEUE, footer=False),
    Action(
        "sort",
        "s",
        "s",
        "Sort",
        "list in the next order: clock, received, record, cause, resolution, status",
        QUEUE,
    ),
    Action("undo", "u", "u", "Undo", "undo my last decision, with a new row in the journal", QUEUE),
    Action("read_listed", "R", "R", "Read all", "put the listed records to the model, after a look", QUEUE),
    Action("cursor_down", "down,j", "j ↓", "Down", "one record down", QUEUE, footer=False),
    Action("cursor_up", "up,k", "k ↑", "Up", "one record up", QUEUE, footer=False),
    Action("page_down", "pagedown,space,ctrl+f", "PgDn Space", "Page down", "one page down", QUEUE, footer=False),
    Action("page_up", "pageup,ctrl+b", "PgUp", "Page up", "one page up", QUEUE, footer=False),
    Action("first", "home", "Home", "First", "to the first record", QUEUE, footer=False),
    Action("last", "end,G", "End G", "Last", "to the last record", QUEUE, footer=False),
    Action("columns_right", "right,l", "l →", "Columns", "show the columns further right", QUEUE, footer=False),
    Action("columns_left", "left,h", "h ←", "Columns", "show the columns further left", QUEUE, footer=False),
    Action("quit_program", "q", "q", "Quit", "leave the program; every decision is already saved", QUEUE),
    Action("accept", "a", "a", "Accept", "accept the four answers as shown, and go to the next open claim", RECORD),
    Action("change_cause", "c", "c", "Cause", "choose another cause class; the answers follow at once", RECORD),
    Action("set_evidence", "v", "v", "Register", "say what the register holds, where nothing says it", RECORD),
    Action("park", "p", "p", "Park", "set the claim aside with a note", RECORD),
    Action("undo", "u", "u", "Undo", "undo my last decision, with a new row in the journal", RECORD),
    Action("read_model", "r", "r", "Read", "ask the model about this claim, in the background", RECORD),
    Action("swap", "t", "t", "Take other", "rest the acceptance on the other reading", RECORD, footer=False),
    Action("raw_reply", "x", "x", "Raw", "the model's raw reply", RECORD, footer=False),
    Action("cancel", "escape", "Esc", "Cancel", "cancel the read, or back to the queue", RECORD, footer=False),
    Action("why", "w", "w", "Why", "the sentences that counted for and against the cause class", RECORD),
    Action("next_open", "n", "n", "Next", "the next open claim", RECORD, footer=False),
    Action("previous_open", "b", "b", "Back", "the open claim before", RECORD, footer=False),
    Action(
        "next_urgent",
        "e",
        "e",
        "Urgent",
        "the next open claim that must escalate or is breached",
        RECORD,
        footer=False,
    ),
    Action("scroll_down", "down,j", "j ↓", "Down", "scroll the record or the answers down", RECORD, footer=False),
    Action("scroll_up", "up,k", "k ↑", "Up", "scroll the record or the answers up", RECORD, footer=False),
    Action("page_down", "pagedown,space", "PgDn Space", "Page down", "scroll one page down", RECORD, footer=False),
    Action("page_up", "pageup", "PgUp", "Page up", "scroll one page up", RECORD, footer=False),
    Action("sentence", "period", ".", "Sentence", "scroll back to the cited sentence", RECORD, footer=False),
    Action("to_queue", "q", "q", "Queue", "back to the queue", RECORD),
    Action("switch_pane", "tab", "Tab", "Pane", "on a narrow screen, switch between record and answers", RECORD),
    Action("help", "question_mark,f1", "?", "Help", "what the keys do here", EVERYWHERE),
)
"""Every action, in the order the footer and the help list them."""


def actions_at(place: str) -> tuple[Action, ...]:
    """The actions of a place, those that apply everywhere last."""
    return tuple(action for action in ACTIONS if action.place == place) + tuple(
        action for action in ACTIONS if action.place == EVERYWHERE
    )
