"""The libraries that kozyr stands on, in several versions: `make compat` plays one game with each set of them.

A set whose Python is not installed is skipped, and nox says so.
"""

import nox

nox.options.default_venv_backend = "venv"

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
    ("3.11", "pinned"): ["--constraint", "constraints.txt"],
    ("3.13", "pinned"): ["--constraint", "constraints.txt"],
}
TESTS = ["tests/contract/test_ecosystem.py", "tests/contract/test_aec.py", "tests/contract/test_aec_errors.py"]
TESTS += ["tests/contract/test_seat.py", "tests/test_registration.py", "tests/test_imports.py"]


def _add(python: str, name: str, packages: list[str]) -> None:
    """Add the session of one set."""

    @nox.session(python=python, name=f"{name}-{python}")
    def play(session: nox.Session) -> None:
        session.install("setuptools>=77", "wheel")
        session.install("hypothesis", "pytest", "--no-build-isolation", "--editable", ".", *packages)
        session.run("python", "-m", "pip", "list", "--format=freeze", silent=False)
        session.run("python", "-m", "pytest", *TESTS, "-k", f"{GAME} or {GAME.title()} or importing")


for (its_python, its_name), its_packages in SETS.items():
    _add(its_python, its_name, its_packages)
