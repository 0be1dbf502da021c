"""A server with a password, in a browser that says it, and in one that says it to pages and not to sockets."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page

from kozyr.agents.play.server.access import COOKIE
from tests.play.wire import Server

from .test_tables import LEGAL, READY

WORD = "long enough"
SETTINGS = [word for one in "mnk" for word in ("--set", f"{one}=3")]
COMMAND = ["-m", "kozyr.training.cli", "play", "mnk", "--against", "random", *SETTINGS, "--no-open", "--port", "0"]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("guarded")
    with Server(folder, [*COMMAND, "--password", WORD, "--folder", str(folder / "house")]) as running:
        yield running


def play(page: Page, place: str) -> None:
    """Play one move at a table."""
    page.goto(place)
    page.wait_for_function(READY)
    before = page.locator("#log li").count()
    page.locator(LEGAL).first.click()
    page.wait_for_function(f"() => document.querySelectorAll('#log li').length > {before}")


def test_who_says_the_password_plays_and_keeps_a_cookie(browser: Browser, guarded: Server) -> None:
    said: Any = {"username": "anybody", "password": WORD}
    first = browser.new_context(http_credentials=said)
    play(first.new_page(), guarded.said)
    [kept] = [one for one in first.cookies() if one.get("name") == COOKIE]
    assert kept.get("httpOnly")
    assert kept.get("sameSite") == "Strict"
    first.close()
    second = browser.new_context()  # says no password, as some browsers do when they open a socket
    second.add_cookies([{"name": COOKIE, "value": str(kept.get("value")), "url": guarded.address}])
    play(second.new_page(), guarded.said)
    second.close()


@pytest.mark.parametrize("said", [None, {"username": "anybody", "password": "wrong"}])
def test_who_does_not_know_it_sees_nothing(browser: Browser, guarded: Server, said: Any) -> None:
    context = browser.new_context(http_credentials=said)
    page = context.new_page()
    answers = list[int]()
    page.on("response", lambda answer: answers.append(answer.status))
    with suppress(Error):  # the browser itself has no page to show
        page.goto(guarded.said)
    assert set(answers) <= {401}
    assert page.locator(LEGAL).count() == 0
    assert all(one.get("name") != COOKIE for one in context.cookies())
    context.close()
    assert Path(guarded.log.name).read_text(encoding="utf-8").count("Traceback") == 0
