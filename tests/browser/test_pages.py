"""The lobby, the forms and the score: readable by everybody, on every screen."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from kozyr import envs

from .conftest import PHONE, WIDE, Opener, complaints, screenshot, small_targets, too_wide

PAGES = {
    "lobby": "/",
    "score": "/score",
    **{f"form-{game}": f"/games/{game}" for game in envs.games()},
    **{f"rules-{game}": f"/games/{game}/rules" for game in envs.games()},
}
LOOKS: dict[str, dict[str, Any]] = {
    "wide": {"size": WIDE},
    "phone": {"size": PHONE, "has_touch": True, "device_scale_factor": 2},
    "dark": {"size": WIDE, "color_scheme": "dark"},
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_and_fits(window: Opener, name: str, look: str) -> None:
    page = window(**LOOKS[look])
    page.goto(PAGES[name])
    page.wait_for_load_state("networkidle")
    screenshot(page, f"{name}-{look}")
    assert complaints(page) == []
    assert too_wide(page) <= 0
    if look == "phone" and not name.startswith("rules"):
        assert small_targets(page) == []


def test_an_impossible_option_is_told_as_one_types(window: Opener) -> None:
    page = window()
    page.goto("/games/durak")
    page.locator("#set-players").fill("99")
    expect(page.locator("#problem-set-players")).to_contain_text("players=99")


def test_a_table_is_dealt_with_the_keyboard_alone(window: Opener) -> None:
    page = window()
    page.goto("/")
    reach(page, "a[href^='/games/mnk']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/games/mnk**")
    reach(page, "button[value=deal]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/tables/**")


def reach(page: Page, selector: str) -> None:
    """Press Tab until something has the focus."""
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    pytest.fail(f"Tab does not reach {selector}")
