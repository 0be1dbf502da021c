"""Pages for those who do not know a game: short, with pictures of positions that the rules allow."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient

from kozyr import envs
from kozyr.agents.play.pages import how_to_play, pictures
from kozyr.agents.play.pages.languages import ENGLISH, LANGUAGES
from kozyr.agents.play.pages.pages import Pages, problem
from kozyr.envs.pictures import svg_elements

from .desk import Desk, filled

GAMES = envs.games()
MOST_WORDS = 300


@pytest.fixture
def client(tmp_path: Path) -> Any:
    app = Starlette(routes=Pages(Desk(), (), tmp_path).routes(), exception_handlers={HTTPException: problem})
    with TestClient(app, follow_redirects=False) as found:
        yield found


@pytest.mark.parametrize("name", GAMES)
def test_a_page_is_short_and_has_pictures(name: str) -> None:
    text = how_to_play.source(envs.game(name))
    assert text.startswith("# How to play ")
    assert "**Aim.**" in text
    assert len(re.sub(r"\]\(\?[^)]*\)", "]", text).split()) <= MOST_WORDS
    assert len(how_to_play.positions(envs.game(name))) >= 2
    assert "![" not in re.sub(r"^!\[[^\]]+\]\(\?[^)]+\)$", "", text, flags=re.M)  # each is read as a picture


@pytest.mark.parametrize("name", GAMES)
def test_pictures_are_real_positions(name: str) -> None:
    game = envs.game(name)
    drawings = [how_to_play.draw(game, one) for one in how_to_play.positions(game)]
    for drawing in drawings:
        ElementTree.fromstring(drawing)
        assert "Lena (you)" in drawing
    assert len(set(drawings)) == len(drawings)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != ENGLISH])
def test_pictures_have_no_english_words(name: str, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = list[str]()
    plain = svg_elements.text

    def noted(said: str, *how: Any) -> tuple[str, float]:
        written.append(said)
        return plain(said, *how)

    monkeypatch.setattr(svg_elements, "text", noted)
    game = envs.game(name)
    guide = [how_to_play.draw(game, one, language) for one in how_to_play.positions(game)]
    drawings = [pictures.draw(game, language), *guide]
    written += [re.findall("<title>(.*?)</title>", drawing)[0] for drawing in drawings]
    assert len(written) > 3 * len(drawings)
    assert [said for said in written if re.search("[A-Za-z]{2,}", said)] == []


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != ENGLISH])
def test_the_page_in_another_language_has_the_same_positions(client: Any, name: str, language: str) -> None:
    game = envs.game(name)
    addresses = [re.findall(r"\]\((\?[^)]+)\)", how_to_play.source(game, one)) for one in (ENGLISH, language)]
    assert addresses[0] == addresses[1]
    assert how_to_play.language_of(game, language) == language
    page = client.get(f"/games/{name}/how-to-play?lang={language}").text
    assert f'<html lang="{language}"' in page
    assert "**" not in page
    assert page.count("<figcaption>") == len(addresses[0])


@pytest.mark.parametrize("name", GAMES)
def test_the_lobby_and_the_page_lead_to_each_other(client: Any, name: str) -> None:
    assert f'href="/games/{name}/how-to-play"' in client.get("/").text
    page = client.get(f"/games/{name}/how-to-play").text
    images = re.findall(rf'<img src="(/games/{name}/how-to-play/\d\.svg\?lang=en)"', page)
    assert len(images) == len(how_to_play.positions(envs.game(name))) == page.count("<figcaption>")
    assert f'href="/games/{name}/rules"' in page


def test_pictures_are_drawn_once_and_those_that_are_not_there_are_not_found(client: Any, tmp_path: Path) -> None:
    assert client.get("/games/durak/how-to-play/1.svg").headers["content-type"] == "image/svg+xml"
    assert client.get("/games/durak/how-to-play/99.svg").status_code == 404
    kept = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("durak*.svg")}
    client.get("/games/durak/how-to-play/2.svg")
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("durak*.svg")} == kept
    assert len(kept) == len(how_to_play.positions(envs.game("durak")))


def test_a_practice_game_is_easy_and_shows_hints(client: Any) -> None:
    form = filled(client, "/games/durak")["form"]
    made = client.post("/games/durak/play", data={"form": form, "level": "easy", "practice": "1"})
    assert made.headers["location"] == "/tables/table?practice=1#seat0"


def test_a_game_without_a_page_shows_none(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(how_to_play, "FILE", "no_such_file.md")
    assert "how-to-play" not in client.get("/").text
    assert client.get("/games/durak/how-to-play").status_code == 404


@pytest.mark.parametrize("query", ["seed=1", "seed=1&seat=0&eval=2", "moves=6C"])
def test_a_picture_that_names_no_position_is_refused(query: str) -> None:
    with pytest.raises(ValueError, match="seed, seat and moves"):
        how_to_play._position("a caption", query)


def test_a_move_that_is_not_legal_is_refused() -> None:
    with pytest.raises(ValueError, match="not legal here"):
        how_to_play.draw(envs.game("durak"), how_to_play.Position("a caption", 1, 0, ("AH",)))
