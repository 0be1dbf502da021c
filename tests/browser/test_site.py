"""The page without a server: whole games with the network off, in every game, and the lobby."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from kozyr import envs
from kozyr.agents.play import site as web
from kozyr.agents.play.site import offline, site
from kozyr.envs.table import record
from tests.site.networks import write_random

from .conftest import PHONE, WIDE, complaints, screenshot, served, small_targets, too_wide
from .test_tables import act, finish, unfold

SORTS: dict[str, dict[str, Any]] = {
    "durak": {"deck": 36, "players": 3},
    "draw_poker": {},
    "daifugo": {},
    "mnk": {"m": 3, "n": 3, "k": 3},
    "war": {"deck": 8, "pickup": "choice", "max_turns": 20},
}
SMALL = 300_000  # bytes until the first game can be played


@pytest.fixture(scope="module")
def sorts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, site.SiteGame]:
    path, game = tmp_path_factory.mktemp("policies") / "mine.onnx", envs.game("durak")
    write_random(path, game, game.make_variant(**SORTS["durak"]))
    made = {name: site.site_game(envs.game(name), options, [web.load(path)]) for name, options in SORTS.items()}
    assert [name for name, it in made.items() if "mine" in [one.name for one in it.policies]] == ["durak"]
    return made


@pytest.fixture(scope="module")
def address(sorts: dict[str, site.SiteGame], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("site")
    done = list[str]()
    site.write(list(sorts.values()), folder / "deep", lambda it: done.append(it.game.name))
    assert done == list(SORTS)
    with served(folder) as address:
        yield f"{address}deep/"


@pytest.mark.parametrize("name", SORTS)
def test_a_whole_game_with_the_network_off(
    page: Page, address: str, sorts: dict[str, site.SiteGame], name: str
) -> None:
    it, loaded = sorts[name], list[int]()
    page.on("response", lambda answer: loaded.append(len(answer.body())))
    page.goto(f"{address}table.html#game={it.file}&seat=1&seed=5&pause=20")
    page.wait_for_function("document.querySelector('#scene').children.length > 3")
    assert sum(loaded) < SMALL or name == "draw_poker"
    page.context.set_offline(True)
    finish(page, act, 3)
    screenshot(page, f"site-{name}-end")
    assert complaints(page) == []
    unfold(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the record").click()
    kept = record.read(Path(download.value.path()).read_text(encoding="utf-8").strip())
    assert (kept.game, kept.variant, kept.seed) == (it.game, it.variant, 5)
    assert kept.agents is not None
    assert kept.agents[1] == "human"


@pytest.mark.parametrize("seed", [0, 2**53 + 1, 2992895070877982968, 2**63 - 1])
def test_a_seed_deals_the_same_game_as_in_python(
    page: Page, address: str, sorts: dict[str, site.SiteGame], seed: int
) -> None:
    page.goto(f"{address}table.html#game={sorts['war'].file}&seat=0&seed={seed}&pause=0")
    finish(page, act, 1)
    unfold(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the record").click()
    kept = record.read(Path(download.value.path()).read_text(encoding="utf-8").strip())
    assert kept.seed == seed
    page.get_by_role("button", name="Same cards, other seat").click()
    page.wait_for_url(f"**seed={seed}*")


@pytest.mark.parametrize("seed", ["-1", "x", "1e3", str(2**63)])
def test_what_is_no_seed_is_told_of(page: Page, address: str, sorts: dict[str, site.SiteGame], seed: str) -> None:
    page.goto(f"{address}table.html#game={sorts['mnk'].file}&seat=0&seed={seed}&pause=5000")
    told = f"{seed} is no seed: that is a whole number below 2⁶³. Another deal is played."
    expect(page.locator("#banner")).to_have_text(told)


def against(page: Page, name: str) -> list[str] | None:
    """Play the table that opens without the network, with a player's hint, and return who played."""
    page.evaluate("location.hash += '&pause=20&seed=4'")
    page.wait_for_url("**seed=4")
    page.wait_for_function("document.querySelectorAll('#log li').length > 1")
    page.context.set_offline(True)
    page.locator("#scene [role=button], #buttons button").first.wait_for()
    page.get_by_label("Player", exact=True).select_option(name)
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("#advice li")).to_have_count(1)
    screenshot(page, f"site-hint-{name}")
    finish(page, act, 2)
    unfold(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the record").click()
    return record.read(Path(download.value.path()).read_text(encoding="utf-8").strip()).agents


@pytest.mark.parametrize(
    ("game", "name", "label", "others"),
    [
        ("daifugo", "daifugo_5_small", "daifugo_5_small: trained, 210 kB", 4),
        ("draw_poker", "draw_poker_4", "draw_poker_4: trained, 359 kB", 3),
    ],
)
def test_a_policy_is_loaded_when_it_is_chosen(
    page: Page, address: str, game: str, name: str, label: str, others: int
) -> None:
    asked = list[str]()
    page.on("request", lambda one: asked.append(one.url.rpartition("/")[2]))
    page.goto(f"{address}index.html")
    tile = page.locator(f"#{game}")
    tile.get_by_label("Against").select_option(label=label)
    screenshot(page, f"site-lobby-{name}")
    tile.get_by_role("button", name="Play").click()
    expect(page.locator("#people")).to_contain_text(f"{name} 2")
    files = [one for one in asked if one.endswith((".weights", ".net", "forward.js", "forward.wasm"))]
    assert files == (
        ["daifugo.weights"] if game == "daifugo" else ["draw_poker.draw_poker_4.net", "forward.js", "forward.wasm"]
    )
    assert against(page, name) == ["human", *[name] * others]


def test_a_policy_of_ones_own_is_loaded_for_a_hint(page: Page, address: str, sorts: dict[str, site.SiteGame]) -> None:
    page.goto(f"{address}table.html#game={sorts['durak'].file}&against=random&seat=0")
    expect(page.locator("#agent option").last).to_have_text("mine")
    page.locator("#scene [role=button], #buttons button").first.wait_for()
    page.get_by_label("Player", exact=True).select_option("mine")
    page.route("**/*.net", lambda route: route.fulfill(body=b"nothing"))
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("#banner")).to_have_text("mine could not be loaded.")
    page.unroute("**/*.net")
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("#advice li")).to_have_count(1)


