"""The recheck: the cause is kept, everything else is computed anew."""

from datetime import date

from pendtui.engines.facts import claim_of
from pendtui.engines.policy import Blocked, Resolved
from pendtui.engines.readers import RawAnswers, Reading
from pendtui.engines.recheck import Override, recheck
from pendtui.engines.record import parse_record
from pendtui.engines.vocabulary import CauseClass, ClockState, Release, Resolution
from tests.policies import policy
from tests.records import MESSAGE, record_text, row

PR = policy()
TODAY = date(2026, 12, 1)
RECORD = parse_record(record_text(), "PC-0001")


def test_a_replys_own_resolution_clock_and_release_are_listed_and_not_used() -> None:
    raw = RawAnswers(resolution="RELEASE-AS-BILLED", clock="BREACHED", release="AUTO-RELEASE")
    reading = Reading("model", CauseClass.DUP_SUSPECT, MESSAGE, raw=raw)
    answers = recheck(reading, claim_of(RECORD, row()), PR, "register", TODAY)
    assert isinstance(answers.resolution, Resolved)
    assert answers.resolution.resolution is Resolution.ROUTE_SPECIALIST
    assert answers.clock is not None and answers.clock.state is ClockState.WITHIN_CLOCK
    assert answers.release is Release.EXAMINER_APPLIES
    assert answers.overrides == (
        Override("resolution", "RELEASE-AS-BILLED", "ROUTE-SPECIALIST", "PR-5"),
        Override("clock", "BREACHED", "WITHIN-CLOCK", "CL-2"),
        Override("release", "AUTO-RELEASE", "EXAMINER-APPLIES", "release gate"),
    )


def test_a_reply_that_agrees_is_not_overridden() -> None:
    raw = RawAnswers(resolution="ROUTE-SPECIALIST", clock="WITHIN-CLOCK", release="EXAMINER-APPLIES")
    reading = Reading("model", CauseClass.DUP_SUSPECT, MESSAGE, raw=raw)
    assert recheck(reading, claim_of(RECORD, row()), PR, "register", TODAY).overrides == ()


def test_a_quote_is_searched_for_and_never_repaired() -> None:
    claim = claim_of(RECORD, row())
    found = recheck(Reading("model", CauseClass.AUTH_MISSING, MESSAGE), claim, PR, "register", TODAY)
    assert found.span is not None and RECORD.text[slice(*found.span)] == MESSAGE
    missing = recheck(
        Reading("model", CauseClass.AUTH_MISSING, "no precertification…"), claim, PR, "register", TODAY
    )
    assert (missing.quote, missing.span) == ("no precertification…", None)


def test_a_record_without_a_row_is_blocked_until_the_register_is_known() -> None:
    answers = recheck(Reading("floor", CauseClass.AUTH_MISSING), claim_of(RECORD, None), PR, "register", TODAY)
    assert isinstance(answers.resolution, Blocked)
    assert answers.clock is not None and answers.clock.days_left == 38


def test_without_any_facts_there_is_no_clock_and_no_resolution() -> None:
    record = parse_record("PEND RECORD PC-0001 -- broken\n\nDESK NOTES\n\nno auth\n", "PC-0001")
    answers = recheck(Reading("floor", CauseClass.AUTH_MISSING), claim_of(record, None), PR, "register", TODAY)
    assert isinstance(answers.resolution, Blocked)
    assert answers.clock is None
