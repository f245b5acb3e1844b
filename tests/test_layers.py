"""What may be loaded where: the engines pure, start-up light, the label gate alone."""

import ast
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import pendtui

ROOT = Path(__file__).parent.parent
HEAVY = {"textual", "rich", "httpx", "asyncio"}


def modules_below(name: str) -> list[str]:
    package = Path(pendtui.__file__).parent / name
    found = [module.name for module in pkgutil.walk_packages([str(package)], f"pendtui.{name}.")]
    return [f"pendtui.{name}", *found]


def loaded_by(code: str, cwd: Path = ROOT) -> set[str]:
    """The names in sys.modules after running the code in an interpreter of its own."""
    script = f"{code}\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=cwd, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("module", modules_below("engines"))
def test_an_engine_loads_nothing_of_the_world_outside(module: str) -> None:
    loaded = loaded_by(f"import {module}")
    assert loaded.isdisjoint(HEAVY | {"sqlite3", "platformdirs", "tomli_w", "socket"})
    assert not {name for name in loaded if name.startswith(("pendtui.desk", "pendtui.screens", "pendtui.evals"))}


@pytest.mark.parametrize("module", modules_below("desk") + modules_below("evals") + modules_below("commands"))
def test_nothing_behind_the_screens_loads_textual_or_the_network_at_import(module: str) -> None:
    assert loaded_by(f"import {module}").isdisjoint(HEAVY)


def test_the_label_gate_loads_the_standard_library_only() -> None:
    loaded = loaded_by("import pendtui.evals.labels")
    own = {name for name in loaded if name.startswith("pendtui")}
    assert {name for name in own if not name.startswith("pendtui.evals.labels")} <= {"pendtui", "pendtui.evals"}
    # A bare start is taken off: Debian and some installers add modules of their own to every interpreter.
    added = {name.split(".")[0] for name in loaded - loaded_by("")}
    assert added - set(sys.stdlib_module_names) == {"pendtui"}


def test_the_label_gates_source_imports_nothing_of_the_project_but_itself() -> None:
    files = [*(ROOT / "pendtui/evals").glob("labels.py"), *(ROOT / "pendtui/evals/labels").glob("*.py")]
    assert files
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            for name in names:
                assert not name.startswith("pendtui") or name.startswith("pendtui.evals.labels"), file


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_loads_no_more_than_the_parser(arguments: list[str]) -> None:
    code = f"from pendtui.cli import main\ntry:\n    main({arguments})\nexcept SystemExit:\n    pass"
    loaded = loaded_by(code)
    assert loaded.isdisjoint(HEAVY | {"sqlite3", "pendtui.engines", "pendtui.desk", "tomllib", "dataclasses"})


def test_the_queue_is_painted_before_anything_that_only_keys_open_is_loaded() -> None:
    loaded = loaded_by("import pendtui.app")
    assert not {name for name in loaded if name.startswith(("pendtui.desk.model", "pendtui.desk.batch"))}
    assert loaded.isdisjoint({"pendtui.screens.record", "pendtui.screens.dialogs", "pendtui.screens.help"})


def test_the_queue_folder_does_not_hide_the_standard_library() -> None:
    assert not list((ROOT / "queue").rglob("*.py"))
    code = "import queue; print(queue.SimpleQueue.__module__, queue.__file__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert str(ROOT) not in done.stdout.split()[1]
