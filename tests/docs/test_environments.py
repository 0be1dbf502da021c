"""The environments' pages: the loop that each shows runs, and everything that a reader looks for is there."""

import importlib.util
import re
from typing import Any

import pytest

from kozyr import agents, envs
from kozyr.envs import registry
from tests.docs import pages

SECTIONS = (
    "Usage",
    "Options",
    "Observation Space",
    "Action Space",
    "Rewards",
    "Players",
    "Strategy",
    "Statistics",
    "Rendering",
    "Version History",
)


def generated() -> Any:
    """Return the module that writes pages."""
    spec: Any = importlib.util.spec_from_file_location("generated", pages.ROOT / "docs" / "generated.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", envs.games())
def test_the_loop_of_a_page_runs(name: str) -> None:
    [block] = pages.blocks(registry.page(name).__doc__ or "", "python")
    exec(block, {})  # noqa: S102


@pytest.mark.parametrize("name", envs.games())
def test_a_page_has_its_sections_in_order_and_a_paragraph_for_every_player(name: str) -> None:
    page = generated().environment(envs.game(name))
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == list(SECTIONS)
    assert page.index("<picture") < page.index("| Import |") < page.index("## Usage")
    assert all(f"**`{player}`** " in page for player in [*agents.names(name), *agents.searchers(name)])
    assert "{" not in re.sub(r"`[^`]*`", "", pages.prose(page))  # every mark was replaced
    cards = sorted(path.stem for path in (pages.ROOT / "training" / "policies").glob(f"{name}_*.md"))
    assert cards
    assert all(f"[`{card}`](../policies/{card}.md)" in page for card in cards)
