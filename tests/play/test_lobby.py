"""The lobby, the form of a new table, links, score: pages that know no rules."""

import html
import ipaddress
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode
from xml.etree import ElementTree

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient

from kozyr import agents, envs
from kozyr.agents import search
from kozyr.agents.play.pages import game_info, network, pictures
from kozyr.agents.play.pages.opponents import LEVELS, levels, tidy
from kozyr.agents.play.pages.pages import Pages, problem
from kozyr.agents.play.pages.score import FinishedGame

from .desk import Desk, filled

GAMES = envs.games()
SCRIPT = "<script>alert(1)</script>"
HOME = "http://testserver"


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def client(desk: Desk, tmp_path: Path) -> Any:
    pages = Pages(desk, (), tmp_path)
    app = Starlette(routes=pages.routes(), exception_handlers={HTTPException: problem})
    with TestClient(app, follow_redirects=False) as found:
        yield found


def test_the_lobby_shows_every_game(client: Any) -> None:
    page = client.get("/")
    assert page.status_code == 200
    for name in GAMES:
        assert html.escape(envs.game(name).name_for_people) in page.text
        assert f'href="/games/{name}"' in page.text
        assert f'href="/games/{name}/rules"' in page.text
    assert "No game has been finished yet." in page.text


def test_a_broken_package_keeps_no_game_away(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def game(name: str) -> Any:
        if name == GAMES[0]:
            raise ImportError("the package nothing is <broken>")
        return found[name]

    found = {name: envs.game(name) for name in GAMES}
    monkeypatch.setattr(envs, "game", game)
    page = client.get("/").text
    assert "the package nothing is &lt;broken&gt;" in page
    assert [f'href="/games/{name}"' in page for name in GAMES] == [name != GAMES[0] for name in GAMES]


@pytest.mark.parametrize("name", GAMES)
def test_a_form_that_is_left_alone_makes_a_table_of_the_usual_rules(client: Any, desk: Desk, name: str) -> None:
    game = envs.game(name)
    usual = game.make_variant(**game.usual)
    fields = filled(client, f"/games/{name}")
    assert {f"set-{field}" for field, value in game.options(usual).items() if value is not False} <= {*fields}
    made = client.post(f"/games/{name}", data=fields, headers={"Origin": HOME})
    assert (made.status_code, made.headers["location"]) == (303, "/tables/table#seat0")
    [(asked, found, names)] = desk.asked
    assert asked == name
    assert game.make_variant(**found["options"]) == usual
    assert found["seats"] == ["me", *[agents.names(name)[-1]] * (game.seats(usual) - 1)]
    assert found["clock"] is None
    assert found["sees"] == "public"
    assert 0 <= found["seed"] < 2**63
    assert names[0] == "Guest"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", GAMES)
def test_a_tile_deals_a_game_of_the_usual_rules_at_once(client: Any, desk: Desk, name: str, level: str) -> None:
    game = envs.game(name)
    usual = game.make_variant(**game.usual)
    fields = {"form": filled(client, f"/games/{name}")["form"], "level": level}
    made = client.post(f"/games/{name}/play", data=fields)
    assert (made.status_code, made.headers["location"]) == (303, "/tables/table#seat0")
    [(asked, found, _)] = desk.asked
    assert (asked, game.make_variant(**found["options"])) == (name, usual)
    others = set(found["seats"][1:])
    assert others == {levels(game, usual)[level]}
    agents.load(others.pop(), name, **game.options(usual))


@pytest.mark.parametrize("name", GAMES)
def test_levels_go_from_weak_to_strong(name: str) -> None:
    game = envs.game(name)
    usual = game.make_variant(**game.usual)
    players = [*levels(game, usual).values()]
    order = [*agents.names(name), "policy", *search.rungs(game)]
    assert [order.index(player) for player in players] == sorted({order.index(player) for player in players})
    assert players[-1] == search.rungs(game)[-1]
    assert "random" not in players


def test_a_tile_takes_no_level_of_somebody_else(client: Any, desk: Desk) -> None:
    form = filled(client, "/games/durak")["form"]
    refused = client.post("/games/durak/play", data={"form": form, "level": SCRIPT})
    assert refused.status_code == 400
    assert "choose easy, medium, hard, strongest" in refused.json()["refused"]
    assert client.post("/games/durak/play", data={"form": "x" * 32}).status_code == 403
    assert client.post("/games/chess/play", data={"form": form}).status_code == 404
    assert desk.asked == []


def variant(game: Any, field: str, value: Any) -> tuple[Any, str]:
    """Return the variant with one field changed, or None and why it is refused."""
    try:
        return game.make_variant(**{**game.usual, field: value}), ""
    except ValueError as error:
        return None, str(error)


@pytest.mark.parametrize("name", GAMES)
def test_every_option_of_a_form_goes_through(client: Any, desk: Desk, name: str) -> None:
    game = envs.game(name)
    usual = game.options(game.make_variant())
    for field, it in game.fields.items():
        ends = it.choices or it.numbers or ((True, False) if isinstance(usual[field], bool) else (it.low, it.high))
        for value in ends:
            value = type(usual[field])(value)
            written = ("on" if value else "") if isinstance(value, bool) else str(value)
            fields = filled(client, f"/games/{name}?set-{field}={written}")
            if not written:
                fields.pop(f"set-{field}", None)
            told = client.post(f"/games/{name}/check", data=fields).json()
            wanted, complaint = variant(game, field, value)
            if wanted is None:
                assert told["problems"][""] in complaint
                continue
            assert told["problems"] == {}
            assert told["seats"].count("<select id=") == game.seats(wanted)
            client.post(f"/games/{name}", data=fields)
            assert game.make_variant(**desk.asked[-1][1]["options"]) == wanted


@pytest.mark.parametrize("name", GAMES)
def test_the_impossible_is_refused_in_words(client: Any, desk: Desk, name: str) -> None:
    game = envs.game(name)
    fields = filled(client, f"/games/{name}")
    for field, it in game.fields.items():
        usual = game.make_variant()._asdict()[field]
        if isinstance(usual, bool):
            continue
        for value in ("", "much", "1e999", "nan", str(it.high + 1) if not it.choices else SCRIPT):
            told = client.post(f"/games/{name}/check", data={**fields, f"set-{field}": value}).json()
            assert f"{field} is {it.allowed(usual)}" in told["problems"][f"set-{field}"]
            page = client.post(f"/games/{name}", data={**fields, f"set-{field}": value})
            assert page.status_code == 422
            assert told["problems"][f"set-{field}"] in html.unescape(page.text)
            assert SCRIPT not in page.text
    assert desk.asked == []


def test_options_that_are_impossible_together_are_refused(client: Any) -> None:
    fields = {**filled(client, "/games/durak"), "set-players": "6", "set-deck": "20"}
    told = client.post("/games/durak/check", data=fields).json()
    with pytest.raises(ValueError, match="durak: ") as refusal:
        envs.game("durak").make_variant(players=6, deck=20)
    assert told["problems"] == {"": str(refusal.value).removeprefix("durak: ")}
    assert told["seats"].count("<select id=") == 6


@pytest.mark.parametrize(
    ("changed", "field", "words"),
    [
        ({"seat-1": "nobody"}, "seat-1", "choose somebody from the list"),
        ({"seat-1": "/etc/passwd.onnx"}, "seat-1", "choose somebody from the list"),
        ({"seat-1": "os:system"}, "seat-1", "choose somebody from the list"),
        ({"seat-1": "me"}, "seat-1", "you have a seat already"),
        ({"seat-1": "pimc", "budget-1": "0"}, "seat-1", "a number of milliseconds from 1 to 60,000"),
        ({"seat-1": "pimc", "budget-1": "99999999", "unit-1": "simulations"}, "seat-1", "10,000,000"),
        ({"seat-1": "policy", "set-deck": "20"}, "seat-1", "no policy of durak is bundled"),
        ({"clock-move": "-1"}, "clock", "seconds above 0"),
        ({"clock-increment": "2"}, "clock", "needs a limit"),
        ({"clock-game": "soon"}, "clock", "no number of seconds"),
        ({"seed": "-1"}, "seed", "from 0 on below"),
        ({"sees": "nothing"}, "sees", "choose what"),
    ],
)
def test_what_cannot_be_is_said_beside_its_field(client: Any, changed: Any, field: str, words: str) -> None:
    told = client.post("/games/durak/check", data={**filled(client, "/games/durak"), **changed}).json()
    assert words in told["problems"][field]


def test_a_setup_has_what_was_chosen(client: Any, desk: Desk) -> None:
    changed = {"set-players": "4", "seat-0": "low", "seat-1": "me", "seat-2": "person", "seat-3": "pimc"}
    changed |= {
        "budget-3": "50",
        "unit-3": "milliseconds",
        "clock-game": "300",
        "clock-increment": "2",
        "seed": "7",
        "sees": "all",
    }
    made = client.post("/games/durak", data={**filled(client, "/games/durak"), **changed})
    links = dict(parse_qsl(made.headers["location"].removeprefix("/tables/table/links#")))
    assert links == {"2": "seat2", "watch": "watch", "go": "seat1"}
    [(_, found, names)] = desk.asked
    assert found["seats"] == ["low", "me", "person", "pimc@50ms"]
    assert names == ["low", "Guest", "Guest 3", "pimc@50ms"]
    assert (found["clock"].game, found["clock"].increment, found["seed"], found["sees"]) == (300, 2, 7, "all")


def test_without_javascript_more_seats_are_asked_for(client: Any, desk: Desk) -> None:
    fields = {**filled(client, "/games/durak"), "set-players": "3"}
    page = client.post("/games/durak", data=fields)
    assert page.status_code == 422
    assert "This game has 3 seats: choose who takes each." in page.text
    assert desk.asked == []
    fields["seat-2"] = "low"
    assert client.post("/games/durak", data=fields).status_code == 303


def address(game: Any, **options: Any) -> str:
    """Return the part of a form's address that sets all options: to the game's defaults unless they are given."""
    values = game.options(game.make_variant(**options)).items()
    return urlencode({f"set-{name}": ("on" if it else "") if isinstance(it, bool) else it for name, it in values})


def test_people_are_offered_games_in_which_they_choose(client: Any) -> None:
    assert filled(client, "/games/war")["set-pickup"] == "choice"
    durak = filled(client, "/games/durak")
    assert (durak["set-deck"], durak["set-open_trump"], durak["set-players"]) == ("36", "on", "2")
    assert envs.game("war").make_variant().pickup == 0
    assert envs.game("durak").make_variant().deck == 52


@pytest.mark.parametrize(("name", "rules"), [(name, rules) for name in GAMES for rules in envs.game(name).presets])
def test_an_address_names_rules(client: Any, name: str, rules: str) -> None:
    game = envs.game(name)
    asked = game.options(game.make_variant(rules=rules))
    fields = filled(client, f"/games/{name}?rules={rules}")
    assert {f"set-{field}" for field, value in asked.items() if value is True} == {
        field for field, value in fields.items() if field.startswith("set-") and value == "on"
    }
    page = client.get(f"/games/{name}?rules={rules}").text
    assert page.count('aria-current="true"') == 1
    assert '<details id="options">' in page


def test_rules_that_have_no_name_are_unfolded_and_unknown_ones_refused(client: Any) -> None:
    assert '<details id="options" open>' in client.get("/games/durak?set-deck=20").text
    refused = client.get("/games/durak?rules=poker")
    assert refused.status_code == 404
    assert "rules='poker' is not allowed" in refused.text


def test_games_have_the_names_of_players_and_durak_comes_first(client: Any) -> None:
    page = client.get("/").text
    titles = re.findall(r"<h2>([^<]*)</h2>", page)
    assert titles[: len(GAMES)] == ["Durak", "Daifugo", "Draw poker", "Five in a row", "War"]
    mnk = envs.game("mnk")
    names = [mnk.name_of(mnk.make_variant(**them)) for them in ({}, {"m": 3, "n": 3, "k": 3}, {"k": 4}, {"k": 7})]
    assert names == ["Five in a row", "Tic-tac-toe", "Four in a row", "7 in a row"]


def test_agents_of_the_command_line_are_offered_by_number(tmp_path: Path) -> None:
    desk, file = Desk(), str(next(path for path in agents.policies("durak") if path.stem.endswith("36")))
    with TestClient(Starlette(routes=Pages(desk, (file,), tmp_path).routes()), follow_redirects=False) as client:
        page = client.get("/games/durak").text
        assert Path(file).name in page
        assert str(Path(file).parent) not in page
        fields = {**filled(client, "/games/durak"), "seat-1": "given-0"}
        assert "another variant" in client.post("/games/durak/check", data=fields).json()["problems"]["seat-1"]
        trained = filled(client, f"/games/durak?{address(envs.game('durak'), deck=36)}")
        assert client.post("/games/durak", data={**trained, "seat-1": "given-0"}).status_code == 303
        assert desk.asked[0][1]["seats"] == ["me", file]


@pytest.mark.parametrize("origin", ["http://elsewhere.example", "null", "http://testserver.example"])
@pytest.mark.parametrize(
    "address", ["/games/durak", "/games/durak/check", "/games/durak/play", "/name", "/tables/mine"]
)
def test_what_comes_from_another_site_is_refused(client: Any, desk: Desk, address: str, origin: str) -> None:
    fields = filled(client, "/games/durak")
    assert client.post(address, data=fields, headers={"Origin": origin}).status_code == 403
    assert client.post(address, data=fields, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert desk.asked == []


def test_a_form_without_its_secret_is_refused(client: Any, desk: Desk) -> None:
    fields = filled(client, "/games/durak")
    assert client.post("/games/durak", data={**fields, "form": "x" * 32}).status_code == 403
    client.cookies.clear()
    assert client.post("/games/durak", data=fields).status_code == 403
    assert desk.asked == []
    cookie = client.get("/").headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_too_much_is_refused(client: Any) -> None:
    assert client.post("/games/durak/check", data={"seed": "1" * 100_000}).status_code == 413
    assert client.post("/games/durak/check", data={f"x{k}": "1" for k in range(1000)}).status_code == 400
    assert client.post("/tables/mine", content="[" * 50_000).status_code == 400
    assert client.post("/tables/mine", content='{"table": 1}').status_code == 400


def named(client: Any, back: str) -> str:
    """Return where saving a name leads."""
    fields = {"form": filled(client, "/games/durak")["form"], "name": "Ann", "back": back}
    return client.post("/name", data=fields).headers["location"]


@pytest.mark.parametrize("page", ["/games/durak?set-deck=36&seat-1=low&clock-move=2.5", "/games/war", "/score", "/"])
def test_saving_ones_name_leads_back_to_the_page(client: Any, page: str) -> None:
    shown = client.get(page).text
    [back] = re.findall(r'name="back" value="([^"]*)"', shown)
    assert named(client, html.unescape(back)) == page
    assert 'value="Ann"' in client.get(page).text


@pytest.mark.parametrize(
    "back",
    [
        "",
        "https://elsewhere.example/",
        "//elsewhere.example/",
        "/\\elsewhere.example/",
        "\\\\elsewhere.example",
        "/games/../..//x\r\nSet-Cookie: a=b",
        "/\t/elsewhere.example/",
        "javascript:alert(1)",
        "/games/durak#x",
        "/" + "x" * 5000,
    ],
)
def test_a_name_leads_to_no_other_site(client: Any, back: str) -> None:
    assert named(client, back) == "/"


def test_a_name_is_kept_cut_and_escaped(client: Any, desk: Desk) -> None:
    fields = {"form": filled(client, "/games/durak")["form"], "name": SCRIPT + "\x00\u202e" + "x" * 50}
    assert client.post("/name", data=fields).status_code == 303
    page = client.get("/").text
    assert SCRIPT not in page
    assert html.escape(SCRIPT) in page
    client.post("/games/durak", data=filled(client, "/games/durak"))
    name = desk.asked[0][2][0]
    assert name == tidy(fields["name"])
    assert name.startswith(SCRIPT)
    assert len(name) == 30
    desk.finished = [FinishedGame("durak", (name, "low"), (1.0, -1.0), (True, False))]
    for address in ("/", "/score"):
        page = client.get(address).text
        assert SCRIPT not in page
        assert html.escape(name) in page


def test_tables_of_a_browser_are_told_to_who_has_their_links(client: Any) -> None:
    kept = [{"table": "table", "token": "seat0"}, {"table": "table", "token": "guessed"}, {"table": "x", "token": "y"}]
    told = client.post("/tables/mine", content=json.dumps(kept)).json()
    table = {"table": "table", "game": "durak", "title": "Durak", "names": ["Ann", "low"], "over": False}
    assert told == [{**table, "says": "waits for low"}]


@pytest.mark.parametrize("name", GAMES)
def test_the_rules_are_a_page_with_numbered_paragraphs(client: Any, name: str) -> None:
    page = client.get(f"/games/{name}/rules").text
    form = client.get(f"/games/{name}").text
    cited = set(re.findall(rf'href="/games/{name}/rules#(p\d+)"', form))
    assert cited
    assert all(f'id="{paragraph}"' in page for paragraph in cited)


@pytest.mark.parametrize("name", GAMES)
def test_rules_for_players_have_no_word_for_those_who_keep_the_code(client: Any, name: str) -> None:
    page = " ".join(client.get(f"/games/{name}/rules").text.split())
    assert "test bears its name" not in page
    assert "Each paragraph has a number" not in page


@pytest.mark.parametrize(
    ("is_open", "local", "told"),
    [
        (False, "192.168.1.5", "kozyr play --host 0.0.0.0 --password"),
        (False, "192.168.1.5", "find you at <code>http://192.168.1.5</code>"),
        (False, "", "These links work on this machine only"),
        (True, "192.168.1.5", 'data-others="http://192.168.1.5"'),
    ],
)
def test_links_say_whom_they_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_open: bool, local: str, told: str
) -> None:
    monkeypatch.setattr(network, "local_address", lambda: local)
    with TestClient(Starlette(routes=Pages(Desk(), (), tmp_path, is_open).routes())) as client:
        page = client.get("/tables/table/links").text
    assert told in page
    assert ("find you at" in page) == (bool(local) and not is_open)


def test_a_qr_code_is_a_plain_drawing_of_one_address(client: Any) -> None:
    address = "http://192.168.1.5:8412/tables/abc#secret"
    answer = client.post("/qr.svg", data={"address": address})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
    drawing = ElementTree.fromstring(answer.content)
    assert {one.tag.rpartition("}")[2] for one in drawing.iter()} == {"svg", "path"}
    attributes = {name for one in drawing.iter() for name in one.attrib}
    assert attributes <= {"viewBox", "version", "fill", "stroke", "d", "class", "transform"}
    assert "secret" not in answer.text
    assert answer.content != client.post("/qr.svg", data={"address": f"{address}2"}).content


@pytest.mark.parametrize("address", ["", "x" * 301])
def test_a_qr_code_has_a_limit(client: Any, address: str) -> None:
    assert client.post("/qr.svg", data={"address": address}).status_code == 400
    foreign = {"Origin": "http://evil.example"}
    assert client.post("/qr.svg", data={"address": "http://a"}, headers=foreign).status_code == 403


def test_the_address_in_the_network_is_no_loopback() -> None:
    found = network.local_address()
    assert found == "" or not ipaddress.ip_address(found).is_loopback


def test_an_unknown_game_is_not_found(client: Any) -> None:
    assert client.get("/games/chess").json() == {"refused": f"unknown game 'chess'. The games are: {', '.join(GAMES)}"}
    page = client.get("/games/<b>x", headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert "<b>x" not in page.text
    assert "&lt;b&gt;x" in page.text
    shown = client.get("/games/chess", headers={"Accept": "text/html"})
    assert "Unknown game" in shown.text
    assert client.post("/games/chess", data={}).status_code == 404


def test_the_drawings_are_made_once(client: Any, tmp_path: Path) -> None:
    for name in GAMES:
        drawing = client.get(f"/games/{name}/picture.svg")
        assert drawing.headers["content-type"] == "image/svg+xml"
        assert drawing.text.startswith("<svg")
    made = {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    assert len(made) == len(GAMES)
    assert pictures.picture(envs.game("war"), tmp_path)
    assert {file: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == made


def test_a_game_that_cannot_be_drawn_keeps_no_other_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures.main(str(tmp_path), "en", "chess")
    assert "there is no drawing 'chess': ValueError: unknown game 'chess'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_words_are_escaped() -> None:
    assert game_info.inline(f"plays `low` {SCRIPT}") == f"plays <code>low</code> {html.escape(SCRIPT)}"
    assert SCRIPT not in game_info.cited(SCRIPT, SCRIPT)
