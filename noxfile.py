"""The checks without make, as on Windows, and the libraries that kozyr stands on, in several versions.

`nox -s test` does what `make test` does, and so on: CONTRIBUTING.md has the whole table. Without a name nox runs what
`make compat` runs: one game with each set of versions. A set whose Python is not installed is skipped, and nox says so.
"""

from pathlib import Path

import nox

nox.options.default_venv_backend = "venv"
PYTHONS = ["3.11", "3.12", "3.13"]

GAME = "mnk"
BOUNDS = [
    "filelock==3.32.0",
    "pillow==10.0.0",
    "platformdirs==4.0.0",
    "resvg-py==0.2.0",
    "rich==13.8.0",
    "typer==0.15.0",
]
SETS = {
    ("3.11", "lowest"): ["pettingzoo==1.24.3", "gymnasium==1.0.0", "numpy==1.26.4", "numba==0.60.0", *BOUNDS],
    ("3.12", "between"): ["pettingzoo==1.25.0", "gymnasium==1.1.1", "numpy==2.0.2", "numba==0.61.2"],
    ("3.13", "between"): ["pettingzoo==1.26.1", "gymnasium==1.2.3", "numpy==2.2.6", "numba==0.61.2"],
    ("3.11", "pinned"): ["--constraint", "constraints/shared.txt"],
    ("3.13", "pinned"): ["--constraint", "constraints/shared.txt"],
}
TESTS = ["tests/contract/test_ecosystem.py", "tests/contract/test_aec.py", "tests/contract/test_aec_errors.py"]
TESTS += ["tests/contract/test_seat.py", "tests/test_registration.py", "tests/test_imports.py"]


def _add(python: str, name: str, packages: list[str]) -> None:
    """Add the session of one set."""

    @nox.session(python=python, name=f"{name}-{python}")
    def play(session: nox.Session) -> None:
        session.install("setuptools>=77", "wheel")
        session.install("hypothesis", "pytest", "pytest-timeout")
        session.install("--no-build-isolation", "--editable", ".[pictures]", *packages)
        session.run("python", "-m", "pip", "list", "--format=freeze", silent=False)
        session.run("python", "-m", "pytest", *TESTS, "-k", f"{GAME} or {GAME.title()} or importing")


for (its_python, its_name), its_packages in SETS.items():
    _add(its_python, its_name, its_packages)
nox.options.sessions = [f"{name}-{python}" for python, name in SETS]


def _install(session: nox.Session, extras: str) -> None:
    """Install the checkout with extras, in the versions that are tested."""
    pinned = ("--constraint", "constraints/shared.txt")
    session.install("setuptools>=77", "wheel", *pinned)
    session.install("--no-build-isolation", "--editable", f".[{extras}]", *pinned)


@nox.session
def test(session: nox.Session) -> None:
    """Run the tests, as `make test`; arguments behind -- go to pytest."""
    _install(session, "train,test")
    session.run("python", "-m", "pytest", "-n", "auto", "--dist", "loadfile", *session.posargs)


@nox.session
def contract(session: nox.Session) -> None:
    """Run what holds for all games, and the agents, without torch: a shorter check for a new system."""
    _install(session, "policies,test")
    named = session.posargs or ["tests/contract", "tests/agents/test_match.py", "tests/test_lock.py"]
    session.run("python", "-m", "pytest", "-n", "auto", "--dist", "loadfile", *named)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, types and the direction of imports, as `make lint`."""
    _install(session, "train,dev")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("pyright", "--pythonpath", str(Path(session.bin, "python")))
    session.run("lint-imports")
    session.run("python", "-m", "pytest", "-q", "tests/test_packaging.py", "-k", "type_checker or pypi")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation, as `make docs`."""
    _install(session, "train,docs")
    session.run("python", "-m", "docs.results")
    built = ("-b", "html", "docs", "docs/_build/html")
    session.run("python", "-m", "sphinx", "--fail-on-warning", "--keep-going", *built)


@nox.session
def play(session: nox.Session) -> None:
    """Open the lobby in the browser, as `make play`."""
    _install(session, "play,policies")
    session.run("kozyr", "play", *session.posargs)


@nox.session
def demo(session: nox.Session) -> None:
    """Train a Durak player and measure it, as `make demo`."""
    _install(session, "train")
    session.run("kozyr", "train", "durak", "--preset", "demo", *(session.posargs or ["--out", "runs/demo"]))


@nox.session
def wheel(session: nox.Session) -> None:
    """Build the source archive and the wheel into dist/, as `make wheel`."""
    _install(session, "dev")
    session.run("python", "-m", "kozyr.agents.play.site.shipped")
    session.run("python", "-m", "build", "--no-isolation")


@nox.session(python=PYTHONS, name="test-wheel-plain")
def test_wheel_plain(session: nox.Session) -> None:
    """Install the wheel in dist/ alone, as a user would, and run README's first Python."""
    wheels = sorted(Path("dist").glob("*.whl"))
    if not wheels:
        session.error("there is no wheel in dist/: run `make wheel` or `nox -s wheel`")
    session.install(str(wheels[-1]))
    script = Path("tests", "wheel_readme.py").resolve()
    session.chdir(session.create_tmp())  # nothing of the checkout is on the path
    session.run("python", str(script))
