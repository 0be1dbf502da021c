"""Languages: which one a browser gets, whether every text is in every catalogue, and what fills their places."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient

from kozyr import envs
from kozyr.agents.play.pages import game_info, languages
from kozyr.agents.play.pages.languages import LANGUAGES, Translator, accepted, negotiate, package_file
from kozyr.agents.play.pages.pages import Pages, problem
from kozyr.envs.core import labels

from .catalogues import game_texts, page_texts, places
from .desk import Desk, filled

NODE = shutil.which("node")
OTHERS = sorted(set(LANGUAGES) - {"en"})
OURS = ("daifugo", "draw_poker", "durak", "mnk", "war")
VIEWER = Path(__file__).parents[2] / "envs" / "viewer" / "static"


def files() -> Iterator[tuple[str, Path, set[str]]]:
    """Yield the catalogues of ours: the language, the file and the texts that it must have."""
    page, games = page_texts(), {name: game_texts(envs.game(name)) for name in OURS}
    for language in OTHERS:
        yield language, Path(languages.__file__).with_name(f"{language}.po"), page
        for name, texts in games.items():
            yield language, package_file(envs.game(name), f"{language}.po"), texts


def catalogue(path: Path) -> Catalog:
    """Return a catalogue, as it is read for the page."""
    with path.open("rb") as lines:
        return read_po(lines)


FILES = list(files())
each_file = pytest.mark.parametrize(
    ("language", "path", "texts"), FILES, ids=[f"{path.parent.name}-{language}" for language, path, _ in FILES]
)


@each_file
def test_every_text_is_in_every_catalogue_and_none_is_left_over(language: str, path: Path, texts: set[str]) -> None:
    its = catalogue(path)
    known = {str(one.id) for one in its if one.id}
    assert (sorted(texts - known), sorted(known - texts)) == ([], [])
    assert [one.id for one in its if one.id and (not one.string or one.fuzzy)] == []
    assert str(its.locale) == language


@each_file
def test_a_translation_has_the_places_of_its_text(language: str, path: Path, texts: set[str]) -> None:
    wrong = [one.id for one in catalogue(path) if one.id and places(str(one.id)) != places(str(one.string))]
    assert wrong == []


@each_file
def test_a_translation_has_a_text_for_each_number_and_each_plural_category(
    language: str, path: Path, texts: set[str]
) -> None:
    categories = {Locale.parse(language).plural_form(number) for number in range(200)}
    for one in catalogue(path):
        text, translation = str(one.id), str(one.string)
        chosen = {match[1]: match[3].count("|") for match in labels.PLACE.finditer(text) if match[3] and not match[2]}
        for match in labels.PLACE.finditer(translation):
            if match[2] == "plural":
                assert {way.partition(":")[0] for way in match[3][1:].split("|")} == categories, translation
            elif match[3] and chosen.get(match[1], 0) > 3:  # shorter ones are plurals of English
                assert match[3].count("|") == chosen[match[1]], translation


@pytest.mark.parametrize(
    ("number", "words"),
    [(1, "1 карта"), (2, "2 карты"), (5, "5 карт"), (11, "11 карт"), (21, "21 карта"), (0, "0 карт")],
)
def test_russian_plurals(number: int, words: str) -> None:
    assert Translator("ru", envs.game("durak"))("{0} {0|cards|card|cards}", number) == words


@pytest.mark.skipif(NODE is None, reason="JavaScript is tested where node is installed")
@pytest.mark.parametrize("language", LANGUAGES)
def test_plurals_are_the_same_in_a_browser(language: str) -> None:
    text = "{0:plural|one:a|few:b|many:c|other:d}"
    numbers = list(range(130))
    code = f"""globalThis.document = {{documentElement: {{lang: "{language}"}}}};
        const {{ fill }} = await import({json.dumps(str(VIEWER / "words.js"))});
        console.log(JSON.stringify({numbers}.map((number) => fill({json.dumps(text)}, [number]))));"""
    run = [str(NODE), "--no-warnings", "--input-type=module", "-e", code]
    shown = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
    category = Locale.parse(language).plural_form
    assert shown == [labels.fill(text, [number], None, category) for number in numbers]


@pytest.mark.skipif(NODE is None, reason="JavaScript is tested where node is installed")
def test_cards_are_shown_as_players_read_them_in_every_language() -> None:
    said = ["transfer TD", "6C", "exchange 4C, KS", "TEN Cards", "a1", "DC", "show AH."]
    code = f"""const {{ cards }} = await import({json.dumps(str(VIEWER / "words.js"))});
        console.log(JSON.stringify({json.dumps(said)}.map(cards)));"""
    run = [str(NODE), "--no-warnings", "--input-type=module", "-e", code]
    shown = json.loads(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
    assert shown == ["transfer 10♦", "6♣", "exchange 4♣, K♠", "TEN Cards", "a1", "DC", "show A♥."]


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("ru", "ru"),
        ("ru-RU,ru;q=0.9,en-US;q=0.8,en;q=0.7", "ru"),
        ("de-DE,de;q=0.9,ja;q=0.3,ru;q=0.2", "ja"),
        ("ja;q=0.5, en;q=0.9", "en"),
        ("ru;q=0, ja", "ja"),
        ("JA-jp", "ja"),
        ("*", "en"),
        ("ru;q=x, ja;q=", "ja"),
        (";;,,q=1," * 50, "en"),
    ],
)
def test_accept_language(header: str, language: str) -> None:
    assert negotiate(accepted(header)) == language


def test_a_text_without_translation_stays_english_and_is_marked() -> None:
    _ = Translator("ru")
    assert _("nobody says so, {0}", 5) == "nobody says so, 5"
    assert _.marked("<nobody>") == '<span lang="en">&lt;nobody&gt;</span>'
    assert _.marked("Rules") == "Правила"
    assert _.html("against <code>{0}</code>", "<i>") == "против <code>&lt;i&gt;</code>"
    assert Translator("en").marked("nobody says so") == "nobody says so"


def test_a_game_without_catalogues_is_played_in_english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(languages, "package_file", lambda game, name: tmp_path / name)
    assert Translator("ru", envs.game("war"))("flip") == "flip"
    assert Translator("ru", envs.game("war"))("Rules") == "Правила"


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("language", OTHERS)
def test_titles_and_summaries_are_in_the_language(name: str, language: str) -> None:
    game = envs.game(name)
    tile = game_info.tile(game, language)
    assert tile.title != game.name_for_people
    assert tile._.find(tile.summary) is not None
    assert not tile.players.isascii()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    app = Starlette(routes=Pages(Desk(), (), tmp_path).routes(), exception_handlers={HTTPException: problem})
    with TestClient(app, follow_redirects=False) as opened:
        yield opened


@pytest.mark.parametrize("path", ["/", "/score", "/games/durak", "/games/durak/rules", "/tables/x/links"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_is_in_the_language_that_the_browser_asks_for(client: TestClient, path: str, language: str) -> None:
    page = client.get(path, headers={"Accept-Language": f"{language};q=0.9,en;q=0.1"})
    assert f'<html lang="{language}">' in page.text
    assert page.headers["content-language"] == language
    assert {"Accept-Language", "Cookie"} == {one.strip() for one in page.headers["vary"].split(",")}
    assert f'hreflang="{language}" lang="{language}" aria-current="page"' in page.text


def test_a_language_that_was_chosen_is_remembered(client: TestClient) -> None:
    assert '<html lang="ja">' in client.get("/?lang=ja").text
    assert client.cookies["kozyr_language"] == "ja"
    assert '<html lang="ja">' in client.get("/score", headers={"Accept-Language": "ru"}).text
    assert '<html lang="en">' in client.get("/?lang=en", headers={"Accept-Language": "ru"}).text
    assert '<html lang="en">' in client.get("/?lang=<b>", headers={"Accept-Language": "ru"}).text
    client.cookies.clear()
    client.cookies.set("kozyr_language", "xx")
    assert '<html lang="ru">' in client.get("/", headers={"Accept-Language": "ru"}).text


def test_a_switch_keeps_what_the_address_says(client: TestClient) -> None:
    page = client.get("/games/durak?rules=perevodnoy&lang=ru").text
    assert 'href="?rules=perevodnoy&amp;lang=ja"' in page
    assert "Переводной" in page


def test_problems_of_a_form_are_told_in_the_language(client: TestClient) -> None:
    client.get("/games/durak?lang=ru")
    fields = filled(client, "/games/durak") | {"set-players": "9", "seed": "x"}
    answer = client.post("/games/durak/check", data=fields).json()
    assert answer["problems"]["set-players"].endswith("напишите число от 2 до 6")
    assert answer["problems"]["seed"].startswith("номер раздачи")
    assert "Место 1" in answer["seats"]
    assert "Люди" in answer["seats"]


@pytest.mark.parametrize("language", OTHERS)
def test_scripts_get_the_words_of_the_page_and_of_each_game(client: TestClient, language: str) -> None:
    words = client.get(f"/words/{language}.json").json()
    assert set(words) == {"", *envs.games()}
    assert words["durak"]["take"] == {"ru": "беру", "ja": "取る"}[language]
    assert words[""]["Undo"] == Translator(language)("Undo")
    assert client.get("/words/xx.json").status_code == 404


def test_tables_of_a_browser_are_told_in_its_language(client: TestClient) -> None:
    client.get("/?lang=ru")
    [told] = client.post("/tables/mine", json=[{"table": "table", "token": "seat0"}]).json()
    assert (told["title"], told["says"]) == ("Дурак", "ходит low")


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("language", OTHERS)
def test_rules_have_the_same_paragraphs_in_every_language(client: TestClient, name: str, language: str) -> None:
    paragraphs = [
        re.findall(r'id="p(\d+)"', client.get(f"/games/{name}/rules?lang={one}").text) for one in ("en", language)
    ]
    assert paragraphs[0] == paragraphs[1]
    assert paragraphs[0]
    text = package_file(envs.game(name), f"RULES.{language}.md").read_text(encoding="utf-8")
    options = set(re.findall(r"`(\w+)(?:=[^`]*)?`", text)) - {"rules", "perevodnoy"}
    assert options <= {*envs.game(name).fields, "classic", "n", "podkidnoy", "proyezdnoy"}
