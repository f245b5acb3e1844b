"""The label gate shares no code with what it checks."""

import ast
import subprocess
import sys
from pathlib import Path

from pendtui.evals import labels

PACKAGE = "pendtui.evals.labels"
FILES = sorted(Path(labels.__file__).parent.glob("*.py"))


def imported(source: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide what is imported"
            names.add(node.module or "")
    return names


def test_the_gate_imports_the_standard_library_and_itself() -> None:
    assert len(FILES) > 5
    for file in FILES:
        for name in imported(file.read_text(encoding="utf-8")):
            own = name == PACKAGE or name.startswith(PACKAGE + ".")
            assert own or name.split(".")[0] in sys.stdlib_module_names, f"{file.name} imports {name}"


def test_running_the_gate_loads_nothing_else_of_pendtui() -> None:
    root = Path(labels.__file__).parents[3]
    program = (
        "import sys\n"
        "from datetime import date\n"
        "from pendtui.evals import labels\n"
        f"report = labels.check({str(root / 'queue')!r}, {str(root / 'pendtui/policies/pr-2026.toml')!r},"
        " date(2026, 12, 1))\n"
        "assert report.records == 60\n"
        "print(*sorted(name for name in sys.modules if name.partition('.')[0] not in sys.stdlib_module_names))\n"
    )
    shown = subprocess.run(
        [sys.executable, "-S", "-c", program], cwd=root, capture_output=True, text=True, check=True
    )
    loaded = shown.stdout.split()
    strangers = [
        name
        for name in loaded
        if name not in ("__main__", "pendtui", "pendtui.evals", PACKAGE) and not name.startswith(PACKAGE + ".")
    ]
    assert strangers == []


def test_the_gate_never_asks_for_the_day() -> None:
    for file in FILES:
        source = file.read_text(encoding="utf-8")
        assert "date.today" not in source and "datetime.now" not in source and "import time" not in source
