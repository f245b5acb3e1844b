"""The vocabularies of the answer key, spelled here a second time so that no slip in the engines is shared."""

CAUSES = (
    "ELIG-MISMATCH",
    "AUTH-MISSING",
    "COB-UNRESOLVED",
    "PROV-ENROLL",
    "DUP-SUSPECT",
    "PRICE-UNAVAILABLE",
    "CODE-EDIT",
    "DOC-REQUIRED",
)
RESOLUTIONS = (
    "RELEASE-AS-BILLED",
    "ADJUST-AND-RELEASE",
    "DENY-LINE",
    "DENY-CLAIM",
    "PEND-EXTERNAL",
    "ROUTE-SPECIALIST",
)
WITHIN, ESCALATE, BREACHED = CLOCKS = ("WITHIN-CLOCK", "ESCALATE-NOW", "BREACHED")
EXAMINER, AUTO = RELEASES = ("EXAMINER-APPLIES", "AUTO-RELEASE")
EVIDENCE = ("clean", "correction", "contradicted", "awaited", "none")
LINES = ("MA", "MEDICAID")
DELIVERIES = ("managed-care", "fee-for-service")
