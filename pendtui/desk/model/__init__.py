"""The client for models that speak the OpenAI chat API, wherever they run.

`model_settings` gathers what is configured, `find_secret` the key, and `ModelClient` calls: one answered call is a
`Call`, one that failed is a `CallFailedError` whose kind says why.
"""

from pendtui.desk.model.calls import Attempt, Call, Cost, Phase, Progress, Step, Usage
from pendtui.desk.model.failures import CallFailedError, FailureKind

__all__ = [
    "Attempt",
    "Call",
    "CallFailedError",
    "Cost",
    "FailureKind",
    "Phase",
    "Progress",
    "Step",
    "Usage",
]
