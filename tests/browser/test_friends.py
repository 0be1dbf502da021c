"""Friends at a table in a browser: names, emotes, a rematch that both want; and the look back at a game."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.play.wire import ME, PERSON, Server

from .conftest import Opener, complaints, screenshot, small_targets, too_wide
from .test_tables import LEGAL, READY, act, finish, unfold

PHONE: Any = {"width": 390, "height": 844}
SMALL: dict[str, Any] = {"m": 3, "n": 3, "k": 3}
SCRIPT = "<b>Eve</b>"


def pair(window: Opener, server: Server, **given: Any) -> tuple[Page, Page, Any]:
    """Open a table of two people: a wide window and a phone."""
    made = server.make("mnk", [ME, PERSON], seed=2, **SMALL, **given)
    pages = window(), window(PHONE, has_touch=True, is_mobile=True, color_scheme="dark")
    for page, token in zip(pages, made.seats, strict=True):
        page.goto(f"/tables/{made.table}#{token}")
    for page in pages:
        expect(page.locator("#people .away")).to_have_count(0)
    return *pages, made


def play(pages: tuple[Page, Page]) -> None:
    """Play a game of two to its end."""
    for _ in range(9):
        pages[0].wait_for_timeout(150)
        if pages[0].locator("#after").is_visible():
            return
        next(page for page in pages if page.locator(LEGAL).count()).locator(LEGAL).first.click()


def test_a_guest_gives_a_name_and_shows_an_emote(window: Opener, server: Server) -> None:
    me, guest, _ = pair(window, server)
    field = guest.locator("#my-name")
    expect(field).to_be_visible()  # unfolded for who has no name yet
    field.fill(SCRIPT)
    guest.get_by_role("button", name="Save").click()
    expect(me.locator("#people li").nth(1)).to_contain_text(SCRIPT)
    expect(guest.locator("#people li").nth(1)).to_contain_text(f"{SCRIPT} (me)")
    expect(field).to_be_hidden()
    expect(me.locator("#scene")).to_contain_text(SCRIPT)
    assert me.locator("#people b, #scene b").count() == 0
    guest.get_by_role("button", name="Well played!").click()
    expect(me.locator("#people li").nth(1).locator(".emote")).to_have_text("Well played!")
    for page in (me, guest):
        expect(page.locator("#said")).to_have_text(f"{SCRIPT}: Well played!")
    screenshot(me, "emote")
    screenshot(guest, "emote-phone-dark")
    for page in (me, guest):
        assert complaints(page) == []
        assert too_wide(page) <= 0
    assert [one for one in small_targets(guest) if "checkbox" not in one] == []
    expect(me.locator("#people .emote")).to_have_count(0, timeout=8_000)
    guest.goto("/")
    expect(guest.locator("#my-name")).to_have_value(SCRIPT)  # the lobby knows it from now on


def test_the_next_game_begins_when_both_want_it(window: Opener, server: Server) -> None:
    me, guest, made = pair(window, server)
    play((me, guest))
    for page in (me, guest):
        expect(page.locator("#after .go")).to_have_count(1)
        expect(page.get_by_role("button", name="Swap seats")).to_be_hidden()
    guest.get_by_role("button", name="Play again").click()
    expect(guest.locator(".wishes")).to_contain_text("You have asked")
    expect(me.locator(".wishes")).to_contain_text("would like: Play again")
    screenshot(me, "rematch")
    screenshot(guest, "rematch-phone-dark")
    assert complaints(me) == []
    me.get_by_role("button", name="Play again").click()
    for page in (me, guest):
        page.wait_for_url(lambda url: made.table not in url)
        expect(page.locator("#people .away")).to_have_count(0)


def test_a_game_is_looked_back_at_and_tried_from_a_mistake(window: Opener, server: Server) -> None:
    made = server.make("durak", [ME, "heuristic"], seed=4, deck=36)
    page = window()
    page.goto(f"/tables/{made.table}#{made.seats[0]}")
    page.wait_for_function(READY)
    expect(page.locator("#counts")).to_contain_text("does not count")
    finish(page, act, 3)
    page.locator("#back summary").click()
    expect(page.locator("#back svg polyline")).to_be_visible(timeout=300_000)
    screenshot(page, "review-early")
    expect(page.locator("#back progress")).to_be_hidden(timeout=300_000)
    expect(page.locator(".mistakes li").first).to_contain_text("pimc would play")
    assert page.locator(".mistakes li").count() <= 2
    page.locator("#after").scroll_into_view_if_needed()
    screenshot(page, "review")
    assert complaints(page) == []
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme="dark")
    page.locator("#back").scroll_into_view_if_needed()
    screenshot(page, "review-phone-dark")
    assert too_wide(page) <= 0
    assert complaints(page) == []
    unfold(page)
    screenshot(page, "review-more-phone-dark")
    page.get_by_role("button", name="Try it from here").first.click()
    page.wait_for_url(lambda url: made.table not in url)
    page.wait_for_function(READY)
    expect(page.locator("#counts")).to_have_text("This game does not count for the score.")
    assert page.locator("#log li").count() > 1  # the moves before are known