def test_a_search_thinks_in_a_worker_and_the_page_goes_on(page: Page, address: str) -> None:
    page.goto(f"{address}index.html")
    tile = page.locator("#durak")
    tile.get_by_label("Against").select_option("pimc")
    with page.expect_event("worker") as started:
        tile.get_by_role("button", name="Play").click()
    assert started.value.url.endswith("static/thinking.js")
    expect(page.locator("#people")).to_contain_text("pimc 2")
    assert against(page, "pimc") == ["human", "durak:pimc", "durak:pimc"]


def test_a_search_that_is_not_there_is_told_of(page: Page, address: str, sorts: dict[str, site.SiteGame]) -> None:
    page.route("**/*.search.wasm", lambda route: route.fulfill(body=b"nothing"))
    page.goto(f"{address}table.html#game={sorts['durak'].file}&against=pimc&pause=5000&seat=1")
    expect(page.locator("#banner")).to_have_text("pimc could not be loaded. heuristic plays instead.")


def test_a_policy_that_is_not_there_is_told_of(page: Page, address: str) -> None:
    page.route("**/*.weights", lambda route: route.fulfill(body=b"nothing"))
    page.goto(f"{address}table.html#game=daifugo&against=daifugo_5_small&pause=5000&seat=1")
    told = "daifugo_5_small could not be loaded. heuristic plays instead."
    expect(page.locator("#banner")).to_have_text(told)


def test_the_lobby_seats_one_and_keeps_the_records(page: Page, address: str) -> None:
    page.goto(f"{address}index.html")
    expect(page.locator("#kept")).to_be_hidden()
    screenshot(page, "site-lobby")
    assert complaints(page) == []
    assert small_targets(page) == []
    page.set_viewport_size(PHONE)
    screenshot(page, "site-lobby-phone")
    assert too_wide(page) <= 0
    page.set_viewport_size(WIDE)
    tile = page.locator("#mnk")
    tile.get_by_label("Against").select_option("random")
    tile.get_by_role("button", name="Play").click()
    page.wait_for_url("**/table.html#game=mnk-m-3-n-3-k-3&against=random&seat=0")
    expect(page.locator("#people")).to_contain_text("random")
    finish(page, act, 1)
    unfold(page)
    page.get_by_role("link", name="Another opponent").click()
    page.wait_for_url("**/index.html#mnk*")
    expect(page.locator("#kept li")).to_have_count(1)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the records").click()
    assert len(list(record.read_file(Path(download.value.path())))) == 1
    page.get_by_role("link", name="Rules of Durak").click()
    expect(page.locator("article")).to_contain_text("trump")


