"""The key: where it may come from, and that it goes nowhere but into the one header."""

import asyncio
import copy
import io
import json
import logging
import os
import pickle
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from pendtui.config import Config
from pendtui.desk.model import (
    CallFailedError,
    ModelClient,
    Phase,
    Progress,
    Secret,
    find_secret,
    load_presets,
    model_secret,
    model_settings,
)
from pendtui.desk.model.secrets import scrub
from pendtui.errors import ConfigError
from tests.desk.model.server import (
    ANSWER,
    KEY,
    MESSAGES,
    SCHEMA,
    START,
    ModelServer,
    answers,
    client_for,
    error,
    refuses,
    responds,
    settings_for,
    streams,
    wrote,
)


def key_file(tmp_path: Path, mode: int = 0o600, text: str = f"{KEY}\n") -> Config:
    path = tmp_path / "key"
    path.write_text(text)
    path.chmod(mode)
    return Config(key_file=str(path))


# where it comes from


def test_the_environment_outranks_the_file(tmp_path: Path) -> None:
    config = key_file(tmp_path)
    for environ, origin in (({"API_KEY": "from-environment"}, "API_KEY"), ({"API_KEY": " "}, config.key_file)):
        secret = find_secret(config, environ=environ)
        assert secret is not None and secret.origin == origin
        assert secret.reveal() == ("from-environment" if origin == "API_KEY" else KEY)


def test_no_source_is_no_key() -> None:
    assert find_secret(Config(), environ={}) is None


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660, 0o700, 0o602])
def test_a_file_that_others_may_open_is_refused_by_its_name(tmp_path: Path, mode: int) -> None:
    config = key_file(tmp_path, mode)
    with pytest.raises(ConfigError, match=rf"{config.key_file}: .*mode {mode:04o}.*chmod 600"):
        find_secret(config, environ={})


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_file_of_ones_own_is_read(tmp_path: Path, mode: int) -> None:
    secret = find_secret(key_file(tmp_path, mode), environ={})
    assert secret is not None and secret.reveal() == KEY


@pytest.mark.parametrize(
    "text", ["", "\n", "two words", "a\nb", "Schlüssel", "tab\tbed", "x" * 9000, "null\0byte", "API_KEY=\x1b[2J"]
)
def test_what_is_no_key_is_refused_without_being_shown(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match="holds no usable key") as fault:
        find_secret(key_file(tmp_path, text=text), environ={})
    assert not text.strip() or text.strip() not in str(fault.value)
    if text.strip() and "\0" not in text:
        with pytest.raises(ConfigError, match="API_KEY: holds no usable key"):
            find_secret(Config(), environ={"API_KEY": text})


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        find_secret(Config(key_file=str(tmp_path / "none")), environ={})
    with pytest.raises(ConfigError, match="is not a file"):
        find_secret(Config(key_file=str(tmp_path)), environ={})
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(ConfigError, match="is not a file"):
        find_secret(Config(key_file=str(tmp_path / "pipe")), environ={})


def test_a_keyring_without_its_package_is_named() -> None:
    code = (
        "import sys; sys.modules['keyring'] = None\n"
        "from pendtui.config import Config; from pendtui.desk.model import find_secret\n"
        "find_secret(Config(keyring_service='pendtui'), 'h', {})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "Install pendtui[keyring], or give the key by API_KEY or key_file" in done.stderr


def test_the_keyring_is_asked_for_the_servers_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = pytest.importorskip("keyring", reason="pendtui[keyring] is not installed")
    from importlib import import_module

    class InMemory(import_module("keyring.backend").KeyringBackend):  # type: ignore[misc]
        priority = 1

        def set_password(self, service: str, username: str, password: str) -> None:
            raise NotImplementedError

        def get_password(self, service: str, username: str) -> str | None:
            if service == "locked":
                raise import_module("keyring.errors").KeyringLocked("no")
            return KEY if (service, username) == ("pendtui", "api.openai.com") else None

    before = keyring.get_keyring()
    keyring.set_keyring(InMemory())
    try:
        secret = find_secret(Config(keyring_service="pendtui"), "api.openai.com", {})
        assert secret is not None and secret.reveal() == KEY
        with pytest.raises(ConfigError, match="keyring set pendtui elsewhere"):
            find_secret(Config(keyring_service="pendtui"), "elsewhere", {})
        with pytest.raises(ConfigError, match="cannot be read: KeyringLocked"):
            find_secret(Config(keyring_service="locked"), "elsewhere", {})
    finally:
        keyring.set_keyring(before)


# who needs one, and who must not have it


def test_a_hosted_server_without_a_key_says_what_to_do() -> None:
    for name, preset in load_presets().items():
        config = Config(provider=name, base_url="https://api.host.example/v1", model="m")
        settings = model_settings(config)
        if preset.key == "needed":
            with pytest.raises(ConfigError, match=r"needs a key, and there is none\. Set API_KEY"):
                model_secret(config, settings, {})
        else:
            assert model_secret(config, settings, {}) is None


@pytest.mark.parametrize("host", ["model.lan", "10.0.0.7", "127.evil.example", "[2001:db8::1]"])
def test_a_key_does_not_cross_the_network_in_the_clear_unless_told(host: str) -> None:
    config = Config(base_url=f"http://{host}:8000/v1", model="m")
    with pytest.raises(ConfigError, match="in the clear"):
        model_secret(config, model_settings(config), {"API_KEY": KEY})
    assert model_secret(config, model_settings(config), {}) is None
    allowed = config._replace(allow_plain_http=True)
    assert model_secret(allowed, model_settings(allowed), {"API_KEY": KEY}) is not None


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.1", "[::1]", "LOCALHOST.", "a.localhost"])
def test_this_machine_may_have_it(host: str) -> None:
    config = Config(base_url=f"http://{host}:8000/v1", model="m")
    assert model_secret(config, model_settings(config), {"API_KEY": KEY}) is not None


# where it goes


async def test_the_key_goes_into_the_servers_own_header(server: ModelServer) -> None:
    async with client_for(server) as client:
        await client.call(MESSAGES)
    assert server.asked[-1].headers["authorization"] == f"Bearer {KEY}"
    async with client_for(server, key_header="api-key") as client:
        await client.call(MESSAGES)
    assert server.asked[-1].headers["api-key"] == KEY
    assert "authorization" not in server.asked[-1].headers
    async with client_for(server, key=False) as client:
        await client.call(MESSAGES)
    assert not {"authorization", "api-key"} & set(server.asked[-1].headers)


def test_a_secret_shows_itself_nowhere() -> None:
    secret = Secret(KEY, "API_KEY")
    shown = [repr(secret), str(secret), f"{secret}", f"{secret!r:>80}", repr([secret]), repr({"a": secret})]
    assert not [text for text in shown if KEY in text]
    assert not hasattr(secret, "__dict__")
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not written anywhere"):
            copied(secret)
    with pytest.raises(TypeError):
        json.dumps(secret)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"key {KEY} is wrong", "key [key] is wrong"),
        ("Incorrect API key provided: sk-proj-ab****wxyz. You can", "Incorrect API key provided: [key] You can"),
        ("got Authorization: Bearer eyJhbGciOi.J9", "got Authorization: Bearer [key]"),
        ("a sk-etch of a task-force", "a sk-etch of a task-force"),
    ],
)
def test_a_servers_words_lose_what_looks_like_a_key(said: str, shown: str) -> None:
    assert scrub(said, Secret(KEY, "API_KEY")) == shown


