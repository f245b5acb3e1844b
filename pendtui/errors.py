"""The faults a person must hear about: what is wrong, where, and what to do."""


class PendtuiError(Exception):
    """Wrong input or a wrong call. The command line prints it as one line and exits with 2."""

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(str(self))

    def __str__(self) -> str:
        located = f"{self.where}: {self.what}" if self.where else self.what
        return f"{located}. {self.remedy}" if self.remedy else located


class PolicyError(PendtuiError):
    """A policy file that cannot be used: malformed, unordered, unreachable in part, or with a gap."""


class QueueError(PendtuiError):
    """A queue folder, or its claims.json or gold.jsonl, that cannot be read."""


class ConfigError(PendtuiError):
    """A setting that does not exist or has a value it cannot take."""


class JournalError(PendtuiError):
    """The journal could not be opened, read or written. Nothing was half-written."""


class NoJournalError(JournalError):
    """There is no journal yet where one was to be read."""


class RunError(PendtuiError):
    """A stored run that cannot be found or read."""