def test_settings_and_games_are_taken_along_to_another_browser(
    page: Page, browser: Browser, address: str, tmp_path: Path
) -> None:
    page.goto(f"{address}table.html#game=mnk-m-3-n-3-k-3&against=random&seat=0&pause=20")
    finish(page, act, 1)
    page.goto(f"{address}index.html")
    page.evaluate("localStorage.setItem('kozyr-wishes', JSON.stringify({ sound: true, flips: false }))")
    page.get_by_role("link", name="Русский").click()
    page.wait_for_url("**/index.ru.html*")
    with page.expect_download() as download:
        page.get_by_role("button", name="Сохранить файл").click()
    saved = tmp_path / "settings.json"
    download.value.save_as(saved)
    other = browser.new_context(locale="en").new_page()
    other.goto(f"{address}index.html")
    files, status = other.locator("#backup input"), other.locator("#backup [role=status]")
    for wrong in ("", "[]", "null", '{"form": 1}', '{"form": "kozyr settings 1", "wishes": [], "records": []}'):
        files.set_input_files({"name": "other.json", "mimeType": "application/json", "buffer": wrong.encode()})
        expect(status).to_contain_text("no settings of kozyr")
        other.evaluate("document.querySelector('#backup [role=status]').textContent = ''")
    assert other.evaluate("localStorage.length") == 0
    for _ in range(2):  # a game comes once
        files.set_input_files(saved)
        expect(status).to_have_text("Your settings are here now, and your games: 1 in all.")
    expect(other.locator("#kept li")).to_have_count(1)
    for name in ("wishes", "records", "language"):
        kept = f"localStorage.getItem('kozyr-{name}')"
        assert other.evaluate(kept) == page.evaluate(kept)
    other.reload()
    other.wait_for_url("**/index.ru.html*")
    other.context.close()


def test_a_move_is_taken_back_hinted_and_played_again(page: Page, address: str) -> None:
    page.goto(f"{address}table.html#game=mnk-m-3-n-3-k-3&seat=0&seed=2&pause=20&against=random")
    page.wait_for_function("document.querySelectorAll('#scene [role=button]').length > 0")
    free = page.locator("#scene [role=button]").count()
    page.locator("#scene [role=button]").nth(4).click()
    with page.expect_popup() as rules:
        page.get_by_role("link", name="Rules of Tic-tac-toe").click()
    expect(rules.value.locator("article")).to_contain_text("in a row")
    undo = page.get_by_role("button", name="Undo")
    undo.click()
    expect(page.locator("#scene [role=button]")).to_have_count(free)
    page.get_by_role("button", name="Ask").click()
    expect(page.locator("#advice li")).to_have_count(1)
    finish(page, act, 2)
    unfold(page)
    page.get_by_role("button", name="Swap seats").click()
    page.wait_for_url("**seat=1*")
    expect(page.locator("#people li").nth(1)).to_contain_text("Guest (me)")


