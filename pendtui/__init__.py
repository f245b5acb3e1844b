"""pendtui: work pended health-plan claims by the clock that runs from receipt."""

__version__ = "0.1.0"
