"""No page of the built documentation has a barrier that axe-core calls serious: one of each kind, light and dark.

`make docs` builds it, before `make test-browser` in CI.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.docs.pages import ROOT

from .conftest import PHONE, WIDE, screenshot, serious, too_wide

SITE = ROOT / "docs" / "_build" / "html"
PAGES = (  # one of each kind, and small ones, since axe-core looks at every element
    "index.html",
    "start/quick_start.html",
    "games.html",
    "environments/war_v0.html",
    "libraries/sb3.html",
    "notebooks/01_first_game.html",
    "policies/durak_36.html",
    "reference/language_models.html",
    "about/policies.html",
    "course/cup.html",
    "search.html",
)
LOOKS = [("light", WIDE), ("dark", PHONE)]  # each page in both schemes and in both sizes

pytestmark = pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="the pages are not built: run `make docs`")


@pytest.fixture(scope="module", params=LOOKS, ids=["light", "dark"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    scheme, size = request.param
    context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
    context.set_default_timeout(30_000)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_barrier_and_fits(page: Page, name: str) -> None:
    page.goto((SITE / name).as_uri())
    scheme: Any = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'")
    screenshot(page, f"docs-{name.removesuffix('.html').replace('/', '-')}-{scheme}")
    assert serious(page) == []
    assert too_wide(page) <= 0
