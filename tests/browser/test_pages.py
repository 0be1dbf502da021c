"""The lobby, the forms and the score: readable by everybody, on every screen."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from kozyr import envs
from kozyr.agents.play.pages import network
from tests.play.wire import RUN, Server

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
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert complaints(page) == []
    assert too_wide(page) <= 0
    if look == "phone" and not name.startswith("rules"):
        assert small_targets(page) == []


def test_an_impossible_option_is_told_as_one_types(window: Opener) -> None:
    page = window()
    page.goto("/games/durak")
    page.locator("#set-players").fill("99")
    expect(page.locator("#problem-set-players")).to_contain_text("players=99")


def test_one_click_deals_and_the_level_is_remembered(window: Opener) -> None:
    page = window()
    page.goto("/")
    tile = page.locator(".tile", has_text="War")
    expect(tile.locator(".player")).to_have_text("against flip")
    tile.get_by_label("Level of War").select_option("Hard")
    expect(tile.locator(".player")).to_have_text("against high_first")
    page.reload()
    expect(tile.get_by_label("Level of War")).to_have_value("hard")
    expect(page.get_by_label("Level of Durak")).to_have_value("hard")
    expect(tile.locator(".player")).to_have_text("against high_first")
    page.get_by_role("button", name="Play War").click()
    page.wait_for_url("**/tables/**#*")
    expect(page.locator("#people")).to_contain_text("high_first")


def test_a_name_is_saved_and_the_form_stays_as_it_is(window: Opener) -> None:
    page = window()
    page.goto("/games/durak")
    page.locator("#set-players").fill("3")
    page.get_by_text("All options").click()
    page.locator("label[for=set-open_trump]").click()
    page.locator("#seat-1").select_option("low")
    page.locator("#my-name").fill("Ann")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#my-name")).to_have_value("Ann")
    expect(page.locator("#set-players")).to_have_value("3")
    expect(page.locator("#set-open_trump")).not_to_be_checked()
    expect(page.locator("#seat-1")).to_have_value("low")
    expect(page.locator("#seat-2")).to_be_visible()


def test_rules_have_names_and_all_options_are_folded(window: Opener) -> None:
    page = window()
    page.goto("/games/durak")
    expect(page.locator("#set-transfer")).to_be_hidden()
    page.get_by_role("link", name="Perevodnoy").click()
    expect(page.get_by_role("link", name="Perevodnoy")).to_have_attribute("aria-current", "true")
    expect(page.locator("#set-transfer")).to_be_hidden()
    page.get_by_text("All options").click()
    expect(page.locator("#set-transfer")).to_be_checked()
    page.goto("/games/durak?set-deck=20")
    expect(page.locator("#set-deck")).to_be_visible()
    screenshot(page, "options-unfolded")


@pytest.mark.parametrize("look", LOOKS)
def test_links_of_this_machine_only_say_so(window: Opener, look: str) -> None:
    page = window(**LOOKS[look])
    page.goto("/games/durak?seat-1=person")
    page.get_by_role("button", name="Deal").click()
    expect(page.locator("#near")).to_contain_text("kozyr play --host 0.0.0.0")
    expect(page.locator("#links input").first).to_have_value(re.compile(r"^http://127\.0\.0\.1:"))
    screenshot(page, f"links-{look}")
    assert complaints(page) == []
    assert too_wide(page) <= 0
    page.get_by_role("link", name="Go to my table").click()
    page.wait_for_url("**/tables/**#*")


def test_links_that_others_reach_have_a_code_for_phones(browser: Browser, tmp_path: Path) -> None:
    run = RUN.replace("rate=rate)", "rate=rate, is_open=True)")
    page = browser.new_page(viewport=PHONE)
    with Server(tmp_path, command=("-c", run, str(tmp_path), "0", "0", "0")) as server:
        page.goto(f"{server.address}/games/mnk?seat-1=person")
        page.get_by_role("button", name="Deal").click()
        if not network.local_address():
            expect(page.locator(".code")).to_have_count(0)  # a machine without a network
            return
        expect(page.locator("#near")).to_contain_text("address in your network")
        field = page.locator("#links input").first
        expect(field).to_have_value(re.compile(rf"^http://{re.escape(network.local_address())}:"))
        page.locator(".code summary").first.click()
        page.wait_for_function("() => document.querySelector('.code img').naturalWidth > 0")
        assert complaints(page) == []
        assert too_wide(page) <= 0
        screenshot(page, "links-code")
    page.close()


def test_a_table_is_dealt_with_the_keyboard_alone(window: Opener) -> None:
    page = window()
    page.goto("/")
    reach(page, "a[href='/games/mnk']")
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
