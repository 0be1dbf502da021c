"""Tables in a browser: games by mouse and by keyboard, two persons and a spectator, a server that is killed."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from tests.play.wire import ME, PERSON, Server

from .conftest import PHONE, WIDE, Opener, complaints, screenshot, too_wide

GAMES: dict[str, tuple[list[str], dict[str, Any]]] = {
    "durak": ([ME, "low"], {"deck": 36, "transfer": True}),
    "draw_poker": ([ME, "heuristic", "heuristic", "heuristic"], {}),
    "daifugo": ([ME, "heuristic", "heuristic", "heuristic", "heuristic"], {}),
    "mnk": ([ME, "random"], {"m": 5, "n": 5, "k": 4}),
    "war": ([ME, "random"], {"deck": 28, "max_turns": 12, "pickup": "choice"}),
}
MOST = 400  # things that a person does in a game
LEGAL = "#scene [role=button]"
MOVES = "#buttons button:not(:disabled):not(:text-is('Undo')):not(:text-is('Clear'))"
READY = f"""() => !document.getElementById("after").hidden || document.querySelector("{LEGAL}, #buttons button")"""


def over(page: Page) -> bool:
    return page.locator("#after").is_visible()


def act(page: Page, luck: random.Random) -> None:
    """Do with the mouse what a person might do who knows nothing of the game."""
    page.wait_for_function(READY)
    go, legal, moves = (page.locator(one) for one in ("#buttons .go:not(:disabled)", LEGAL, MOVES))
    if go.count() and luck.random() < 0.6:
        go.first.click()
    elif legal.count() and luck.random() < 0.9:
        chosen = legal.nth(luck.randrange(legal.count()))
        chosen.scroll_into_view_if_needed(timeout=2_000)  # on a phone it may lie above what is shown
        box = chosen.bounding_box()
        if box is not None:  # cards lie on each other: their left edges are free
            page.mouse.click(box["x"] + min(10, box["width"] / 2), box["y"] + box["height"] / 2)
    elif moves.count():
        moves.nth(luck.randrange(moves.count())).click()
    page.wait_for_timeout(60)


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_mouse(window: Opener, server: Server, game: str) -> None:
    seats, options = GAMES[game]
    made, luck = server.make(game, seats, seed=3, **options), random.Random(3)
    page = window()
    page.goto(f"/tables/{made.table}#{made.seats[0]}")
    page.wait_for_function(READY)
    screenshot(page, f"{game}-start")
    assert complaints(page) == []
    assert page.get_by_role("link", name="Rules of").get_attribute("href") == f"/games/{game}/rules"
    for step in range(MOST):
        if over(page):
            break
        try:
            act(page, luck)
        except Exception:  # what was to be clicked went away under the hand: the game has gone on
            page.wait_for_timeout(100)
        if step == 4:
            screenshot(page, f"{game}-middle")
            page.emulate_media(color_scheme="dark")
            screenshot(page, f"{game}-dark")
            page.set_viewport_size(PHONE)
            screenshot(page, f"{game}-phone-dark")
            page.emulate_media(color_scheme="light")
            screenshot(page, f"{game}-phone-middle")
            assert too_wide(page) <= 0
            page.set_viewport_size(WIDE)
    screenshot(page, f"{game}-end")
    expect(page.locator("#after")).to_be_visible()
    assert page.locator(".results li").count() == len(seats)
    assert complaints(page) == []
    page.set_viewport_size(PHONE)
    screenshot(page, f"{game}-phone")
    assert too_wide(page) <= 0


def press(page: Page, luck: random.Random) -> None:
    """Do the same with the keyboard: arrows and the space bar on the table, Enter on what is offered."""
    page.wait_for_function(READY)
    go, legal, moves = (page.locator(one) for one in ("#buttons .go:not(:disabled)", LEGAL, MOVES))
    if go.count() and luck.random() < 0.6:
        go.first.focus()
        page.keyboard.press("Enter")
    elif legal.count() and luck.random() < 0.9:
        for _ in range(luck.randint(1, 4)):
            page.keyboard.press(luck.choice(("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown")))
        page.keyboard.press("Space")
    elif moves.count():
        moves.nth(luck.randrange(moves.count())).focus()
        page.keyboard.press("Enter")
    page.wait_for_timeout(60)


def touch(page: Page, luck: random.Random) -> None:
    """Do the same with a thumb."""
    page.wait_for_function(READY)
    go, things, moves = (page.locator(one) for one in ("#buttons .go:not(:disabled)", LEGAL, MOVES))
    if go.count() and luck.random() < 0.6:
        go.first.tap()
    elif things.count() and luck.random() < 0.9:
        things.nth(luck.randrange(things.count())).tap(timeout=2000, position={"x": 10, "y": 20})
    elif moves.count():
        moves.nth(luck.randrange(moves.count())).tap()
    page.wait_for_timeout(60)
    assert too_wide(page) <= 0


def finish(page: Page, way: Callable[[Page, random.Random], None], seed: int = 3) -> None:
    """Play to the end in some way."""
    luck = random.Random(seed)
    for _ in range(MOST):
        if over(page):
            break
        try:
            way(page, luck)
        except Error:  # what was to be used went away under the hand: the game has gone on
            page.wait_for_timeout(100)
    expect(page.locator("#after")).to_be_visible()


def unfold(page: Page) -> None:
    """Show all that one can do after a game."""
    page.locator("#after summary", has_text="More").click()


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_keyboard(window: Opener, server: Server, game: str) -> None:
    seats, options = GAMES[game]
    made = server.make(game, seats, seed=2, **options)
    page = window(color_scheme="dark")
    page.goto(f"/tables/{made.table}#{made.seats[0]}")
    finish(page, press)
    screenshot(page, f"{game}-keyboard-dark")


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_by_touch(window: Opener, server: Server, game: str) -> None:
    seats, options = GAMES[game]
    made = server.make(game, seats, seed=2, **options)
    page = window({"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.goto(f"/tables/{made.table}#{made.seats[0]}")
    page.wait_for_function(READY)
    assert complaints(page) == []
    finish(page, touch)
    screenshot(page, f"{game}-touch-end")


def test_arrows_begin_at_the_newest_move(window: Opener, server: Server) -> None:
    made = server.make("mnk", [ME, "random"], m=9, n=9, k=5, seed=2)
    page = window()
    page.goto(f"/tables/{made.table}#{made.seats[0]}")
    page.wait_for_function(READY)
    where = (
        "one => { const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }"
    )
    before = page.locator("#log li").count()
    page.locator(LEGAL).nth(40).click()
    page.wait_for_function(f"() => document.querySelectorAll('#log li').length >= {before + 2}")  # and its answer
    page.wait_for_function(READY)
    page.get_by_role("link", name="Rules of").focus()  # anywhere on the page
    newest, board = page.locator("#scene .of-last").evaluate(where), page.locator("#scene").bounding_box()
    cell = page.locator(LEGAL).first.bounding_box()
    assert cell is not None
    assert board is not None
    left = newest[0] > board["x"] + board["width"] / 2  # there is room on that side
    page.keyboard.press("ArrowLeft" if left else "ArrowRight")
    reached = page.locator("#scene :focus").evaluate(where)
    assert (reached[0] < newest[0]) == left
    assert abs(reached[0] - newest[0]) <= 2.5 * cell["width"]
    assert abs(reached[1] - newest[1]) <= 2.5 * cell["height"]


def test_nothing_moves_when_the_window_changes(window: Opener, server: Server) -> None:
    made = server.make("durak", [ME, PERSON], seed=1, deck=36)
    page = window()
    page.goto(f"/tables/{made.table}#{made.seats[0]}")
    page.wait_for_function("() => document.querySelectorAll('#scene .el').length > 10")
    page.evaluate("""() => {
        const { animate } = Element.prototype;
        window.motions = 0;
        Element.prototype.animate = function (...rest) {
            window.motions += 1;
            return animate.apply(this, rest);
        };
    }""")
    wide = page.locator("#scene").get_attribute("viewBox")
    page.set_viewport_size(PHONE)
    expect(page.locator("#scene")).not_to_have_attribute("viewBox", wide or "")
    assert page.evaluate("window.motions") == 0


def test_two_persons_and_one_who_watches(window: Opener, server: Server) -> None:
    made = server.make("mnk", [ME, PERSON], m=3, n=3, k=3, seed=2)
    seats = [made.seats[0], made.seats[1]]
    pages = [window() for _ in range(3)]
    for page, token in zip(pages, [*seats, made.watch], strict=True):
        page.goto(f"/tables/{made.table}#{token}")
    players, watcher = pages[:2], pages[2]
    for page in players:
        expect(page.locator("#hints")).to_be_hidden()
    for _ in range(9):
        players[0].wait_for_timeout(300)
        if over(players[0]):
            break
        mover = next(page for page in players if page.locator(LEGAL).count())
        assert watcher.locator(LEGAL).count() == 0
        box = mover.locator(LEGAL).first.bounding_box()
        assert box is not None
        mover.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for page in pages:
        expect(page.locator("#after")).to_be_visible()
    expect(watcher.locator(".results li")).to_have_count(2)


def test_a_server_that_is_killed_comes_back_with_the_table(browser: Browser, tmp_path: Path) -> None:
    page = browser.new_page()
    with Server(tmp_path) as first:
        port = int(first.address.rpartition(":")[2])
        made = first.make("mnk", [ME, "random"], m=5, n=5, k=4, seed=2)
        page.goto(f"{first.address}/tables/{made.table}#{made.seats[0]}")
        page.locator(LEGAL).first.click()
        page.wait_for_function(
            "() => document.querySelectorAll('#log li').length >= 3 && document.querySelector('#scene [role=button]')"
        )
        moves = page.locator("#log li").all_inner_texts()
        first.kill()
        expect(page.locator("#banner")).to_contain_text("connection is lost")
    with Server(tmp_path, port=port):
        page.wait_for_function("() => document.getElementById('banner').textContent.startsWith('Your move')")
        assert page.locator("#log li").all_inner_texts() == moves
        page.locator(LEGAL).first.click()
        page.wait_for_function(f"() => document.querySelectorAll('#log li').length > {len(moves)}")
    page.close()
