"""The code on the documentation's pages runs as it stands, and so do the examples of docstrings."""

import doctest
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from kozyr.envs.environments import argument_checks
from tests.docs import pages
from tests.docs.running import FLAGS, LIBRARIES, code, run

DOCS = pages.ROOT / "docs"
ELSEWHERE = {  # pages of libraries that have an environment of their own
    name
    for path in (pages.ROOT / "tests" / "plugs").glob("test_*.py")
    for name in re.findall(r'running\.library\("(\w+)"\)', path.read_text(encoding="utf-8"))
}
PAGES = [
    *sorted((DOCS / "start").glob("*.md")),
    *sorted((DOCS / "howto").glob("*.md")),
    *[page for page in sorted(LIBRARIES.glob("*.md")) if page.stem not in ELSEWHERE],
    DOCS / "about" / "design.md",
    DOCS / "about" / "policies.md",
    DOCS / "games.md",
]
MODULES = (
    "kozyr.envs",
    "kozyr.envs.environments.agent_protocol",
    "kozyr.envs.table.clock",
    "kozyr.envs.table.event",
    "kozyr.envs.bridges.structured",
    "kozyr.envs.table.table",
    "kozyr.envs.core.layout",
    "kozyr.envs.registry",
    "kozyr.agents.loading",
    "kozyr.agents.arena.matches.match",
    "kozyr.agents.programs.child",
    "kozyr.agents.agent_names",
    "kozyr.agents.player",
    "kozyr.agents.roster",
    "kozyr.agents.text.text_agent",
    "kozyr.agents.text.dialogue",
)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Let torch take one thread: several would wait for each other on busy cores."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.docs
@pytest.mark.parametrize(
    "page", [page for page in PAGES if code(page.read_text(encoding="utf-8"))], ids=lambda page: page.stem
)
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    text = page.read_text(encoding="utf-8")
    if 'device="cuda"' in text:
        try:
            argument_checks.device("cuda")
        except ValueError as missing:
            pytest.skip(str(missing))
    if "import pyarrow" in text:
        pytest.importorskip("pyarrow", reason="comes with the extra [data]")
    if "import minari" in text:
        pytest.importorskip("minari", reason="comes with the extra [minari]")
        pytest.importorskip("h5py", reason="comes with the extra [minari]")
    assert run(code(text)) == 0


def test_every_library_with_an_environment_has_a_page_whose_code_is_run() -> None:
    assert {"agilerl", "rllib", "supersuit", "tianshou", "torchrl", "verifiers"} <= ELSEWHERE
    assert {"sb3", "cleanrl", "gymnasium", "pettingzoo", "openspiel", *ELSEWHERE} <= {
        page.stem for page in LIBRARIES.iterdir()
    }


def test_an_example_that_lies_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([("python", "x = 2\n"), ("pycon", ">>> x + x\n5\n")]) == 1
    assert "Expected" in capsys.readouterr().out


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_docstrings_hold(module: str) -> None:
    outcome = doctest.testmod(import_module(module), optionflags=FLAGS)
    assert outcome.attempted
    assert outcome.failed == 0