async def test_no_log_error_run_memory_or_crash_report_holds_the_key(
    server: ModelServer, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    loop = asyncio.get_running_loop()
    loop.set_debug(True)
    client = ModelClient(settings_for(server), Secret(KEY, "API_KEY"), tmp_path / "servers.json")
    artefacts: list[str] = [repr(client.settings), repr(vars(client))]
    reports: list[str] = []
    causes: list[BaseException | None] = []

    def keep(progress: Progress) -> None:
        artefacts.append(repr(progress))

    echo = error(f"key {KEY} is not for {KEY[:-6]}******", code=KEY)
    for behavior in (
        responds(401, echo),
        responds(400, echo),
        responds(500, f"<title>{KEY}</title>"),
        responds(307, b"", f"location: https://elsewhere.invalid/?key={KEY}"),
        responds(200, KEY),
        responds(200, echo),
        wrote(START, then="cut"),
        refuses("response_format", message=f"response_format is not for {KEY}"),
        streams({"model": KEY, "choices": [{"delta": {"content": ANSWER}, "finish_reason": KEY}]}),
        streams({"choices": [{"delta": {"refusal": KEY}, "finish_reason": "stop"}]}),
        answers(),
    ):
        server.will(behavior)
        try:
            call = await client.call(MESSAGES, SCHEMA, on_progress=keep)
        except CallFailedError as failure:
            artefacts += [str(failure), repr(failure), json.dumps(failure.noted()), repr(vars(failure))]
            # from the frame below this test's own, which holds the server's words
            below = failure.__traceback__.tb_next if failure.__traceback__ else None
            report = traceback.TracebackException(type(failure), failure, below, capture_locals=True)
            artefacts.append("".join(report.format()))
            reports.append(artefacts[-1])
            causes.append(failure.__context__)
        else:
            artefacts += [repr(call), json.dumps(call.noted())]
    await client.aclose()
    loop.set_debug(False)
    out, err = capfd.readouterr()
    written = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    records = [f"{record.getMessage()} {record.args}" for record in caplog.records]
    assert written and len(artefacts) > 40
    assert len(reports) > 6 and all("under_way" in report for report in reports)
    assert not any(causes)
    assert not logging.getLogger("httpcore.http11").isEnabledFor(logging.INFO)
    for text in (*artefacts, *records, *written, out, err):
        assert KEY not in text and KEY[8:] not in text


async def test_a_crash_report_with_every_variable_does_not_hold_the_key(server: ModelServer) -> None:
    """As rich prints it, with the locals of every frame, from a fault in the middle of a call."""
    from rich.console import Console
    from rich.traceback import Traceback

    def crash(progress: Progress) -> None:
        if progress.phase is not Phase.WAITING:
            raise RuntimeError("a fault in a callback")

    async with client_for(server) as client:
        with pytest.raises(RuntimeError) as fault:
            await client.call(MESSAGES, on_progress=crash)
    shown = io.StringIO()
    report = Traceback.from_exception(
        fault.type, fault.value, fault.tb, show_locals=True, locals_max_string=10_000, locals_max_length=1000
    )
    Console(file=shown, width=200).print(report)
    assert "under_way" in shown.getvalue() and "request" in shown.getvalue()
    assert KEY not in shown.getvalue()


def test_the_programs_own_output_and_files_never_hold_the_key(tmp_path: Path) -> None:
    environ = os.environ | {
        "API_KEY": KEY,
        "BASE_URL": "http://127.0.0.1:9/v1",
        "MODEL": "small",
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }
    for command in (["config"], ["doctor"], ["config", "--format", "json"]):
        done = subprocess.run(
            [sys.executable, "-m", "pendtui", *command], capture_output=True, text=True, env=environ, check=False
        )
        assert done.stdout and KEY not in done.stdout + done.stderr
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes()
