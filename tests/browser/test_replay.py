"""The page of recorded games from the disk: what the rules draw in the browser is what this machine draws."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from kozyr.agents.play.site import replays
from kozyr.envs.viewer import html
from tests.core.test_film import GAMES, played

from .conftest import PHONE, WIDE, screenshot, too_wide

LENGTHS = {"war": 150}  # plies; the whole game is among the tests of films
LARGEST, STEP = 300_000, 10


def drawings(page: Page, path: Path) -> list[str]:
    """Return what each viewpoint of a page shows at every tenth ply up to the last one, and end with everything."""
    page.goto(path.as_uri())
    page.wait_for_selector("#moves [aria-current]")
    script = """step => {
        const shown = [];
        const [ply, view] = [document.getElementById("ply"), document.getElementById("view")];
        const put = (what, value, event) => { what.value = value; what.dispatchEvent(new Event(event)); };
        for (const option of [...view.options, view.options[0]]) {
            put(view, option.value, "change");
            const last = Number(ply.max);
            for (let i = last % step; i <= last; i += step) {
                put(ply, i, "input");
                shown.push(document.getElementById("stage").innerHTML + document.getElementById("text").textContent);
            }
        }
        return shown;
    }"""
    return page.evaluate(script, STEP)


@pytest.mark.parametrize("name", GAMES)
def test_the_rules_draw_the_same_from_the_disk(browser: Browser, name: str, tmp_path: Path) -> None:
    one = played(name, plies=LENGTHS.get(name))
    module = replays.module(one.game, one.variant)
    assert module is not None
    for file, modules in (("scenes.html", {}), ("rules.html", {(one.game.id, one.variant): module})):
        (tmp_path / file).write_text(html.page([one], modules=modules), encoding="utf-8")
    assert (tmp_path / "rules.html").stat().st_size < LARGEST
    with browser.new_context(viewport=WIDE, offline=True) as context:
        wrong, page = list[str](), context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
        by_rules = drawings(page, tmp_path / "rules.html")
        screenshot(page, f"replay-{name}-end")
        assert page.inner_text("#count") == f"{len(one.actions)} of {len(one.actions)}"
        page.set_viewport_size(PHONE)
        screenshot(page, f"replay-{name}-phone")
        assert too_wide(page) <= 0
        page.set_viewport_size(WIDE)
        assert by_rules == drawings(page, tmp_path / "scenes.html")
        assert len(by_rules) == (one.game.seats(one.variant) + 2) * (len(one.actions) // STEP + 1)
        assert wrong == []
