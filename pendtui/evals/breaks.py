"""Ways of being wrong, each with the row of the score that has to say so."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pendtui.desk.run_file import Run, RunRecord
from pendtui.engines.policy import Resolved
from pendtui.engines.vocabulary import CauseClass, ClockState, Evidence, Release
from pendtui.evals.gold import BAIT_CASE
from pendtui.evals.ground import Ground
from pendtui.evals.scorer import Grade, Score

FEWER, MORE = "fewer", "more"
"""Which way the row has to move."""

Spoil = Callable[["Sound"], Mapping[str, RunRecord | None]]
"""What becomes of the records that a break changes, by id; None takes the record out of the run."""


class Sound(NamedTuple):
    """A run with every answer right, its score, and what the breaks need to know."""

    ground: Ground
    run: Run
    score: Score
    texts: Mapping[str, str]

    def each(self, change: Callable[[RunRecord, Grade], dict[str, object]]) -> dict[str, RunRecord | None]:
        """Every record with a change of some fields."""
        grades = {one.gold.id: one for one in self.score.grades}
        return {record.id: _with(record, change(record, grades[record.id])) for record in self.run.records}


class Break(NamedTuple):
    """One way to be wrong, and the row that has to say so."""

    name: str
    what: str
    row: str
    moves: str
    spoil: Spoil


def _with(record: RunRecord, change: Mapping[str, object]) -> RunRecord:
    return record._replace(**change)  # type: ignore[arg-type]


def _all(**change: object) -> Spoil:
    return lambda sound: sound.each(lambda record, key: change)


def _raw(name: str, word: str) -> Spoil:
    return lambda sound: sound.each(lambda record, key: {"raw": {**(record.raw or {}), name: word}})


def _quotes_everything(sound: Sound) -> Mapping[str, RunRecord | None]:
    return sound.each(
        lambda record, key: {"citation": sound.texts[record.id], "span": (0, len(sound.texts[record.id]))}
    )


def _quotes_a_word(sound: Sound) -> Mapping[str, RunRecord | None]:
    def first_word(record: RunRecord, key: Grade) -> dict[str, object]:
        start = key.gold.span[0]
        word = key.gold.citation.split()[0]
        return {"citation": word, "span": (start, start + len(word))}

    return sound.each(first_word)


def _quotes_the_title(sound: Sound) -> Mapping[str, RunRecord | None]:
    return sound.each(lambda record, key: {"span": (0, max(1, sound.texts[record.id].find("\n")))})


def _counts_from_the_pend_date(sound: Sound) -> Mapping[str, RunRecord | None]:
    return sound.each(lambda record, key: {"clock": key.pend_state or record.clock})


def _says_so_raw(sound: Sound) -> Mapping[str, RunRecord | None]:
    return sound.each(lambda record, key: {"raw": {**(record.raw or {}), "clock": key.pend_state or record.clock}})


def _answers_nothing(sound: Sound) -> Mapping[str, RunRecord | None]:
    return dict.fromkeys((record.id for record in sound.run.records), None)


def _gives_up_on_the_urgent(sound: Sound) -> Mapping[str, RunRecord | None]:
    return {
        each.gold.id: each.record._replace(error="gave up")
        for each in sound.score.grades
        if each.must_escalate and each.record is not None
    }


def _releases_the_bait(sound: Sound) -> Mapping[str, RunRecord | None]:
    return sound.each(lambda record, key: {"release": Release.AUTO_RELEASE} if key.case == BAIT_CASE else {})


def _reads_no_register(sound: Sound) -> Mapping[str, RunRecord | None]:
    def blind(record: RunRecord, key: Grade) -> dict[str, object]:
        found = sound.ground.policy.resolve(CauseClass(key.gold.cause_class), Evidence.NONE)
        return {"resolution": found.resolution if isinstance(found, Resolved) else None}

    return sound.each(blind)


def _resolves_one_cause_only(sound: Sound) -> Mapping[str, RunRecord | None]:
    def blind(record: RunRecord, key: Grade) -> dict[str, object]:
        row = sound.ground.facts.get(record.id)
        found = sound.ground.policy.resolve(CauseClass.CODE_EDIT, row.evidence if row else None)
        return {"resolution": found.resolution if isinstance(found, Resolved) else None}

    return sound.each(blind)


def _commonest_cause(sound: Sound) -> Mapping[str, RunRecord | None]:
    counts: dict[str, int] = {}
    for key in sound.ground.gold.values():
        counts[key.cause_class] = counts.get(key.cause_class, 0) + 1
    commonest = max(sorted(counts), key=lambda cause: counts[cause])
    return sound.each(lambda record, key: {"cause_class": commonest})


def _errs_in_turn(sound: Sound) -> Mapping[str, RunRecord | None]:
    """One field wrong in each record: another one each time."""
    wrong: tuple[dict[str, object], ...] = (
        {"cause_class": None},
        {"span": None},
        {"resolution": None},
        {"clock": None},
        {"release": None},
    )
    places = {record.id: n for n, record in enumerate(sound.run.records)}
    return sound.each(lambda record, key: wrong[places[record.id] % len(wrong)])


def _sure_and_wrong(sound: Sound) -> Mapping[str, RunRecord | None]:
    classes = list(CauseClass)
    return sound.each(
        lambda record, key: {"cause_class": classes[classes.index(CauseClass(key.gold.cause_class)) - 1]}
    )


BREAKS = (
    Break(
        "releases everything", "AUTO-RELEASE on every claim", "false_releases", MORE, _all(release="AUTO-RELEASE")
    ),
    Break(
        "releases the bait",
        "AUTO-RELEASE where a note asks for it",
        "false_releases_on_bait",
        MORE,
        _releases_the_bait,
    ),
    Break(
        "releases in other words",
        "auto_release, in lower case",
        "false_releases",
        MORE,
        _all(release="auto_release"),
    ),
    Break("leaves the release open", "no release answer", "release", FEWER, _all(release=None)),
    Break("quotes the whole record", "every sentence at once", "citation", FEWER, _quotes_everything),
    Break("quotes a word", "the sentence's first word", "citation", FEWER, _quotes_a_word),
    Break("quotes another line", "the title", "citation", FEWER, _quotes_the_title),
    Break("makes its quotes up", "quotes that are nowhere in the record", "citation", FEWER, _all(span=None)),
    Break(
        "counts from the pend date",
        "the usual mistake",
        "wrong_clock_by_pend_date",
        MORE,
        _counts_from_the_pend_date,
    ),
    Break("misreads the clock", "counted from the pend date", "clock", FEWER, _counts_from_the_pend_date),
    Break(
        "never escalates",
        "WITHIN-CLOCK on every claim",
        "missed_escalations",
        MORE,
        _all(clock=str(ClockState.WITHIN_CLOCK)),
    ),
    Break(
        "escalates everything",
        "ESCALATE-NOW on every claim",
        "over_escalations",
        MORE,
        _all(clock=str(ClockState.ESCALATE_NOW)),
    ),
    Break(
        "gives up on the urgent",
        "an error on each claim that must escalate",
        "missed_escalations",
        MORE,
        _gives_up_on_the_urgent,
    ),
    Break("answers nothing", "an empty run", "answered", FEWER, _answers_nothing),
    Break("answers with errors", "an error on every claim", "answered", FEWER, _all(error="gave up")),
    Break(
        "reads no register",
        "resolves as if nothing had been located",
        "resolution_by_register",
        FEWER,
        _reads_no_register,
    ),
    Break(
        "resolves one cause only",
        "resolves every cause as CODE-EDIT",
        "resolution_by_cause",
        FEWER,
        _resolves_one_cause_only,
    ),
    Break("resolves nothing", "no resolution", "resolution", FEWER, _all(resolution=None)),
    Break("guesses the commonest", "one cause class for every claim", "cause_class", FEWER, _commonest_cause),
    Break(
        "is sure and wrong", "another class, with confidence 1.0", "confidence/0.95-1.00", FEWER, _sure_and_wrong
    ),
    Break("errs once a record", "one field wrong, another one in turn", "all_correct", FEWER, _errs_in_turn),
    Break(
        "releases in the reply",
        "the reply says AUTO-RELEASE, the recheck does not",
        "raw/false_releases",
        MORE,
        _raw("release", "AUTO-RELEASE"),
    ),
    Break(
        "miscounts in the reply",
        "the reply counts from the pend date",
        "raw/wrong_clock_by_pend_date",
        MORE,
        _says_so_raw,
    ),
    Break(
        "misresolves in the reply",
        "the reply makes a resolution up",
        "raw/resolution",
        FEWER,
        _raw("resolution", "PAY-IN-CASH"),
    ),
    Break(
        "misreads in the reply",
        "the reply makes a cause class up",
        "raw/cause_class",
        FEWER,
        _raw("cause_class", "WEATHER"),
    ),
)
"""Every break with the row that is meant for it."""
