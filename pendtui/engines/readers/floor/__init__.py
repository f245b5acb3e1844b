"""The default offline reader: it weighs every sentence for every cause class instead of taking the first hit."""

import re

from pendtui.engines.readers import Reading, Support
from pendtui.engines.readers.floor.lexicon import CLASSES, Lexicon, shipped_lexicon
from pendtui.engines.readers.floor.sentences import Weigher, folded
from pendtui.engines.record import Record, Unit
from pendtui.engines.vocabulary import READABLE_SECTIONS, SectionName

MESSAGE_SHARE = 0.8
_NUMBER = re.compile(r"(?<![\d/.-])\d{4}(?![\d/.-])")


class FloorReader:
    """Weighs message, notes and trail, and quotes the sentence that establishes the class."""

    name = "floor"

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self._weigher = Weigher(lexicon or shipped_lexicon())

    def read(self, record: Record) -> Reading:
        units = [unit for unit in record.units(*READABLE_SECTIONS)]
        tokens = folded("\x02".join([u.text for u in units]))
        said = self._weigher.weigh(tokens)
        n = len(CLASSES)
        msg = [0.0] * n
        nar = [0.0] * n
        out = [0.0] * n
        best: list[tuple[float, int]] = [(0.0, -1)] * n
        fade = [1.0] * len(units)
        for i, s in enumerate(said):
            if s.corrects and units[i].section is SectionName.NOTES:
                for j in range(i):
                    if units[j].section is SectionName.NOTES:
                        fade[j] *= 0.5
        for i, (u, s) in enumerate(zip(units, said)):
            message = u.section is SectionName.MESSAGE
            for c, w in s.supports.items():
                w *= fade[i] * (1.15 if s.corrects else 1.0)
                a = s.against.get(c, 0.0)
                w -= a * (0.2 if w >= 0.9 * a else 1.0)
                if w <= 0:
                    continue
                side = msg if message else nar
                side[c] = max(side[c], w) + 0.25 * min(side[c], w)
                w *= MESSAGE_SHARE if message else 1.0
                if w > best[c][0]:
                    best[c] = (w, i)
            if not message:
                for c, a in s.against.items():
                    b = s.supports.get(c, 0.0)
                    a -= b * (0.5 if b < 0.9 * a else 10)
                    if a > 0:
                        out[c] = max(out[c], a) + 0.25 * min(out[c], a)
        numbers = set(_NUMBER.findall(" ".join(u.text for u in units if u.section is SectionName.MESSAGE)))
        off = any(
            s.edit_off or (s.settles and any(number in u.text for number in numbers))
            for u, s in zip(units, said)
            if u.section is not SectionName.MESSAGE
        )
        if off and max(msg) > 0:
            named = max(range(n), key=msg.__getitem__)
            out[named] += 3.0
        total = [0.0] * n
        for c in range(n):
            m = msg[c] * MESSAGE_SHARE
            if out[c] > 1.0:
                m *= 0.3
            total[c] = m + nar[c] - 0.5 * out[c]
        top = max(range(n), key=total.__getitem__)
        self.debug = (units, said, msg, nar, out, total)
        if best[top][1] < 0 or total[top] <= 0.3:
            return Reading(self.name, None)
        u = units[best[top][1]]
        return Reading(self.name, CLASSES[top], u.text, u.span)
