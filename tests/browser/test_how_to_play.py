"""Pages for those who do not know a game, and the practice game with a hint at each turn."""

import random
from typing import Any

import pytest
from playwright.sync_api import Error, expect

from kozyr import envs

from .conftest import Opener, complaints, screenshot, too_wide
from .test_tables import READY, act, over

PHONE: Any = {"width": 390, "height": 844}


@pytest.mark.parametrize("name", envs.games())
def test_a_page_that_tells_how_to_play(window: Opener, name: str) -> None:
    page = window()
    page.set_default_timeout(60_000)  # pictures are drawn when they are asked for the first time
    page.goto("/")
    page.get_by_role("link", name="How to play").and_(page.locator(f"[href='/games/{name}/how-to-play']")).click()
    for image in page.locator("figure img").all():
        image.scroll_into_view_if_needed()
    page.wait_for_function(
        "() => [...document.images].every((one) => one.complete && one.naturalWidth > 0)", timeout=60_000
    )
    page.evaluate("() => scrollTo(0, 0)")
    assert complaints(page) == []
    page.screenshot(path=f"build/screens/how-{name}.png", full_page=True)
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme="dark")
    assert too_wide(page) <= 0
    assert complaints(page) == []
    page.screenshot(path=f"build/screens/how-{name}-phone-dark.png", full_page=True)


@pytest.mark.parametrize("name", ["durak", "daifugo"])
def test_a_practice_game_shows_a_hint_at_each_turn(window: Opener, name: str) -> None:
    page, luck, hints = window(), random.Random(1), 0
    page.goto(f"/games/{name}/how-to-play")
    page.get_by_role("button", name="Play a practice game").click()
    page.wait_for_url("**/tables/*?practice=1#*")
    expect(page.get_by_role("link", name="How to play")).to_be_visible()
    for _ in range(6):
        page.wait_for_function(READY)
        if over(page):
            break
        buttons = page.locator("#buttons button:not([aria-describedby])")  # all but the one that takes a move back
        if page.locator("#scene [role=button]").count() + buttons.count() > 1:
            expect(page.locator("#banner")).to_contain_text("Hint: ", timeout=60_000)
            assert page.locator("#scene .hinted, #buttons .wanted").count() >= 1
            hints += 1
            screenshot(page, f"practice-{name}")
        before = page.locator("#log li").count()
        for _ in range(12):
            try:
                act(page, luck)
            except (Error, ValueError):  # what was to be used went away under the hand: the game has gone on
                page.wait_for_timeout(100)
            if over(page) or page.locator("#log li").count() > before:
                break
    assert hints > 1
    expect(page.locator("#counts")).to_contain_text("does not count")
    assert complaints(page) == []
