"""How a table behaves in a browser: touch, drag, keyboard, windows that take over, lost networks, what comes after."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Browser, Page, expect

from kozyr.envs.registry import game
from tests.play.wire import ME, PERSON, Server

from .conftest import PHONE, Opener, complaints, screenshot, too_wide
from .test_tables import LEGAL, READY, over, unfold

DURAK: dict[str, Any] = {"deck": 36}
TOP = "one => one.getBoundingClientRect().top"


def opened(page: Page, server: Server, game: str, seats: list[str], **options: Any) -> Any:
    """Make a table, sit down, and return what was made."""
    made = server.make(game, seats, **options)
    page.goto(f"/tables/{made.table}#{made.seats[0]}")
    page.wait_for_function(READY)
    return made


def moves(page: Page) -> int:
    return page.locator("#log li").count()


def test_a_whole_game_by_touch_on_a_phone(window: Opener, server: Server) -> None:
    page = window(PHONE, has_touch=True, is_mobile=True)
    opened(page, server, "durak", [ME, "low"], seed=4, **DURAK)
    assert complaints(page) == []
    for _ in range(300):
        page.wait_for_function(READY)
        if over(page):
            break
        card, button = page.locator(LEGAL), page.locator("#buttons button")
        before = moves(page)
        if card.count():
            box = card.first.bounding_box()
            assert box is not None
            assert box["width"] >= 40
            card.first.tap(position={"x": 10, "y": 20})  # where no other card lies on it
            if moves(page) == before and page.locator("#buttons .go").count():
                page.locator("#buttons .go").first.tap()
        else:
            button.first.tap()
        page.wait_for_timeout(50)
        assert too_wide(page) <= 0
    expect(page.locator("#after")).to_be_visible()
    screenshot(page, "durak-touch-end")


def test_a_wide_board_fills_a_phone_and_a_thumb_slides_to_its_cell(window: Opener, server: Server) -> None:
    page = window({"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    opened(page, server, "mnk", [ME, "random"], seed=1)
    cells = page.locator(LEGAL)
    for one in (cells.first, cells.nth(112), cells.last):
        box = one.bounding_box()
        assert box is not None
        assert 20 <= box["width"] == box["height"]
        assert 0 <= box["x"] <= 390 - box["width"]
    assert too_wide(page) <= 0
    before = moves(page)
    start, end = cells.nth(112).bounding_box(), cells.nth(114).bounding_box()
    assert start is not None
    assert end is not None
    key = cells.nth(114).get_attribute("data-key")
    page.mouse.move(start["x"] + 5, start["y"] + 5)
    page.mouse.down()
    page.mouse.move(end["x"] + 5, end["y"] + 5, steps=5)
    expect(page.locator(f"#scene .aimed[data-key='{key}']")).to_have_count(1)
    page.mouse.up()
    page.wait_for_function(f"() => document.querySelectorAll('#log li').length > {before}")
    assert page.locator(f"#scene [data-key='{key}'] use").count() == 1


def test_a_hint_is_drawn_on_the_card_and_the_cell(window: Opener, server: Server) -> None:
    for name, options in (("durak", DURAK), ("mnk", {"m": 5, "n": 5, "k": 4})):
        page = window()
        opened(page, server, name, [ME, "random"], seed=3, **options)  # I begin
        page.locator("#agent").evaluate("one => (one.selectedIndex = one.options.length - 1)")  # a scripted player
        page.locator("#ask button").click()
        hinted = page.locator("#scene .hinted .edge")
        expect(hinted.first).to_be_visible(timeout=30_000)
        look = hinted.first.evaluate("one => [getComputedStyle(one).stroke, getComputedStyle(one).strokeWidth]")
        assert look == ["rgb(47, 143, 224)", "44px"]


def test_cells_may_be_touched_on_a_phone(window: Opener, server: Server) -> None:
    page = window(PHONE, has_touch=True, is_mobile=True)
    opened(page, server, "mnk", [ME, "random"], seed=1)
    before = moves(page)
    page.locator(LEGAL).nth(112).tap()
    page.wait_for_function(f"() => document.querySelectorAll('#log li').length > {before}")
    screenshot(page, "mnk-touch")


def drag(page: Page, start: Any, end: tuple[float, float]) -> None:
    """Drag an element by its left edge to a place of the page."""
    box = start.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(*end, steps=6)
    page.mouse.up()


def test_a_card_is_dragged_onto_the_table(window: Opener, server: Server) -> None:
    page = window()
    made = opened(page, server, "durak", [ME, PERSON], seed=3, **DURAK)
    other = window()
    other.goto(f"/tables/{made.table}#{made.seats[1]}")
    for one in (page, other):
        expect(one.locator("#people .away")).to_have_count(0)
    attacker = page if page.locator(LEGAL).count() else other
    ground = attacker.locator("#scene").bounding_box()
    assert ground is not None
    before = moves(attacker)
    drag(
        attacker, attacker.locator(LEGAL).first, (ground["x"] + ground["width"] / 2, ground["y"] + ground["height"] / 2)
    )
    attacker.wait_for_function(f"() => document.querySelectorAll('#log li').length > {before}")
    defender = other if attacker is page else page
    defender.wait_for_function(READY)
    cards = defender.locator(LEGAL)
    if cards.count():  # what may beat the card is dragged beside the table first, where nothing happens
        before = moves(defender)
        drag(defender, cards.first, (3, 3))
        defender.wait_for_timeout(150)
        assert moves(defender) == before


def test_a_seat_goes_to_the_window_that_came_last(window: Opener, server: Server) -> None:
    first, second = window(), window()
    made = opened(first, server, "mnk", [ME, "random"], m=5, n=5, k=4, seed=2)
    second.goto(f"/tables/{made.table}#{made.seats[0]}")
    expect(first.locator("#banner")).to_contain_text("open in another window")
    second.locator(LEGAL).first.click()
    second.wait_for_function("() => document.querySelectorAll('#log li').length >= 2")
    first.reload()
    expect(second.locator("#banner")).to_contain_text("open in another window")
    first.wait_for_function(READY)
    assert moves(first) >= 2


def test_a_window_comes_back_when_the_network_does(browser: Browser, server: Server) -> None:
    made = server.make("mnk", [ME, PERSON], m=3, n=3, k=3, seed=2)
    contexts = [browser.new_context(base_url=server.address) for _ in range(2)]
    pages = [context.new_page() for context in contexts]
    for page, token in zip(pages, made.seats, strict=True):
        page.goto(f"/tables/{made.table}#{token}")
    for page in pages:
        expect(page.locator("#people .away")).to_have_count(0)
    mover, waiter = pages if pages[0].locator(LEGAL).count() else pages[::-1]
    place = contexts[pages.index(waiter)]
    waiter.evaluate("() => { window.lost = 0; }")
    place.set_offline(True)
    waiter.evaluate("() => dispatchEvent(new Event('offline'))")
    mover.locator(LEGAL).first.click()
    mover.wait_for_function("() => document.querySelectorAll('#log li').length >= 2")
    place.set_offline(False)
    waiter.reload()
    waiter.wait_for_function(READY)
    assert moves(waiter) == moves(mover)
    waiter.locator(LEGAL).first.click()
    mover.wait_for_function("() => document.querySelectorAll('#log li').length >= 3")
    for context in contexts:
        context.close()


def test_a_move_is_taken_back_and_a_hint_asked_for(window: Opener, server: Server) -> None:
    page = window()
    opened(page, server, "mnk", [ME, "random"], m=5, n=5, k=4, seed=2)
    before = moves(page)
    page.locator(LEGAL).first.click()
    page.wait_for_function(f"() => document.querySelectorAll('#log li').length > {before + 1}")
    page.locator("#buttons button", has_text="Undo").click()
    page.wait_for_function(f"() => document.querySelectorAll('#log li').length === {before}")
    page.select_option("#agent", index=0)
    page.locator("#ask button").click()
    expect(page.locator("#advice li").first).to_be_visible(timeout=180_000)
    assert page.locator("#banner.wrong").count() == 0
    assert complaints(page) == []
    screenshot(page, "mnk-hint")


def test_the_keyboard_stays_where_it_was(window: Opener, server: Server) -> None:
    page = window()
    opened(page, server, "durak", [ME, "low"], seed=4, **DURAK)
    for _ in range(300):
        page.wait_for_function(READY)
        if over(page):
            break
        focused = "() => document.getElementById('scene').contains(document.activeElement)"
        before = moves(page)
        if page.locator(LEGAL).count() and page.locator("#buttons .go").count() == 0:
            if not page.evaluate(focused):
                page.keyboard.press("ArrowRight")
            label = page.evaluate("() => document.activeElement.getAttribute('aria-label')")
            assert re.match(r"(\w+) of (clubs|spades|hearts|diamonds): ", label or ""), label
            page.keyboard.press("Space")
            page.wait_for_timeout(60)
            if moves(page) == before:
                page.keyboard.press("Enter")
        else:
            button = page.locator("#buttons button:not(:disabled)").first
            button.focus()
            page.keyboard.press("Enter")
        page.wait_for_timeout(60)
    expect(page.locator("#after")).to_be_visible()


def test_only_moves_play_themselves_until_one_says_no(window: Opener, server: Server) -> None:
    page = window(forced=True)
    opened(page, server, "war", [ME, "random"], seed=0, deck=28, pickup="choice")
    expect(page.locator("#forced")).to_be_checked()
    choosing = "() => document.querySelectorAll('#buttons button').length === 4"
    page.wait_for_function(choosing, timeout=60_000)  # every card was flipped for me
    assert page.locator("#log li", has_text="Guest: flip").count() >= 1
    page.locator("#forced").uncheck()
    page.get_by_role("button", name="high to low").click()
    expect(page.locator(LEGAL)).to_have_count(1)  # my deck, to be flipped
    page.wait_for_timeout(1500)
    before = moves(page)
    expect(page.locator("#banner")).to_contain_text("Your move.")
    page.locator("#forced").check()
    expect(page.locator("#banner.wrong")).to_have_count(0)
    page.wait_for_function(f"() => document.querySelectorAll('#log li').length > {before}")
    page.locator("#forced").uncheck()
    page.reload()
    expect(page.locator("#forced")).not_to_be_checked()
    assert complaints(page) == []
    screenshot(page, "war-forced")


def test_a_hand_is_sorted_by_a_button_that_is_kept(window: Opener, server: Server) -> None:
    page = window()
    opened(page, server, "durak", [ME, "low"], seed=4)
    order = page.locator("#order")
    expect(order).to_have_text("Hand: as dealt")
    order.click()
    order.click()
    expect(order).to_have_text("Hand: by rank")
    screenshot(page, "durak-by-rank")
    page.reload()
    page.wait_for_function(READY)
    expect(order).to_have_text("Hand: by rank")
    before = moves(page)
    card = page.locator(LEGAL).first
    label = card.get_attribute("aria-label") or ""
    card.click(position={"x": 8, "y": 20})
    page.wait_for_function(f"() => document.querySelectorAll('#log li').length > {before}")
    rank, suit = label.split(":")[0].split(" of ")
    said = page.locator("#log li").nth(before).inner_text()
    assert said.endswith({"clubs": "♣", "spades": "♠", "hearts": "♥", "diamonds": "♦"}[suit]), (rank, said)
    page.set_viewport_size(PHONE)
    assert too_wide(page) <= 0
    assert complaints(page) == []
    screenshot(page, "durak-by-rank-phone")


HAND = """() => {
    const cards = [...document.querySelectorAll("#scene .own")].map((one) => [one.getBoundingClientRect().left, one]);
    return cards.sort((a, b) => a[0] - b[0]).map(([, one]) => one.dataset.key ?? one.textContent);
}"""


def test_a_hand_is_put_in_order_by_drag_and_by_keys(window: Opener, server: Server) -> None:
    page = window(reduced_motion="reduce")
    opened(page, server, "durak", [ME, "low"], seed=4, **DURAK)
    cards = page.locator("#scene .own")
    expect(cards).to_have_count(6)
    before, log = page.evaluate(HAND), moves(page)
    boxes = sorted(box["x"] for one in cards.all() if (box := one.bounding_box()))
    line = cards.first.bounding_box()
    assert line is not None
    middle = line["y"] + line["height"] / 2
    page.mouse.move(boxes[0] + 8, middle)
    page.mouse.down()
    page.mouse.move(boxes[3] + 14, middle, steps=6)
    page.mouse.up()
    after = page.evaluate(HAND)
    assert after == [*before[1:4], before[0], *before[4:]]
    assert moves(page) == log
    expect(page.locator("#order")).to_have_text("Hand: as I like")
    if page.locator(f"#scene .own[data-key='{after[0]}'][role=button]").count():
        first = page.locator(f"#scene .own[data-key='{after[0]}']")
        first.focus()
        page.keyboard.press("Shift+ArrowRight")
        assert page.evaluate(HAND) == [after[1], after[0], *after[2:]]
        assert page.evaluate("() => document.activeElement.dataset.key") == after[0]
        assert moves(page) == log
    page.locator("#order").click()
    expect(page.locator("#order")).to_have_text("Hand: by suit")
    assert complaints(page) == []
    screenshot(page, "durak-dragged")


def test_a_double_click_is_one_move_and_no_error(window: Opener, server: Server) -> None:
    page = window()
    opened(page, server, "mnk", [ME, PERSON], m=5, n=5, k=4, seed=3)
    before = moves(page)
    page.locator(LEGAL).nth(7).dblclick()
    expect(page.locator("#log li")).to_have_count(before + 1)
    page.wait_for_timeout(300)
    expect(page.locator("#banner.wrong")).to_have_count(0)
    assert "No legal move" not in page.locator("#banner").inner_text()


def test_a_button_that_is_clicked_twice_plays_once(window: Opener, server: Server) -> None:
    page = window()
    opened(page, server, "war", [ME, PERSON], seed=0, deck=28)
    page.locator(LEGAL).first.dblclick()
    page.wait_for_timeout(500)
    assert page.locator("#log li", has_text="Guest: flip").count() == 1
    expect(page.locator("#banner.wrong")).to_have_count(0)


def test_what_comes_after_a_game(window: Opener, server: Server) -> None:
    page = window()
    made = opened(page, server, "mnk", [ME, "random"], m=3, n=3, k=3, seed=2)
    while not over(page):
        page.wait_for_function(READY)
        if page.locator(LEGAL).count():
            page.locator(LEGAL).first.click()
        page.wait_for_timeout(80)
    assert page.locator("#after .buttons").first.locator("button").all_inner_texts() == ["Play again"]
    expect(page.get_by_role("button", name="Swap seats")).to_be_hidden()  # folded
    link = page.locator("#after a.button")
    again = parse_qs(urlsplit(link.get_attribute("href") or "").query)
    rules = {name: value for (name, [value]) in again.items() if name.startswith("set-")}
    assert set(rules) == {f"set-{name}" for name in game("mnk").fields}  # every rule of this table, as it was
    assert (rules["set-m"], rules["set-n"], rules["set-k"], rules["set-last_reply"]) == ("3", "3", "3", "on")
    assert again["seat-0"] == ["me"]
    unfold(page)
    with page.context.expect_page() as opening:
        page.get_by_role("button", name="Open in the viewer").click()
    viewer = opening.value
    expect(viewer.locator("#moves li").first).to_be_visible()
    assert made.seats[0] not in viewer.url
    viewer.locator("#on").click()
    assert complaints(viewer) == []
    screenshot(viewer, "viewer")
    viewer.close()
    page.get_by_role("button", name="Play again").click(click_count=2)
    page.wait_for_url(lambda url: made.table not in url)
    page.wait_for_function(READY)
    assert moves(page) <= 2


def test_agents_say_what_they_would_do(window: Opener, server: Server) -> None:
    made = server.make("mnk", ["easy", "random"], m=3, n=3, k=3, seed=2)
    page = window()
    page.goto(f"/tables/{made.table}#{made.host}")
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#opinions ol")).to_have_count(2, timeout=30_000)
    expect(page.locator("#opinions li").first).to_contain_text("%")
    ply, top = page.locator("#pace span").inner_text(), page.locator("#log").evaluate(TOP)
    page.get_by_role("button", name="Step").click()
    expect(page.locator("#pace span")).not_to_have_text(ply)
    expect(page.locator("#opinions .stale")).to_have_count(0, timeout=30_000)
    assert page.locator("#log").evaluate(TOP) == top
    assert complaints(page) == []
    screenshot(page, "watch")
