"""The settings: defaults, file, environment; wrong keys refused by name."""

import tomllib
from pathlib import Path

import pytest

from pendtui.config import ENVIRONMENT, SECTIONS, Config, load_config
from pendtui.errors import ConfigError

SHIPPED = Path(__file__).parent.parent / "config.toml"


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_file_documents_every_key_with_its_default() -> None:
    text = SHIPPED.read_text(encoding="utf-8")
    document = tomllib.loads(text)
    assert {name: tuple(table) for name, table in document.items()} == SECTIONS
    given, default = load_config(SHIPPED, {}), Config()
    for name in Config._fields:
        if name == "queue":
            assert given.queue == SHIPPED.parent / default.queue
        elif name not in ("file", "origins"):
            assert getattr(given, name) == getattr(default, name)
    lines = text.splitlines()
    for keys in SECTIONS.values():
        for key in keys:
            at = next(n for n, line in enumerate(lines) if line.startswith(f"{key} ="))
            assert lines[at - 1].startswith("# "), f"{key} has no comment above it"


def test_every_setting_has_its_place_in_the_file() -> None:
    assert {key for keys in SECTIONS.values() for key in keys} == set(Config._fields) - {"keys", "file", "origins"}


def test_the_environment_outranks_the_file_and_both_outrank_the_default(tmp_path: Path) -> None:
    path = written(tmp_path, '[desk]\nreader = "phrase"\npolicy = "rg-2026"\n')
    config = load_config(path, {"PENDTUI_POLICY": "pr-2026"})
    assert (config.reader, config.origins["reader"]) == ("phrase", str(path))
    assert (config.policy, config.origins["policy"]) == ("pr-2026", "PENDTUI_POLICY")
    assert (config.theme, config.origins["theme"]) == ("dark", "default")


@pytest.mark.parametrize("variable", list(ENVIRONMENT))
def test_an_empty_environment_variable_says_nothing(tmp_path: Path, variable: str) -> None:
    config = load_config(written(tmp_path, ""), {variable: ""})
    assert config.origins[ENVIRONMENT[variable]] == "default"


def test_paths_in_the_file_are_relative_to_the_file(tmp_path: Path) -> None:
    path = written(tmp_path, '[desk]\nqueue = "claims"\njournal = "desk/journal.db"\npolicy = "own.toml"\n')
    config = load_config(path, {})
    assert config.queue == tmp_path / "claims"
    assert config.journal_path() == tmp_path / "desk" / "journal.db"
    assert config.policy == str(tmp_path / "own.toml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = [", "not valid TOML"),
        ("[dek]\n", "unknown table [dek]. Known are [desk], [screen]"),
        ("queue = 1\n", "unknown table [queue]"),
        ("desk = 1\n", "desk is not a table"),
        ('[desk]\nqueu = "x"\n', "unknown key queu in [desk]"),
        ("[desk]\nqueue = 3\n", "queue is not text"),
        ('[desk]\nreader = "model"\n', "reader 'model' is neither floor nor phrase"),
        ('[desk]\nas_of = "soon"\n', "as-of 'soon' is not register, today or a date"),
        ('[screen]\ntheme = "pink"\n', "theme 'pink' is none of dark, light"),
        ('[screen]\nconfirm_denials = "yes"\n', "confirm_denials is not true or false"),
        ("[model]\nallow_plain_http = 1\n", "allow_plain_http is not true or false"),
        ("[model]\nworkers = 2.5\n", "workers is not a whole number"),
        ("[model]\nworkers = 0\n", "workers is 0, which is not 1 or more"),
        ("[model]\nworkers = true\n", "workers is not a whole number"),
        ('[model]\ntemperature = "cold"\n', "temperature is not a number or empty"),
        ("[model]\ndeadline_seconds = inf\n", "deadline_seconds is inf"),
        ("[model]\nfirst_byte_seconds = nan\n", "first_byte_seconds is nan"),
        ('[model]\nconnect_seconds = ""\n', "connect_seconds is not a number"),
        ('[model]\nextra_headers = "x"\n', "extra_headers is not a table"),
        ("[model]\nextra_headers = {x = 1}\n", "header 'x' is not plain text"),
        ('[model]\nextra_headers = {x = "a\\nb"}\n', "header 'x' is not plain text"),
        ('[model]\nextra_headers = {Authorization = "Bearer 1"}\n', "header 'Authorization' may carry a key"),
        ("[model]\nextra_body = {messages = []}\n", "extra_body cannot set messages"),
        ('[model]\napi_key = "x"\n', "unknown key api_key in [model]"),
    ],
)
def test_a_wrong_file_is_refused_by_key_and_place(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as fault:
        load_config(path, {})
    assert said in str(fault.value)
    assert str(path) in str(fault.value)


def test_a_wrong_environment_variable_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="PENDTUI_AS_OF"):
        load_config(written(tmp_path, ""), {"PENDTUI_AS_OF": "soon"})


@pytest.mark.parametrize(
    ("variable", "text", "said"),
    [
        ("MAX_CALLS_PER_DAY", "many", "max_calls_per_day is not a whole number"),
        ("EVAL_WORKERS", "0", "workers is 0"),
    ],
)
def test_a_number_in_the_environment_is_checked_as_in_the_file(
    tmp_path: Path, variable: str, text: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=f"{variable}: {said}"):
        load_config(written(tmp_path, ""), {variable: text})


def test_the_model_settings_come_from_the_file_and_the_environment(tmp_path: Path) -> None:
    text = '[model]\nmodel = "small"\ntemperature = 0\nmax_calls_per_day = ""\nkey_file = "key"\nworkers = 3\n'
    config = load_config(written(tmp_path, text), {"MODEL": "large", "BASE_URL": "http://127.0.0.1:1/v1"})
    assert (config.model, config.base_url, config.workers) == ("large", "http://127.0.0.1:1/v1", 3)
    assert (config.temperature, config.max_calls_per_day) == (0.0, None)
    assert config.key_file == str(tmp_path / "key")
    config = load_config(written(tmp_path, text), {"MAX_CALLS_PER_DAY": "12", "EVAL_WORKERS": "50"})
    assert (config.max_calls_per_day, config.workers) == (12, 50)


def test_a_named_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such configuration file"):
        load_config(tmp_path / "none.toml", {})


def test_a_date_may_be_written_as_a_toml_date(tmp_path: Path) -> None:
    assert load_config(written(tmp_path, "[desk]\nas_of = 2026-10-01\n"), {}).as_of == "2026-10-01"


def test_keys_are_given_by_place_and_action(tmp_path: Path) -> None:
    path = written(tmp_path, '[keys.record]\naccept = "ctrl+a,y"\n[keys.queue]\nsort = "f3"\n')
    assert load_config(path, {}).keys == {"record.accept": "ctrl+a,y", "queue.sort": "f3"}


@pytest.mark.parametrize("text", ['[keys]\naccept = "y"', "[keys.record]\naccept = 1", "keys = 3"])
def test_keys_that_are_not_tables_of_places_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match=r"\[keys\] is not a table of places"):
        load_config(written(tmp_path, text), {})
