"""The release gate: who applies a resolution. There is one answer, and nothing that reaches here can change it."""

from pendtui.engines.policy import Policy
from pendtui.engines.vocabulary import CauseClass, Release


class GateBreachError(AssertionError):
    """Something claimed that a claim may go out with nobody looking. The program stops rather than show it."""


def release_for(policy: Policy) -> Release:
    """Who applies the resolution, on any claim: EXAMINER-APPLIES.

    It takes no record, reading or cause, because none of them can have a say. Raises GateBreachError when the
    policy value was built with an open category, which no policy file can do.
    """
    if policy.gate.open_categories or policy.gate.answer is not Release.EXAMINER_APPLIES:
        raise GateBreachError(f"{policy.policy_id} was built with its release gate open")
    return Release.EXAMINER_APPLIES


def require_examiner(release: str) -> None:
    """Refuse any answer but EXAMINER-APPLIES on its way into a decision."""
    if release != Release.EXAMINER_APPLIES:
        raise GateBreachError(f"a release answer of '{release}' was about to be written")


OPEN_CATEGORIES: frozenset[CauseClass] = frozenset()
"""The cause classes that may be released automatically: none."""

if OPEN_CATEGORIES:
    raise GateBreachError("the release gate is not closed")
