"""The frame around the code: pinned versions, the wheel, and the repository's own promises."""

import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distributions
from pathlib import Path

import pendtui

ROOT = Path(__file__).parent.parent
NAME = re.compile(r"[A-Za-z0-9._-]+")


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {canonical(name): version for name, version in pairs}


def test_the_constraints_are_names_and_versions_and_nothing_else() -> None:
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert re.fullmatch(r"#.*|[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", line), line
    assert "://" not in (ROOT / "constraints.txt").read_text()


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"], "hatchling"]
    for requirement in wanted:
        found = NAME.match(requirement)
        assert found and canonical(found[0]) in pinned(), requirement


def test_the_tests_run_on_the_pinned_versions() -> None:
    installed = {canonical(str(d.metadata["Name"])): d.version for d in distributions()}
    different = {
        name: (version, installed[name])
        for name, version in pinned().items()
        if installed.get(name, version) != version
    }
    assert not different


def test_the_wheel_carries_policies_styles_and_sentences_and_no_tests(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"]
    backend = subprocess.run(
        [sys.executable, "-c", "import hatchling, editables"], capture_output=True, check=False
    )
    if backend.returncode != 0:
        build.remove("--no-build-isolation")
    subprocess.run([*build, str(tmp_path), str(ROOT)], check=True, capture_output=True)
    wheel = next(tmp_path.glob("pendtui-*.whl"))
    names = zipfile.ZipFile(wheel).namelist()
    package = Path(pendtui.__file__).parent
    data = [file for kind in ("*.toml", "*.tcss", "*.txt", "py.typed") for file in package.rglob(kind)]
    assert len(data) > 5
    for file in data:
        assert f"pendtui/{file.relative_to(package).as_posix()}" in names
    assert not [name for name in names if not name.startswith(("pendtui/", "pendtui-"))]


def test_the_version_is_given_once() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pendtui", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"pendtui {pendtui.__version__}\n"