def test_the_site_tells_how_to_play_and_leads_through_a_game(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("link", name="How to play Durak").click()
    page.wait_for_url("**/rules/how_to_play_durak.html")
    for image in page.locator("figure img").all():
        image.scroll_into_view_if_needed()
    page.wait_for_function("() => [...document.images].every((one) => one.complete && one.naturalWidth > 0)")
    assert page.locator("figure img").count() >= 2
    assert complaints(page) == []
    page.get_by_role("link", name="Play a practice game").click()
    page.wait_for_url("**practice=1")
    expect(page.locator("#banner")).to_contain_text("Hint: ")
    assert page.locator("#scene .hinted, #buttons .wanted").count() >= 1
    expect(page.get_by_role("link", name="How to play")).to_have_attribute("href", "rules/how_to_play_durak.html")
    expect(page.locator("#counts")).to_be_hidden()  # nothing counts on a site
    screenshot(page, "site-practice")


def test_a_site_from_the_disk_says_what_to_do(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    site.write([], tmp_path)
    page = browser.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    expect(page.locator("#disk")).to_contain_text("python -m http.server")
    screenshot(page, "site-from-the-disk")
    with served(tmp_path) as address:
        page.goto(f"{address}index.html")
        expect(page.locator("#disk")).to_be_hidden()
    page.close()


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Page]:
    """Open a page whose browser lets sites be installed; at the end it may not have had an error."""
    context, wrong = browser.new_context(viewport=WIDE), list[str]()
    context.set_default_timeout(10_000)
    opened = context.new_page()
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    yield opened
    context.close()
    assert wrong == []


INSTALLED = "navigator.serviceWorker.ready.then(() => true)"


def kept(page: Page) -> list[str]:
    """Return the names of the browser's stores of files."""
    return page.evaluate("caches.keys()")


def small(tmp_path: Path, options: dict[str, Any]) -> Path:
    """Write a site of one small game and return its folder."""
    folder = tmp_path / "site"
    site.write([site.site_game(envs.game("mnk"), options)], folder)
    return folder


def test_a_site_that_was_visited_plays_without_its_host(visitor: Page, tmp_path: Path) -> None:
    folder = small(tmp_path, {"m": 3, "n": 3, "k": 3})
    with served(folder) as address:
        visitor.goto(address)
        assert visitor.evaluate(INSTALLED)
        assert len(kept(visitor)) == 1
    visitor.goto(f"{address}index.html")  # nobody answers at this address any more
    screenshot(visitor, "site-without-its-host")
    visitor.locator("#mnk").get_by_label("Against").select_option("random")
    visitor.locator("#mnk").get_by_role("button", name="Play").click()
    visitor.wait_for_url("**/table.html#*")
    finish(visitor, act, 4)
    visitor.goto(f"{address}rules/mnk.html")
    expect(visitor.locator("article")).to_contain_text("in a row")
    visitor.goto(address)
    expect(visitor.locator("#kept li")).to_have_count(1)


def test_a_changed_site_is_offered_in_the_lobby(visitor: Page, tmp_path: Path) -> None:
    folder = small(tmp_path, {"m": 3, "n": 3, "k": 3})
    with served(folder) as address:
        visitor.goto(address)
        assert visitor.evaluate(INSTALLED)
        before = kept(visitor)
        page = folder / "index.html"
        visitor.wait_for_timeout(1100)  # hosts tell to the second when a file was changed
        page.write_text(page.read_text(encoding="utf-8").replace("Sit down and play", "A newer site"), encoding="utf-8")
        offline.write(folder, ["index.html", "table.html", "rules/mnk.html"])
        visitor.reload()
        expect(visitor.locator("h1")).to_have_text("Sit down and play")
        expect(visitor.locator("#newer")).to_be_visible()
        screenshot(visitor, "site-newer")
        visitor.get_by_role("button", name="Load it").click()
        expect(visitor.locator("h1")).to_have_text("A newer site")
        expect(visitor.locator("#newer")).to_be_hidden()
        visitor.wait_for_function("async (before) => (await caches.keys()).toString() !== before", arg=before[0])
        assert len(kept(visitor)) == 1


def test_the_manifest_has_what_browsers_ask_for(visitor: Page, tmp_path: Path) -> None:
    with served(small(tmp_path, {"m": 3, "n": 3, "k": 3})) as address:
        visitor.goto(address)
        devtools = visitor.context.new_cdp_session(visitor)
        told = devtools.send("Page.getAppManifest")
        assert told["errors"] == []
        wrong = devtools.send("Page.getInstallabilityErrors")["installabilityErrors"]
        assert [one["errorId"] for one in wrong] in ([], ["in-incognito"])  # the tests' windows are


def test_an_unknown_game_leads_to_the_lobby(page: Page, address: str) -> None:
    page.goto(f"{address}table.html#game=../x")
    page.wait_for_url("**/index.html")
