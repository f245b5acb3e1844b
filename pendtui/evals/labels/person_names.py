"""How a person's name shows itself in a pend record: beside a title, a role or a label."""

TITLES = (*("Mr ", "Mr.", "Mrs", "Ms ", "Ms.", "Miss ", "Mx ", "Mx.", "Dr ", "Dr.", "MR.", "MRS", "MS.", "DR."),)
TITLED = (
    r"(?:(?:Mr|Mrs|Ms|Miss|Mx|Dr)\.?[ \n]?|(?:MR\.|MS\.|DR\.|MRS\.?)[ \n]?(?=[A-Z]{2}))"
    r"(?P<name>(?:[A-Z]\. ?)?[A-Z](?:[a-z]|'[A-Z])[A-Za-z'-]{0,30}|[A-Z]{3,30})"
)

ROLES = (
    "patient",
    "member",
    "subscriber",
    "insured",
    "enrollee",
    "beneficiary",
    "dependent",
    "guardian",
)
_GIVEN = r"[A-Z](?:[a-z]|'[A-Z]|[a-z]?[A-Z][a-z])[A-Za-z'-]{0,30}"
ROLE = (
    r"[A-Za-z]{6,11}(?:'s)?(?: name)?(?:[ ,:]|\n(?!\n)){1,3}(?:is |was |named )?"
    rf"(?P<name>{_GIVEN},?[ \n](?:[A-Z]\.? )?{_GIVEN})"
)
ROLE_LEAST, ROLE_REACH = 6, 31
"""Between these offsets from a role's first letter stand the first signs of the name."""

LABELED = (
    r"(?:\b(?P<owner>[A-Za-z]{1,20})['s]{0,2} )?(?<![A-Za-z])(?i:name) ?[:=] ?"
    r"(?P<name>(?P<first>[A-Z][A-Za-z'-]{1,30})(?:,? [A-Z][A-Za-z'.-]{0,30}){0,3})"
)

NAMED_THINGS = frozenset(
    """
    batch category code column database desk edit field file folder form group job list network payer
    plan policy product program queue record report rule schedule screen section server software
    system table user vendor
    """.split()  # noqa: SIM905 a list of words to read
)
"""What a desk gives names to; `name:` after one of these is no person's."""

NOT_NAMES = frozenset(
    """
    access account accounts active address advantage advocacy advocate and appeal appeals at auth
    authorization benefit benefits billing blank by call called calls care center claim claims
    community contact control cost county coverage data date dates demographics denied deny department
    dept desk edit edits eligibility enrollment experience file files for found from grievance group
    had has have health history hold home hospital hub id ids in inactive index information inpatient
    insurance invalid is letter level liability line lines master match matched matching medicaid
    medical medicare mismatch missing name names no none not not-found note notes number of off office
    on on-file or order orders other out outpatient outreach pay payer payment pend pended plan plans
    policy portal primary provider providers queue record records referral referrals relations
    relationship request requested responsibility review reviewed safety same secondary see service
    services share sign signed since state status support survey system team termed terminated that
    the this to type unknown valid visit visits was with
    """.split()  # noqa: SIM905 a list of words to read
)
"""Words that stand beside a role or title on a claims desk and are no part of a name."""
