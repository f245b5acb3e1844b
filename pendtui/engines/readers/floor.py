"""The default offline reader."""

from pendtui.engines.readers import Reading
from pendtui.engines.readers.phrase import PhraseReader
from pendtui.engines.record import Record


class FloorReader:
    """Reads as the phrase reader does, under its own name."""

    name = "floor"

    def __init__(self) -> None:
        self._phrase = PhraseReader()

    def read(self, record: Record) -> Reading:
        """The phrase reader's cause class and sentence."""
        return self._phrase.read(record)._replace(arm=self.name)
