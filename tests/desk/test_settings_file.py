"""Changing one setting in config.toml: the rest of the file stays as it was, or nothing is changed."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pendtui.config import SECTIONS, Config, load_config
from pendtui.desk.settings_file import CommentsLostError, change, obstacle, parse, section_of, shown
from pendtui.errors import ConfigError

SHIPPED = Path(__file__).parent.parent.parent / "config.toml"
CHANGES: list[tuple[str, object]] = [
    ("theme", "light"),
    ("reader", "phrase"),
    ("display_name", 'Ann "A" O\'Hara \\ é'),
    ("confirm_denials", False),
    ("bell", True),
    ("my_queues", ["duplicate review", "contract, loading"]),
    ("workers", 9),
    ("connect_seconds", 2.5),
    ("temperature", ""),
    ("extra_body", {"reasoning_effort": "low", "a b": [1, 2], "deep": {"x": True}}),
    ("months", {"2026-08": {"CL-1": {"received": 12, "in_time": 11}}}),
]


def settings_in(folder: Path, text: str) -> Config:
    file = folder / "config.toml"
    file.write_text(text, encoding="utf-8")
    return load_config(file, {})


@pytest.mark.parametrize(("name", "value"), CHANGES, ids=lambda each: str(each)[:20])
def test_only_that_line_of_the_shipped_file_is_another(tmp_path: Path, name: str, value: object) -> None:
    config = settings_in(tmp_path, before := SHIPPED.read_text(encoding="utf-8"))
    changed = change(config, name, value)
    after = changed.file.read_text(encoding="utf-8")
    others = [(old, new) for old, new in zip(before.splitlines(), after.splitlines(), strict=True) if old != new]
    assert [old.split(" =")[0] for old, _ in others] in ([name], [])
    assert tomllib.loads(after)[section_of(name)][name] == value
    assert changed.comments_kept
    assert load_config(changed.file, {})._replace(origins={}) == changed.config._replace(origins={})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[screen]\ntheme = "light"\n'),
        ("# mine\n", '# mine\n\n[screen]\ntheme = "light"\n'),
        ("[desk]\nreader = 'floor'\n", "[desk]\nreader = 'floor'\n\n[screen]\ntheme = \"light\"\n"),
        (
            "[screen]\nconfirm_denials = true\n\n# people\n[team]\n",
            '[screen]\nconfirm_denials = true\ntheme = "light"\n\n# people\n[team]\n',
        ),
        ("[screen]\n  theme='dark' # why\n", '[screen]\ntheme = "light"\n'),
        ('[screen]\ntheme = """dark"""\n', '[screen]\ntheme = "light"\n'),
    ],
)
def test_a_setting_finds_its_place(tmp_path: Path, before: str, after: str) -> None:
    changed = change(settings_in(tmp_path, before), "theme", "light")
    assert changed.file.read_text(encoding="utf-8") == after


def test_a_value_over_several_lines_is_replaced_whole(tmp_path: Path) -> None:
    config = settings_in(tmp_path, '[team]\nexaminers = [\n  "ann", # lead\n  "bob",\n]\n# end\n')
    changed = change(config, "examiners", ["cy"])
    assert changed.file.read_text(encoding="utf-8") == '[team]\nexaminers = ["cy"]\n# end\n'
    assert changed.config.examiners == ("cy",)


def test_where_comments_would_be_lost_it_says_so_and_changes_nothing_unasked(tmp_path: Path) -> None:
    config = settings_in(tmp_path, before := "# mine\nscreen.theme = 'dark'\n")
    with pytest.raises(CommentsLostError, match="without losing the file's comments"):
        change(config, "theme", "light")
    assert (tmp_path / "config.toml").read_text(encoding="utf-8") == before
    changed = change(config, "theme", "light", rewrite=True)
    assert not changed.comments_kept
    assert load_config(changed.file, {}).theme == "light"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("theme", "purple", "theme 'purple' is none of"),
        ("workers", "many", "workers is not a whole number"),
        ("workers", 0, "workers is 0"),
        ("url", "mysql://x", "no address of a PostgreSQL store"),
        ("as_of", "soon", "as-of 'soon'"),
        ("extra_headers", {"Authorization": "x"}, "may carry a key"),
    ],
)
def test_a_value_that_cannot_be_leaves_the_file_as_it_was(
    tmp_path: Path, name: str, value: object, said: str
) -> None:
    config = settings_in(tmp_path, before := "[screen]\ntheme = 'dark'\n")
    with pytest.raises(ConfigError, match=said) as told:
        change(config, name, value)
    assert (tmp_path / "config.toml").read_text(encoding="utf-8") == before
    assert ".part" not in str(told.value)
    assert [file.name for file in tmp_path.iterdir()] == ["config.toml"]


def test_settings_that_the_program_refuses_are_not_written(tmp_path: Path) -> None:
    config = settings_in(tmp_path, before := "[screen]\ntheme = 'dark'\n")

    def refuse(changed: Config) -> None:
        raise ConfigError(f"not {changed.theme}")

    with pytest.raises(ConfigError, match="not light"):
        change(config, "theme", "light", accept=refuse)
    assert (tmp_path / "config.toml").read_text(encoding="utf-8") == before


def test_what_outranks_the_file_cannot_be_changed_in_it(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("", encoding="utf-8")
    config = load_config(file, {"PENDTUI_THEME": "light"})
    assert obstacle(config, "theme") == "the environment variable PENDTUI_THEME outranks the file"
    given_option = config._replace(origins={**config.origins, "queue": "--queue"})
    assert obstacle(given_option, "queue") == "the option --queue outranks the file"
    assert obstacle(config, "reader") == ""


def test_options_of_the_command_line_stay_in_force(tmp_path: Path) -> None:
    config = settings_in(tmp_path, "")
    config = config._replace(queue=tmp_path / "other", origins={**config.origins, "queue": "--queue"})
    changed = change(config, "theme", "light")
    assert changed.config.queue == tmp_path / "other"
    assert changed.config.origins["queue"] == "--queue"


@given(st.sampled_from([name for names in SECTIONS.values() for name in names]))
def test_what_is_shown_of_a_setting_is_read_back_as_it_was(name: str) -> None:
    value = getattr(Config(), name)
    read = parse(name, shown(value))
    if name == "queue":
        assert Path(str(read)) == value
    elif value is None:
        assert read == ""
    elif isinstance(value, tuple):
        assert read == list(value)
    else:
        assert read == value
