"""The table in other languages: whole games, no English left, nothing too wide, and two languages at one table."""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from kozyr import agents, envs
from kozyr.agents import search
from kozyr.agents.play.pages.languages import LANGUAGES, Translator
from kozyr.agents.play.site import site
from tests.play.wire import ME, PERSON, Server

from .conftest import WIDE, Opener, complaints, screenshot, served, small_targets, too_wide
from .test_tables import GAMES, READY, act, finish, over

OTHERS = {"ru": "ru-RU", "ja": "ja-JP"}
NARROW = ViewportSize(width=390, height=844)
AGENTS = {name for game in map(envs.game, envs.games()) for name in [*agents.names(game.name), *search.makers(game)]}
ALLOWED = {  # on a page in another language: names and keys
    *("Enter", "Esc", "Shift", "Tab", "JavaScript", "UECda", "openskill", "Plackett", "Luce", "caro", "swap"),
    *("Cowling", "Powley", "Whitehouse", "OpenSpiel", "Swap"),
    *("kozyr", "play", "policy", "search", "solver", "lookahead", "threat", "shapes", "pimc", "kB"),
}
WORDS = """allowed => {
    const words = new Set();
    const take = text => {
        for (const [word] of text.matchAll(/[A-Za-z]{2,}/g)) {
            if (!allowed.includes(word) && !/^[TJQKA]+$/.test(word)) words.add(word); // but for cards
        }
    };
    const others = "[lang=en], [hidden], script, style, noscript, code, pre:not(#text), .languages";
    const foreign = one => one.closest(others);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (!foreign(walker.currentNode.parentElement)) take(walker.currentNode.data);
    for (const name of ["aria-label", "placeholder", "title", "alt"]) {
        for (const one of document.querySelectorAll(`[${name}]`)) if (!foreign(one)) take(one.getAttribute(name));
    }
    take(document.title);
    return [...words];
}"""


def english(page: Page) -> list[str]:
    """Return the words of English on a page, but for names and for what says that it is English."""
    return page.evaluate(WORDS, sorted(ALLOWED | {part for name in AGENTS for part in re.split("[^a-z]", name)}))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", OTHERS)
def test_a_whole_game_has_no_word_of_english(window: Opener, server: Server, language: str, game: str) -> None:
    seats, options = GAMES[game]
    table, luck = server.make(game, seats, seed=3, **options), random.Random(3)
    page = window(NARROW, locale=OTHERS[language])
    page.goto(f"/tables/{table.table}#{table.seats[0]}")
    page.wait_for_function(READY)
    expect(page.locator("html")).to_have_attribute("lang", language)
    page.locator("#words > summary").click()
    expect(page.locator("#text")).not_to_be_empty()
    screenshot(page, f"{language}-{game}-phone-start")
    assert complaints(page) == []
    for step in range(400):
        if over(page):
            break
        try:
            act(page, luck)
        except Exception:  # what was to be clicked went away under the hand: the game has gone on
            page.wait_for_timeout(100)
        if step % 5 == 0:
            assert english(page) == []
            assert too_wide(page) <= 0
        if step == 6:
            page.set_viewport_size(WIDE)
            screenshot(page, f"{language}-{game}-middle")
            page.set_viewport_size(NARROW)
    expect(page.locator("#after")).to_be_visible()
    assert english(page) == []
    assert complaints(page) == []
    screenshot(page, f"{language}-{game}-phone-end")


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("path", ["/", "/score", *(f"/games/{name}" for name in envs.games())])
def test_a_page_has_no_word_of_english(window: Opener, language: str, path: str) -> None:
    page = window(NARROW, locale=OTHERS[language])
    page.goto(path, timeout=60_000)  # the first one draws the games
    page.wait_for_load_state("networkidle")
    if page.locator("#options").count():
        page.locator("#options > summary").click()
    assert english(page) == []
    assert too_wide(page) <= 0
    assert small_targets(page) == []
    assert complaints(page) == []
    screenshot(page, f"{language}-{path.strip('/').replace('/', '-') or 'lobby'}-phone")


def test_the_switch_of_the_lobby_is_remembered(window: Opener) -> None:
    page = window()
    page.goto("/", timeout=60_000)
    page.get_by_role("link", name="Русский").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Садитесь и играйте")
    page.goto("/games/durak?rules=perevodnoy")
    page.get_by_role("link", name="日本語").click()
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    expect(page.locator(".presets [aria-current]")).to_have_text("回しあり")


def test_two_people_at_one_table_use_two_languages(window: Opener, server: Server) -> None:
    table = server.make("durak", [ME, PERSON], seed=3, deck=36)
    pages = [window(locale=locale) for locale in ("ru-RU", "en-US")]
    for seat, page in enumerate(pages):
        page.goto(f"/tables/{table.table}#{table.seats[seat]}")
    for page in pages:
        page.wait_for_function("() => document.querySelectorAll('#log li').length > 0")
    russian, other = pages
    expect(russian.locator("#log li").first).to_contain_text("начинает")
    expect(other.locator("#log li").first).to_contain_text("begins")
    switch = other.get_by_role("link", name="日本語")
    switch.click()
    expect(other.locator("html")).to_have_attribute("lang", "ja")
    expect(other.locator("#log li").first).to_contain_text("先手")
    assert other.url.endswith(f"#{table.seats[1]}")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    options: dict[str, dict[str, Any]] = {"durak": {"deck": 20, "transfer": True}, "mnk": {"m": 3, "n": 3, "k": 3}}
    site.write([site.site_game(envs.game(name), its) for name, its in options.items()], folder)
    assert (folder / "index.ru.html").is_file()
    with served(Path(folder)) as address:
        yield address


@pytest.mark.parametrize("language", OTHERS)
def test_a_site_without_a_server_speaks_the_language_of_its_visitor(
    window: Opener, address: str, language: str
) -> None:
    page = window(NARROW, locale=OTHERS[language])
    page.goto(f"{address}index.html")
    page.wait_for_url(f"**/index.{language}.html")
    assert english(page) == []
    assert too_wide(page) <= 0
    screenshot(page, f"site-{language}-lobby-phone")
    page.locator("#durak .first").click()
    page.wait_for_url(f"**/table.{language}.html#*")
    page.evaluate("location.hash += '&pause=0&seed=5'")
    page.wait_for_url("**seed=5")
    page.wait_for_function(READY)
    assert english(page) == []
    finish(page, act, 3)
    assert english(page) == []
    screenshot(page, f"site-{language}-end-phone")
    rules = page.locator("#rules").get_attribute("href")
    assert rules == f"rules/durak.{language}.html"
    assert page.request.get(f"{address}{rules}").ok


def test_a_site_is_english_where_its_visitor_says_so(window: Opener, address: str) -> None:
    page = window(locale="ru-RU")
    page.goto(f"{address}index.html")
    page.wait_for_url("**/index.ru.html")
    page.get_by_role("link", name="English").click()
    page.wait_for_url("**/index.html")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sit down and play")
    page.goto(f"{address}index.html?lang=ja")
    page.wait_for_url("**/index.ja.html")
    assert page.locator("#mnk h2").inner_text() == Translator("ja", envs.game("mnk"))("Five in a row")
    assert list(LANGUAGES) == ["en", "ru", "ja"]
