"""The client for models that speak the OpenAI chat API, wherever they run.

`model_settings` gathers what is configured, `model_secret` the key, and `ModelClient` calls: one answered call is
a `Call`, one that failed is a `CallFailedError` whose kind says why.
"""

from pendtui.desk.model.calls import Attempt, Call, Cost, Phase, Progress, Step, Usage
from pendtui.desk.model.client import ModelClient
from pendtui.desk.model.failures import CallFailedError, FailureKind
from pendtui.desk.model.secrets import Secret, find_secret
from pendtui.desk.model.settings import ModelSettings, load_presets, model_secret, model_settings
from pendtui.desk.model.tariff import Tariff, load_tariff

__all__ = [
    "Attempt",
    "Call",
    "CallFailedError",
    "Cost",
    "FailureKind",
    "ModelClient",
    "ModelSettings",
    "Phase",
    "Progress",
    "Secret",
    "Step",
    "Tariff",
    "Usage",
    "find_secret",
    "load_presets",
    "load_tariff",
    "model_secret",
    "model_settings",
]
