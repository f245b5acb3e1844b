"""The tour: a few lines above the keys that say, step by step, how a claim is worked, while every key works."""

import re

from textual.content import Content
from textual.widgets import Static

from pendtui.actions import ACTIONS
from pendtui.plain import plain

STEPS = (
    "Each line is a pended claim, the most urgent first: !! is breached, ! has to escalate now."
    " [queue.cursor_down] and [queue.cursor_up] move; [queue.open_record] opens the claim.",
    "A record shows the sentence that says why it pended, and the four answers with their sums. [record.why] says"
    " what counted, [record.change_cause] chooses another cause, [record.to_queue] goes back.",
    "[record.accept] accepts the four answers and brings up the next claim; [record.park] parks with a note,"
    " [record.undo] undoes. Nothing is released by this program: a person applies every answer.",
    "[queue.filter] lists only what matches, as you type: medicaid escalate, cause:dup, age:>60. [queue.mark] marks"
    " claims; [queue.assign] assigns, [queue.park] parks all that are marked.",
    "[queue.take_next] gets the next claim to work and holds it, so that nobody else works on it; [queue.mine]"
    " lists what is mine. Others see what you have open, and you what they have.",
    "[everywhere.overview] is the overview of the coming days, [everywhere.journal] the journal,"
    " [everywhere.policy] the policy, [everywhere.population] the population standards,"
    " [everywhere.settings] the settings.",
    "[everywhere.help] lists every key of the screen you are on, and [everywhere.palette] finds any action and any"
    " record. That is all.",
)
"""What each step says. An action in brackets stands for its key."""

_ACTION = re.compile(r"\[([a-z_]+\.[a-z_]+)\]")


class TourBar(Static):
    """Shows one step of the tour; out of sight while there is none."""

    DEFAULT_CSS = """
    TourBar { height: auto; padding: 0 1; background: $primary 20%; display: none; }
    TourBar.on { display: block; }
    """

    def show_step(self, step: int | None) -> None:
        """Show that step, or nothing."""
        self.set_class(step is not None, "on")
        if step is None:
            return
        keys = {action.id: action.shown for action in getattr(self.app, "actions", ACTIONS)}
        text = _ACTION.sub(lambda found: keys[found[1]], STEPS[step])
        on, end = keys["everywhere.tour"], keys["everywhere.end_tour"]
        onward = f"{on} goes on, {end} ends it" if step + 1 < len(STEPS) else f"{on} or {end} ends it"
        self.update(
            Content.assemble((f"Tour {step + 1} of {len(STEPS)}  ", "bold"), plain(text), plain(f" ({onward})"))
        )
