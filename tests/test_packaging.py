"""What is installed is what the tree has."""

import importlib.util
import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from importlib.metadata import metadata, version
from pathlib import Path
from typing import Any

import pytest
import setuptools
import yaml

import kozyr
from kozyr import envs
from kozyr.agents.play import site
from kozyr.agents.play.site import modules

ROOT = Path(__file__).parents[1]
TOPS = {"agents": "agents", "contract": "tests/contract", "envs": "envs", "training": "training"}
TYPED = ("agents", "envs", "training")
PYRIGHT = Path(sys.executable).with_name("pyright")
SHIPPED = {
    ".css",
    ".html",
    ".js",
    ".md",
    ".npz",
    ".onnx",
    ".po",
    ".proto",
    ".py",
    ".pyi",
    ".svg",
    ".tcss",
    ".tmpl",
    ".toml",
    ".ts",
    ".typed",
    ".wasm",
}

SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAKE = (ROOT / "Makefile").read_text()

needs_pyright = pytest.mark.skipif(
    not PYRIGHT.exists(), reason="pyright is in the extra [dev]; `make lint` installs it"
)
needs_wheel = pytest.mark.skipif("KOZYR_WHEEL" not in os.environ, reason="run by `make test-wheel`")


def shipped_files() -> set[str]:
    paths = ((top, path.relative_to(ROOT / place)) for top, place in TOPS.items() for path in (ROOT / place).rglob("*"))
    shipped = (f"kozyr/{top}/{path.as_posix()}" for top, path in paths if path.suffix in SHIPPED)
    return {"kozyr/__init__.py", *shipped}


def test_every_package_of_the_tree_is_listed() -> None:
    folders = {path.rpartition("/")[0].replace("/", ".") for path in shipped_files()}
    assert sorted(folders) == SETUPTOOLS["packages"]


def test_every_listed_package_has_a_docstring() -> None:
    for package in SETUPTOOLS["packages"]:
        _, *inner = package.split(".")
        folder = ROOT.joinpath(TOPS[inner[0]], *inner[1:]) if inner else ROOT / ".src" / "kozyr"
        source = (folder / "__init__.py").read_text()
        assert source.startswith('"""'), package


def test_the_top_packages_are_typed_and_share_a_namespace() -> None:
    assert SETUPTOOLS["package-dir"] == {"kozyr": ".src/kozyr"} | {f"kozyr.{top}": place for top, place in TOPS.items()}
    assert all((ROOT / top / "py.typed").is_file() for top in TYPED)


