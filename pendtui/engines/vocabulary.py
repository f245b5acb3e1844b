"""The closed vocabularies of the contract, spelled exactly as they appear everywhere else."""

from enum import StrEnum


class CauseClass(StrEnum):
    """Why a claim pended."""

    ELIG_MISMATCH = "ELIG-MISMATCH"
    AUTH_MISSING = "AUTH-MISSING"
    COB_UNRESOLVED = "COB-UNRESOLVED"
    PROV_ENROLL = "PROV-ENROLL"
    DUP_SUSPECT = "DUP-SUSPECT"
    PRICE_UNAVAILABLE = "PRICE-UNAVAILABLE"
    CODE_EDIT = "CODE-EDIT"
    DOC_REQUIRED = "DOC-REQUIRED"


class Resolution(StrEnum):
    """What an examiner applies to a pended claim."""

    RELEASE_AS_BILLED = "RELEASE-AS-BILLED"
    ADJUST_AND_RELEASE = "ADJUST-AND-RELEASE"
    DENY_LINE = "DENY-LINE"
    DENY_CLAIM = "DENY-CLAIM"
    PEND_EXTERNAL = "PEND-EXTERNAL"
    ROUTE_SPECIALIST = "ROUTE-SPECIALIST"

    @property
    def denies(self) -> bool:
        """Whether applying it refuses payment for a line or for the claim."""
        return self in (Resolution.DENY_LINE, Resolution.DENY_CLAIM)


class ClockState(StrEnum):
    """Where a claim stands against its payment deadline."""

    WITHIN_CLOCK = "WITHIN-CLOCK"
    ESCALATE_NOW = "ESCALATE-NOW"
    BREACHED = "BREACHED"


class Release(StrEnum):
    """Who applies the resolution."""

    EXAMINER_APPLIES = "EXAMINER-APPLIES"
    AUTO_RELEASE = "AUTO-RELEASE"
    """Only ever recognised in a reply, and counted there as a false release. Never produced."""


class Evidence(StrEnum):
    """What the payer has since located, as the adjudication register's own system reports it."""

    CLEAN = "clean"
    CORRECTION = "correction"
    CONTRADICTED = "contradicted"
    AWAITED = "awaited"
    NONE = "none"


class LineOfBusiness(StrEnum):
    """The product the claim was billed to."""

    MA = "MA"
    MEDICAID = "MEDICAID"


class SectionName(StrEnum):
    """The five headed sections of a pend record, in their order."""

    FACTS = "CLAIM FACTS"
    MESSAGE = "PEND MESSAGE"
    NOTES = "DESK NOTES"
    TRAIL = "CORRESPONDENCE AND SYSTEM TRAIL"
    REGISTER = "ADJUDICATION REGISTER"


READABLE_SECTIONS = (SectionName.MESSAGE, SectionName.NOTES, SectionName.TRAIL)
"""The sections a reader takes the cause from. The facts and the register belong to the rules."""
