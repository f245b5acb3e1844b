"""How plainly the invented records name a cause: edits as systems print them, notes as desks write them."""

import re
from collections.abc import Iterator

import pytest

from pendtui.engines.vocabulary import CauseClass
from pendtui.evals.corpus.build import invent, shipped_policy
from pendtui.evals.corpus.plan import Place
from pendtui.evals.corpus.pools import CAUSE_KINDS, INDIRECT, Line, read_pools
from pendtui.evals.corpus.writer import LOOKS_LIKE_ANOTHER

POOLS = read_pools()

# the everyday names of each class in published adjustment, remark and edit descriptions
_NAMES = {
    CauseClass.ELIG_MISMATCH: r"(?:not )?eligib\w+|elig|coverage|termed|terminat\w+|effective date",
    CauseClass.AUTH_MISSING: r"(?:un)?authoriz\w+|auth|(?:not )?precert\w*|PA|referral",
    CauseClass.COB_UNRESOLVED: r"coordination of benefits|COB|other (?:health )?ins(?:urance)?|OI|TPL|MSP"
    r"|third party liability|primary|secondary|EOB|other[- ]payer",
    CauseClass.PROV_ENROLL: r"NPI|taxonom\w+|enroll\w*|(?:re)?credential\w*|revalidation|provider (?:file|match)",
    CauseClass.DUP_SUSPECT: r"duplicates?|dup|previously paid|already paid",
    CauseClass.PRICE_UNAVAILABLE: r"fee sched(?:ule)?|fee|(?:contract )?rates?|(?:re)?pric\w+|unpriced|allowable"
    r"|allowed amount",
    CauseClass.CODE_EDIT: r"modifier|(?:un)?bundl\w+|NCCI|MUE|mutually exclusive|units",
    CauseClass.DOC_REQUIRED: r"(?:medical )?records|med recs|itemized bill|op(?:erative)? report|chart notes"
    r"|documentation|attachment|invoice",
}
NAMES = {cause: re.compile(rf"\b(?:{names})\b", re.IGNORECASE) for cause, names in _NAMES.items()}


def named(text: str) -> set[CauseClass]:
    """The classes that the text calls by one of their standard names."""
    return {cause for cause, names in NAMES.items() if names.search(text)}


def cause_lines(*kinds: str) -> Iterator[tuple[CauseClass, Line]]:
    for cause, pools in POOLS.causes.items():
        for kind in kinds:
            for line in pools[kind]:
                yield cause, line


def plain_share(*kinds: str) -> float:
    plain = [INDIRECT not in line.needs for _, line in cause_lines(*kinds)]
    return sum(plain) / len(plain)


def test_a_cause_sentence_names_its_class_unless_it_is_marked_indirect() -> None:
    for cause, line in cause_lines(*CAUSE_KINDS):
        assert (cause in named(line.text)) == (INDIRECT not in line.needs), line.text


def test_an_indirect_sentence_names_no_other_class_either() -> None:
    for _, line in cause_lines(*CAUSE_KINDS):
        if INDIRECT in line.needs:
            assert named(line.text) == set(), line.text


def test_nine_printed_edits_in_ten_and_three_notes_in_four_name_their_class() -> None:
    assert 0.87 <= plain_share("message") <= 0.93
    assert 0.70 <= plain_share("notes", "trail", "realnotes", "realtrail") <= 0.80


def test_what_every_record_draws_from_names_no_class() -> None:
    for kind in ("vague", "neutral", "trail", "awaitedtrail", "received", "intake", "pended", "bait"):
        for line in POOLS.common[kind]:
            assert named(f"{line.text} {line.trailer}") == set(), line.text


def test_what_answers_or_mentions_a_class_in_passing_names_it() -> None:
    for cause, line in cause_lines("mention"):
        assert cause in named(line.text), line.text


@pytest.mark.parametrize("seed", range(5))
def test_the_records_keep_to_it(seed: int) -> None:
    for claim in invent(shipped_policy(), POOLS, seed, 240):
        text = claim.written.text
        printed = named(text.partition("PEND MESSAGE")[2].partition("DESK NOTES")[0])
        if claim.cell.case == LOOKS_LIKE_ANOTHER:
            assert printed - {claim.cell.cause}, text
        elif claim.cell.place is not Place.MESSAGE:
            assert printed == set(), text
