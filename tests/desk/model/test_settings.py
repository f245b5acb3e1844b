"""Which model is called: presets, the environment's words, and addresses that cannot be."""

from datetime import date
from pathlib import Path
from types import MappingProxyType

import pytest

from pendtui.config import Config, load_config
from pendtui.desk.model import ModelClient, Step, load_presets, model_settings
from pendtui.desk.model.ladder import TOKEN_PARAMETERS
from pendtui.errors import ConfigError
from tests.desk.model.server import ANSWER, MESSAGES, ModelServer

PRESETS = load_presets()
NAMED = ("openai", "azure", "deepseek", "openrouter", "ollama", "llama.cpp", "vllm", "lmstudio", "other")


def test_the_presets_are_those_that_the_settings_speak_of() -> None:
    assert tuple(PRESETS) == NAMED
    shipped = (Path(__file__).parents[3] / "config.toml").read_text()
    assert all(name in shipped for name in NAMED if name != "other")


@pytest.mark.parametrize("name", NAMED)
def test_a_preset_is_sound(name: str) -> None:
    preset = PRESETS[name]
    assert preset.key in ("needed", "optional") and preset.token_parameter in TOKEN_PARAMETERS
    assert preset.steps[-1] is Step.TEXT and list(preset.steps) == sorted(preset.steps, key=list(Step).index)
    assert preset.key_header in ("authorization", "api-key")
    config = Config(provider=name, model="m", base_url=preset.base_url or "https://r.openai.azure.com/openai/v1")
    settings = model_settings(config)
    assert settings.endpoint.endswith("/chat/completions")
    assert settings.base_url.startswith("https://") or (settings.local and preset.key == "optional")


def test_the_environment_has_its_words() -> None:
    environ = {"PROVIDER": "DeepSeek", "MODEL": "chat", "BASE_URL": "https://gateway.example/v1/"}
    settings = model_settings(load_config(None, environ))
    assert (settings.provider, settings.model, settings.base_url) == (
        "deepseek",
        "chat",
        "https://gateway.example/v1",
    )
    assert settings.steps[0] is Step.JSON_OBJECT


@pytest.mark.parametrize(
    ("url", "provider", "header"),
    [
        ("https://api.openai.com/v1", "openai", "authorization"),
        ("https://desk.openai.azure.com/openai/v1", "azure", "api-key"),
        ("https://openai.azure.com.evil.example/v1", "other", "authorization"),
        ("https://notapi.openai.com/v1", "other", "authorization"),
        ("http://127.0.0.1:9999/v1", "other", "authorization"),
    ],
)
def test_a_server_is_known_by_its_host(url: str, provider: str, header: str) -> None:
    settings = model_settings(Config(base_url=url, model="m"))
    assert (settings.provider, settings.key_header) == (provider, header)


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("https://a.example/v1", "https://a.example/v1/chat/completions"),
        ("https://a.example/v1//", "https://a.example/v1/chat/completions"),
        ("https://a.example/v1/chat/completions", "https://a.example/v1/chat/completions"),
        (
            "https://r.openai.azure.com/openai/deployments/d?api-version=2024-10-21",
            "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
        ),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1/chat/completions"),
    ],
)
def test_requests_go_below_the_base_url(url: str, endpoint: str) -> None:
    assert model_settings(Config(base_url=url, model="m")).endpoint == endpoint


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (Config(), r"no model is set up\. Set PROVIDER or BASE_URL, MODEL"),
        (Config(provider="openai"), r"no model is named for OpenAI\. Name one by MODEL"),
        (Config(provider="azure", model="m"), r"Azure OpenAI has no fixed address\. Give it by BASE_URL"),
        (Config(provider="other", model="m"), "has no fixed address"),
        (Config(provider="closedai"), r"provider 'closedai' is not known\. Known are openai, azure"),
        (Config(base_url="api.example/v1", model="m"), "base_url is no address of a server"),
        (Config(base_url="ftp://api.example/v1", model="m"), "base_url is no address"),
        (Config(base_url="http://", model="m"), "base_url is no address"),
        (Config(base_url="http://h:0/v1", model="m"), "base_url is no address"),
        (Config(base_url="http://h:port/v1", model="m"), "base_url is no address"),
        (Config(base_url="http://[::1/v1", model="m"), "base_url is no address"),
        (Config(base_url="http://h/v1\nHost: x", model="m"), "base_url is no address"),
        (Config(base_url="https://user:word@h/v1", model="m"), "holds a user name or password"),
        (Config(base_url="https://h/v1?api-key=abc", model="m"), "carries api-key, which may be a key"),
        (
            Config(base_url="https://h/v1", model="m", extra_body=MappingProxyType({"since": date(2026, 1, 1)})),
            "extra_body holds what JSON does not know",
        ),
    ],
)
def test_what_cannot_be_called_says_what_to_do(config: Config, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as fault:
        model_settings(config)
    assert "word@" not in str(fault.value) and "abc" not in str(fault.value)


async def test_the_settings_of_the_file_reach_the_server(server: ModelServer, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(
        f'[model]\nbase_url = "{server.base_url}?api-version=1"\nmodel = "small"\nmax_answer_tokens = 77\n'
        'temperature = 0.25\nextra_headers = {x-team = "desk"}\nextra_body = {reasoning_effort = "low"}\n'
    )
    settings = model_settings(load_config(path, {}))
    client = ModelClient(settings)
    assert (await client.call(MESSAGES)).text == ANSWER
    await client.aclose()
    asked = server.asked[-1]
    assert asked.target == "/v1/chat/completions?api-version=1"
    assert asked.headers["x-team"] == "desk"
    wanted = {"model": "small", "max_tokens": 77, "temperature": 0.25, "reasoning_effort": "low", "stream": True}
    assert {name: server.sent[name] for name in wanted} == wanted
