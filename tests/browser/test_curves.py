"""The page of learning curves from the disk: what it draws and says, in light and in dark, on a desk and on a phone."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from kozyr.training.plots import write
from tests.training.test_plots import record, several

from .conftest import PHONE, WIDE, screenshot, serious, small_targets, too_wide


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folders = [several(tmp_path / "mine", 5), several(tmp_path / "<i>other", 2), record(tmp_path / "one")]
    write.curves_document(folders, tmp_path / "curves.html")
    return tmp_path / "curves.html"


def opened(browser: Browser, file: Path, **options: Any) -> tuple[Page, list[str]]:
    """Open the file and keep its errors and what it fetches."""
    page, wrong = browser.new_context(**options).new_page(), list[str]()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text))
    page.on("request", lambda request: None if request.url == file.as_uri() else wrong.append(request.url))
    page.goto(file.as_uri())
    page.wait_for_selector("#panels svg .curve")
    return page, wrong


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_page_draws_and_says_its_values(browser: Browser, file: Path, size: Any, scheme: Any) -> None:
    page, wrong = opened(browser, file, viewport=size, color_scheme=scheme)
    stage = page.locator("#panels svg").first
    assert page.locator("#panels svg").count() == 2
    assert stage.locator(".curve").count() == 3
    assert stage.locator(".seed").count() == 5 + 2
    box = stage.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + 60)
    tip = page.locator(".tip").first
    assert "after 3,000 decisions" in tip.inner_text()
    assert "mine: 63.0 ± 1.7 %" in tip.inner_text()
    assert "<i>other: 61.5 ± 0.5 %" in tip.inner_text()
    assert page.locator("#lines i, .tip i, h2 i").count() == 0
    screenshot(page, f"curves-{scheme}-{size['width']}")
    assert too_wide(page) <= 0
    assert serious(page) == []
    assert small_targets(page) == []
    assert wrong == []


def test_time_lines_and_keys(browser: Browser, file: Path) -> None:
    page, wrong = opened(browser, file, viewport=WIDE)
    stage, tip = page.locator("#panels svg").first, page.locator(".tip").first
    page.get_by_label("time").check()
    assert "seconds of training" in (stage.text_content() or "")
    page.get_by_label("mine").uncheck()
    assert stage.locator(".curve").count() == 2
    stage.focus()
    page.keyboard.press("ArrowRight")
    assert "after 3 seconds" in tip.inner_text()
    page.keyboard.press("ArrowRight")
    assert "after 3.5 seconds" in tip.inner_text()
    page.keyboard.press("Escape")
    assert tip.is_hidden()
    page.get_by_text("All values").click()
    assert page.locator("tbody tr").count() == 2 * 3 * 3
    assert wrong == []