def test_importing_kozyr_is_enough() -> None:
    code = (
        "import kozyr; print(kozyr.__version__, kozyr.envs.games()[0], kozyr.agents.__name__, kozyr.training.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [version("kozyr"), envs.games()[0], "kozyr.agents", "kozyr.training"]
    with pytest.raises(AttributeError, match="kozyr"):
        kozyr.nothing  # noqa: B018


def targets() -> set[str]:
    """Return the targets of the Makefile, with those of the libraries that have an environment of their own."""
    libraries = {path.stem for path in (ROOT / "constraints").glob("*.txt")}
    plugs = {name for name in libraries if (ROOT / "tests" / "plugs" / f"test_{name}.py").is_file()}
    return {*re.findall(r"^([a-z-]+):", MAKE, re.MULTILINE), *(f"test-{name}" for name in plugs)}


def sessions() -> set[str]:
    """Return the sessions of noxfile.py that have a name of their own."""
    source = (ROOT / "noxfile.py").read_text()
    return set(re.findall(r"@nox\.session\ndef (\w+)", source)) | set(re.findall(r"name=\"([\w-]+)\"", source))


def commands(workflow: Path) -> list[str]:
    """Return what a workflow runs, once for each value of its matrix."""
    found = list[str]()
    for job in yaml.safe_load(workflow.read_text())["jobs"].values():
        for run in (step["run"] for step in job["steps"] if "run" in step):
            libraries = job.get("strategy", {}).get("matrix", {}).get("library", [""])
            found += [run.replace("${{ matrix.library }}", name) for name in libraries]
    return found


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_name_targets_and_sessions_that_are_there(workflow: Path) -> None:
    text = "\n".join(commands(workflow))
    made, run = re.findall(r"^make ([\w-]+)", text, re.MULTILINE), re.findall(r"nox -s ([\w-]+)", text)
    assert made or run
    assert set(made) <= targets()
    assert set(run) <= sessions()
    assert not re.search(r"secrets\.|password|(?<!id-)token:", workflow.read_text())


def test_every_library_is_tested_by_a_workflow() -> None:
    run = "\n".join(line for workflow in WORKFLOWS for line in commands(workflow))
    libraries = {name for name in targets() if (ROOT / "constraints" / f"{name.removeprefix('test-')}.txt").is_file()}
    assert libraries - {"test-cuda"} <= set(re.findall(r"^make ([\w-]+)", run, re.MULTILINE))


def test_pre_commit_runs_what_make_lint_runs() -> None:
    lint = re.search(r"^lint:.*\n((?:\t.*\n)+)", MAKE, re.MULTILINE)
    assert lint is not None
    wanted = [line.strip().replace("$(BIN)", ".venv/bin") for line in lint[1].splitlines()]
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert [hook["entry"] for hook in local["hooks"]] == wanted


def test_what_make_does_nox_does_without_make() -> None:
    rows = re.findall(r"^\| `make ([\w-]+)` \| `nox -s ([\w-]+)", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    assert {make for make, _ in rows} >= {"demo", "test", "play", "lint", "docs", "wheel"}
    assert {make for make, _ in rows} <= targets()
    assert {nox for _, nox in rows} <= sessions()


def test_the_citation_has_the_version_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == project["version"]


def describe() -> Callable[[str, str], str]:
    """Return what setup.py makes the README of the wheel with."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(setuptools, "setup", lambda **named: None)
        patch.chdir(ROOT)
        return runpy.run_path("setup.py")["description"]


def targets_of(page: str) -> list[str]:
    """Return where the links and pictures of a Markdown page lead, but for places on it."""
    found = re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", page)
    return [one or other for one, other in found if not (one or other).startswith("#")]


def test_on_pypi_the_readme_has_whole_addresses() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    before = [path for path in targets_of(readme) if "://" not in path]
    assert len(before) > 20
    told = describe()(readme, "https://example.org/a/kozyr/{kind}/v1/")
    assert all("://" in path for path in targets_of(told))
    pictures = {path for path in before if path.startswith("docs/pictures/")}
    assert pictures
    for path in before:
        kind = "raw" if path in pictures else "blob"
        assert f"https://example.org/a/kozyr/{kind}/v1/{path}" in told
        assert (ROOT / path.partition("#")[0]).exists()


def test_on_pypi_nothing_leads_nowhere_while_the_repository_has_no_address() -> None:
    text = '![a](b.png) [c](d.md#e) [f](https://example.org/) <img src=\'x\'> <img src="g.webp" alt="h">'
    assert describe()(text, "").split() == ["c", "[f](https://example.org/)", "<img", "src='x'>"]
    told = describe()((ROOT / "README.md").read_text(encoding="utf-8"), "")
    assert all("://" in path for path in targets_of(told))


def test_pypi_renders_the_readme() -> None:
    markdown: Any = pytest.importorskip("readme_renderer.markdown", reason="comes with the extra [dev]: `make lint`")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    page = markdown.render(describe()(readme, "https://example.org/a/kozyr/{kind}/v1/"))
    assert page is not None
    assert page.count("<table>") == len(re.findall(r"^\|[-:| ]*---[-:| ]*\|$", readme, re.MULTILINE)) > 3
    assert page.count("<img ") == readme.count("<img ") + readme.count("![")
    assert "](" not in page


@needs_wheel
def test_the_wheel_says_what_the_readme_says() -> None:
    told = metadata("kozyr")
    text = told["Description"] or told.get_payload()  # the older and the newer place
    assert told["Description-Content-Type"] == "text/markdown"
    assert "## Games" in text
    assert all("://" in path for path in targets_of(text))


@needs_pyright
def test_a_type_checker_sees_what_factories_return(tmp_path: Path) -> None:
    calls = {
        "kozyr.__version__": "str",
        'kozyr.envs.game("durak")': "Game",
        'kozyr.envs.make("durak")': "Env",
        "durak_v0.env()": "Env",
        "durak_v0.raw_env()": "RawEnv",
        'kozyr.envs.make_tables("durak", 3)': "Tables",
        'kozyr.envs.make_vec("durak", 3)': "LearnerVectorEnv",
        'kozyr.envs.make_seats("durak", 3)': "SeatVectorEnv",
        'kozyr.envs.make_seat("durak")': "SeatEnv",
        'kozyr.agents.load("durak:low")': "Agent",
    }
    lines = ["import kozyr", "from kozyr.envs import durak_v0", *(f"reveal_type({call})" for call in calls)]
    (tmp_path / "consumer.py").write_text("\n".join(lines))
    command = [str(PYRIGHT), "--outputjson", "--pythonpath", sys.executable, "consumer.py"]
    told = json.loads(subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout)[
        "generalDiagnostics"
    ]
    assert [one["message"].rpartition(" is ")[2].strip('"') for one in told] == list(calls.values())


@pytest.mark.parametrize("module", ["kozyr.envs", "kozyr.agents", "kozyr.agents.arena"])
def test_importing_loads_nothing_heavy(module: str) -> None:
    heavy = ("torch", "stable_baselines3", "pygame", "matplotlib", "onnxruntime", "pandas")
    code = f"import sys, {module}; print(*(name for name in {heavy!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@needs_wheel
def test_the_wheel_has_every_file_of_the_tree() -> None:
    with zipfile.ZipFile(ROOT / os.environ["KOZYR_WHEEL"]) as wheel:
        names = {name for name in wheel.namelist() if name.startswith("kozyr/")}
    assert names == shipped_files()
    assert (ROOT / os.environ["KOZYR_WHEEL"]).stat().st_size <= 8 * 2**20


@needs_wheel
def test_games_come_as_webassembly_and_are_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modules, "inside", None)
    games = [envs.game(name) for name in envs.games()]
    variants = [game.make_variant() for game in games]
    made = [site.compiled(game, v, site.condensed(game, v)) for game, v in zip(games, variants, strict=True)]
    assert all(one.startswith(b"\0asm") for one in made)
    assert sum(map(len, made)) <= 500_000


@needs_wheel
@pytest.mark.parametrize("top", TOPS)
def test_the_wheel_is_what_is_imported(top: str) -> None:
    spec = importlib.util.find_spec(f"kozyr.{top}")
    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin).is_relative_to(sys.prefix)
