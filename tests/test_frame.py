"""The frame around the code: pinned versions, the wheel, set-up, and the repository's own promises."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import pendtui

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {canonical(name): version for name, version in pairs}


def all_that_is_installed_for(requirements: list[str]) -> set[str]:
    """The names of these distributions and of everything that they need here, directly or not."""
    found: set[str] = set()
    waiting = [(Requirement(text), "") for text in requirements]
    while waiting:
        requirement, extra = waiting.pop()
        name = canonical(requirement.name)
        if (requirement.marker and not requirement.marker.evaluate({"extra": extra})) or name in found:
            continue
        found.add(name)
        needed = [Requirement(text) for text in distribution(name).requires or []]
        waiting += [(need, wanted) for need in needed for wanted in ("", *requirement.extras)]
    return found


def test_the_constraints_are_names_and_versions_and_nothing_else() -> None:
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        assert re.fullmatch(r"#[^:/]*|[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", line), line


def test_everything_that_is_installed_for_the_project_is_pinned() -> None:
    project = PROJECT["project"]
    stated = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    installed = all_that_is_installed_for(stated)
    assert len(installed) > len(stated)
    assert installed <= set(pinned())


def test_every_extra_is_pinned() -> None:
    for extra, requirements in PROJECT["project"]["optional-dependencies"].items():
        assert {canonical(Requirement(text).name) for text in requirements} <= set(pinned()), extra


def test_what_builds_the_project_is_pinned() -> None:
    builders = {canonical(Requirement(text).name) for text in PROJECT["build-system"]["requires"]}
    # hatchling asks for editables when an editable installation is built.
    assert builders | {"editables"} <= set(pinned())


def test_every_pin_lies_in_the_range_that_the_project_states() -> None:
    project = PROJECT["project"]
    extras = project["optional-dependencies"].values()
    for text in [*project["dependencies"], *(text for extra in extras for text in extra)]:
        requirement = Requirement(text)
        assert requirement.specifier.contains(pinned()[canonical(requirement.name)]), text


def test_every_dependency_says_why_it_is_there() -> None:
    lines = (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    for text in PROJECT["project"]["dependencies"]:
        (line,) = [line for line in lines if f'"{text}"' in line]
        assert re.search(r"# \w+", line), line


def test_the_tests_run_on_the_pinned_versions() -> None:
    installed = {canonical(str(d.metadata["Name"])): d.version for d in distributions()}
    different = {
        name: (version, installed[name])
        for name, version in pinned().items()
        if installed.get(name, version) != version
    }
    assert not different


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's wheel, built with the build backend installed here and so without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [*build, "--wheel-dir", str(folder), str(ROOT)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("pendtui-*.whl")
    return built


def test_the_wheel_carries_every_data_file_of_the_package_and_no_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    package = Path(pendtui.__file__).parent
    files = [file for file in package.rglob("*") if file.is_file() and file.suffix != ".pyc"]
    kinds = {file.suffix or file.name for file in files}
    assert {".py", ".toml", ".tcss", ".txt"} <= kinds
    assert (package / "py.typed") in files
    assert {f"pendtui/{file.relative_to(package).as_posix()}" for file in files} <= names
    assert not [name for name in names if not name.startswith(("pendtui/", "pendtui-"))]


def test_the_wheel_names_its_command_its_license_and_its_python(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    described = f"pendtui-{pendtui.__version__}.dist-info"
    assert "pendtui = pendtui.cli:main" in archive.read(f"{described}/entry_points.txt").decode()
    assert f"{described}/licenses/LICENSE" in archive.namelist()
    metadata = archive.read(f"{described}/METADATA").decode()
    assert f"Version: {pendtui.__version__}\n" in metadata
    assert "Requires-Python: >=3.11\n" in metadata


class Elsewhere:
    """The wheel's own files, run in a folder where nothing else of the project is in sight."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        self.package, self.folder = folder / "package", folder / "elsewhere"
        zipfile.ZipFile(wheel).extractall(self.package)
        self.folder.mkdir()

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        home = {name: str(self.folder) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
        environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(self.package), **home}
        return subprocess.run(
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            env=environ,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def pendtui(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.python("-m", "pendtui", *arguments)


@pytest.fixture
def elsewhere(wheel: Path, tmp_path: Path) -> Elsewhere:
    one = Elsewhere(wheel, tmp_path)
    done = one.python("-c", "import pendtui; print(pendtui.__file__)")
    assert done.stdout.startswith(str(one.package)), done.stderr
    return one


def test_the_wheel_elsewhere_says_how_to_point_it_at_a_queue(elsewhere: Elsewhere) -> None:
    done = elsewhere.pendtui()
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "--queue" in line
    assert "pendtui demo" in line


def test_the_wheel_elsewhere_builds_checks_reads_and_scores_a_queue(elsewhere: Elsewhere) -> None:
    for arguments in (
        ["build", "--out", "claims"],
        ["check", "--queue", "claims"],
        ["clock", "--queue", "claims", "--policy", "rg-2026"],
        ["clock", "--queue", "claims"],
        ["score", "--queue", "claims", "--arm", "phrase"],
        ["score", "--queue", "claims", "--arm", "floor"],
    ):
        done = elsewhere.pendtui(*arguments)
        assert done.returncode == 0, (arguments, done.stderr)
    shipped = sorted((ROOT / "queue").glob("PC-*.txt"))
    assert len(shipped) == 60
    for file in shipped:
        assert (elsewhere.folder / "claims" / file.name).read_bytes() == file.read_bytes()


def test_the_version_is_given_once() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pendtui", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"pendtui {pendtui.__version__}\n"


def copy_of_the_set_up(folder: Path) -> Path:
    """A folder that holds what `tools/setup.sh` reads, and the script."""
    (folder / "tools").mkdir(parents=True)
    for name in ("pyproject.toml", "constraints.txt", "tools/setup.sh"):
        shutil.copy(ROOT / name, folder / name)
    return folder / "tools/setup.sh"


def python_that(folder: Path, answers: str) -> str:
    """A stand-in for a machine's python3: a shell script that answers as the machine would."""
    file = folder / "a-python"
    file.write_text(f"#!/bin/sh\n{answers}\n")
    file.chmod(0o755)
    return str(file)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ('case "$2" in *version_info\\ *) exit 1;; esac; echo Python 3.9.2', "Python 3.9.2"),
        (
            f'case "$2" in *ensurepip*) exit 1;; esac; exec "{sys.executable}" "$@"',
            f"install python{sys.version_info[0]}.{sys.version_info[1]}-venv",
        ),
    ],
    ids=["an old python", "no venv package and no way to fetch it"],
)
def test_a_machine_that_cannot_be_set_up_is_told_why_in_one_line(tmp_path: Path, answers: str, said: str) -> None:
    script = copy_of_the_set_up(tmp_path / "project")
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("sh", "cat", "cksum", "dirname", "rm"):  # and no apt-get
        (tools / name).symlink_to(str(shutil.which(name)))
    environ = {"PATH": str(tools), "PYTHON": python_that(tmp_path, answers)}
    done = subprocess.run(
        ["/bin/sh", str(script)], capture_output=True, text=True, env=environ, stdin=subprocess.DEVNULL, check=False
    )
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert said in line
    assert not (script.parent.parent / ".venv").exists()


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_alone_lists_what_there_is_to_make() -> None:
    done = subprocess.run(["make", "-C", str(ROOT)], capture_output=True, text=True, check=True)
    for target in ("run", "test", "lint", "types", "check", "bench", "format", "clean", "constraints"):
        assert re.search(rf"^make {target} +\S", done.stdout, re.MULTILINE), target
