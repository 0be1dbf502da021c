"""Pages: the lobby, the form of a new table, links, score, rules. They know no rules and name no game.

The host of a new table gets there by `/tables/ID#TOKEN`: browsers send no server the part after #, so that no log and
no other page learns it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote, unquote

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from kozyr import envs
from kozyr.agents.play.pages import (
    form_data,
    forms,
    game_info,
    how_to_play,
    languages,
    network,
    pictures,
    qr_code,
    score,
)
from kozyr.agents.play.pages.forms import Form
from kozyr.agents.play.pages.languages import ENGLISH, Translator
from kozyr.agents.play.pages.opponents import FIRST_LEVEL, GUEST, LEVELS, ME, PERSON, default_name, display_name, tidy
from kozyr.envs.core.game import Game

NAME = "kozyr_name"  # the cookie
LANGUAGE, LANGUAGE_COOKIE = "lang", "kozyr_language"  # in an address, and the cookie
MOST_TABLES = 50  # of one browser
_NAMES = ("name", "against")  # of the players in a row of results
_YEAR = 365 * 24 * 3600


class NewTable(NamedTuple):
    """A new table.

    Attributes:
        table: its id; host, watch: the secrets of the host's link and of the watchers'.
        seats: the secret of each seat's link, or None for an agent's seat.
    """

    table: str
    host: str
    watch: str
    seats: Sequence[str | None]


class SavedLink(msgspec.Struct):
    """A link to a table that a browser has saved."""

    table: str
    token: str


class TableService(Protocol):
    """The server, as the pages use it."""

    async def make(self, game: Game, parts: Mapping[str, Any], names: Sequence[str]) -> NewTable:
        """Make a table from the parts of a form, and a name for each seat."""
        ...

    async def say(self, table: str, token: str) -> dict[str, Any] | None:
        """Return `game`, `title`, `names`, `over` and the phrase `says` of a table whose token is known, or None."""
        ...

    async def finished_games(self) -> Sequence[score.FinishedGame]:
        """Return the games that were finished, in their order."""
        ...


@dataclass(frozen=True)
class Pages:
    """The pages of one server.

    Args:
        service: makes tables and finds them.
        extra_agents: names of agents on the command line.
        folder: of the lobby's drawings.
        is_open: whether the server listens to other machines.
    """

    service: TableService
    extra_agents: tuple[str, ...]
    folder: Path
    is_open: bool = False

    def routes(self) -> list[Route]:
        """Return the routes to be mounted."""
        return [
            Route("/", self.lobby),
            Route("/score", self.score),
            Route("/name", self.name, methods=["POST"]),
            Route("/games/{game}", self.game),
            Route("/games/{game}", self.make, methods=["POST"]),
            Route("/games/{game}/check", self.check, methods=["POST"]),
            Route("/games/{game}/play", self.play, methods=["POST"]),
            Route("/games/{game}/rules", self.rules),
            Route("/games/{game}/picture.svg", self.picture),
            Route("/words/{language}.json", self.words),
            Route("/games/{game}/how-to-play", self.how_to_play),
            Route("/games/{game}/how-to-play/{number:int}.svg", self.picture),
            Route("/tables/mine", self.mine, methods=["POST"]),
            Route("/tables/{table}/links", self.links),
            Route("/qr.svg", self.qr, methods=["POST"]),
        ]

    async def lobby(self, request: Request) -> Response:
        """Show the games, this browser's tables and the results."""
        language, finished = language_of(request), await self.service.finished_games()
        games, broken = await run_in_threadpool(game_info.games)
        tiles = await run_in_threadpool(lambda: [game_info.tile(game, language) for game in games])
        rows = _titled(score.rows(finished), language)
        return page(request, "lobby.html", tiles=tiles, first=FIRST_LEVEL, broken=broken, rows=rows)

    async def score(self, request: Request) -> Response:
        """Show all results, and ratings."""
        finished = await self.service.finished_games()
        ratings = await run_in_threadpool(score.ratings, finished)
        language = language_of(request)
        rows = _titled(score.rows(finished), language)
        return page(request, "score.html", here="score", rows=rows, ratings=_titled(ratings, language))

    async def name(self, request: Request) -> Response:
        """Remember a person's name in a cookie, and go back to the page on which it was written."""
        filled = await form_data.fields(request)
        form_data.require_own_form(request, filled)
        response = RedirectResponse(form_data.own_path(filled.get("back", "")), 303)
        form_data.set_cookie(request, response, NAME, quote(tidy(filled.get("name", ""))), _YEAR)
        return response

    async def game(self, request: Request) -> Response:
        """Show the form of a new table; the address may fill it in."""
        it = _game(request)
        try:
            fields = forms.initial(it, request.query_params)
        except ValueError as error:
            raise HTTPException(404, str(error)) from error
        form = await run_in_threadpool(forms.read, it, fields, self.extra_agents)
        return _form_page(request, form, _refused(form, language_of(request)))

    async def check(self, request: Request) -> Response:
        """Return the problems of a form as it is, and the occupants that such a table may have."""
        form_data.require_own_origin(request)
        form = await run_in_threadpool(forms.read, _game(request), await form_data.fields(request), self.extra_agents)
        words = _form_words(form, language_of(request))
        module: Any = PAGES.get_template("seats.html").make_module(words)
        shape = f"{len(form.seats)} {form.no_policy}"
        problems = {key: forms.problem(form, key, words["g"]) for key in form.problems}
        return JSONResponse({"problems": problems, "seats": str(module.seats(form)), "shape": shape})

    async def make(self, request: Request) -> Response:
        """Make the table of a form, or show the form again with its problems."""
        it, filled = _game(request), await form_data.fields(request)
        form_data.require_own_form(request, filled)
        form = await run_in_threadpool(forms.read, it, filled, self.extra_agents)
        unseated = sum(name.startswith("seat-") for name in filled) != len(form.seats)
        if form.parts is None or unseated or filled.get("do") == "check":
            _ = Translator(language_of(request))
            unseated_words = _("This game has {0} seats: choose who takes each.", len(form.seats))
            words = unseated_words if unseated else _refused(form, _.language)
            status = 200 if filled.get("do") == "check" else 422
            return _form_page(request, form, words, status)
        seats = form.parts["seats"]
        table = await self.service.make(it, form.parts, names(seats, my_name(request)))
        return RedirectResponse(address(table, seats), 303)

    async def play(self, request: Request) -> Response:
        """Make a table of the usual rules, at which players of a level sit."""
        it, filled = _game(request), await form_data.fields(request)
        form_data.require_own_form(request, filled)
        try:
            fields = await run_in_threadpool(forms.usual, it, filled.get("level", FIRST_LEVEL))
        except ValueError as error:
            raise HTTPException(400, str(error)) from error
        form = await run_in_threadpool(forms.read, it, fields, self.extra_agents)
        if form.parts is None:
            raise HTTPException(500, f"the usual rules of {it.title} make no table: {_refused(form, ENGLISH)}")
        seats = form.parts["seats"]
        table = await self.service.make(it, form.parts, names(seats, my_name(request)))
        return RedirectResponse(address(table, seats, practice="practice" in filled), 303)

    async def links(self, request: Request) -> Response:
        """Show the links of a table; they are in the part of the address that only the browser knows."""
        host = await run_in_threadpool(network.local_address)
        port = request.url.port
        others = f"{request.url.scheme}://{host}{f':{port}' if port else ''}" if host else ""
        return page(request, "links.html", back="/", is_open=self.is_open, others=others, port=port)

    async def qr(self, request: Request) -> Response:
        """Return the QR code of a link; it comes in the body, so that no log has its secret."""
        form_data.require_own_origin(request)
        try:
            drawing = qr_code.svg((await form_data.fields(request)).get("address", ""))
        except ValueError as error:
            raise HTTPException(400, str(error)) from error
        return Response(drawing, media_type="image/svg+xml", headers={"Cache-Control": "no-store"})

    async def mine(self, request: Request) -> Response:
        """Return the progress of the tables whose links a browser has saved."""
        form_data.require_own_origin(request)
        saved = await form_data.document(request, list[SavedLink])
        tables = [(one.table, await self.service.say(one.table, one.token)) for one in saved[:MOST_TABLES]]
        language = language_of(request)
        return JSONResponse(
            [{"table": table, **_in_words(progress, language)} for table, progress in tables if progress]
        )

    async def rules(self, request: Request) -> Response:
        """Show a game's rules."""
        it, language = _game(request), language_of(request)
        text = await run_in_threadpool(game_info.rules, it, language)
        title, own = Translator(language, it)(it.name_for_people), game_info.rules_language(it, language)
        return page(request, "rules.html", name=it.name, title=title, rules=text, rules_language=own)

    async def words(self, request: Request) -> Response:
        """Give the words of a language to the scripts of a page."""
        language = request.path_params["language"]
        if language not in languages.LANGUAGES:
            raise HTTPException(404, "there is no such language")
        document = await run_in_threadpool(languages.catalogues, language)
        return JSONResponse(document, headers={"Cache-Control": "max-age=600"})

    async def how_to_play(self, request: Request) -> Response:
        """Show a game's page for those who do not know it."""
        it, language = _game(request), language_of(request)
        if not how_to_play.source(it):
            raise HTTPException(404, "this game does not tell how it is played: read its rules")
        folder = f"/games/{it.name}/how-to-play"
        text = how_to_play.html(it, lambda number: f"{folder}/{number}.svg?lang={language}", language)
        title, own = Translator(language, it)(it.name_for_people), how_to_play.language_of(it, language)
        words: dict[str, Any] = {"title": title, "text": text, "text_language": own}
        return page(request, "how_to_play.html", name=it.name, level=LEVELS[0], **words)

    async def picture(self, request: Request) -> Response:
        """Show a game's drawing, of the lobby or by its number of the page that tells how to play."""
        number: int = request.path_params.get("number", 0)
        drawing = await run_in_threadpool(pictures.picture, _game(request), self.folder, number, language_of(request))
        if drawing is None:
            raise HTTPException(404, "this game has no drawing")
        headers = {"Cache-Control": "max-age=600", "Vary": "Accept-Language, Cookie"}
        return Response(drawing, media_type="image/svg+xml", headers=headers)


async def problem(request: Request, error: Exception) -> Response:
    """Return a refusal as a page, or as JSON to a script; the app's handler of HTTPException."""
    status, words = (error.status_code, error.detail) if isinstance(error, HTTPException) else (500, "an error")
    translation = Translator(language_of(request)).find(words)
    if "text/html" in request.headers.get("accept", ""):
        return page(request, "problem.html", status, words=translation or words, foreign=translation is None)
    return JSONResponse({"refused": words}, status)


def names(occupants: Sequence[str], me: str) -> list[str]:
    """Return the name of each seat: my name, "Guest 2" for a person, and agents as they are."""
    guests = [default_name(k) if one == PERSON else display_name(one) for k, one in enumerate(occupants)]
    return [me if one == ME else guest for one, guest in zip(occupants, guests, strict=True)]


def address(table: NewTable, occupants: Sequence[str], practice: bool = False) -> str:
    """Return the address after a form: of the table, or of the links for other people if some are to come.

    Args:
        table: that was made; occupants: of its seats.
        practice: whether the page shows a hint at each turn.
    """
    mine = table.seats[occupants.index(ME)] if ME in occupants else table.host
    if PERSON not in occupants:
        return f"/tables/{table.table}{'?practice=1' if practice else ''}#{mine}"
    links = [f"{k}={table.seats[k]}" for k, one in enumerate(occupants) if one == PERSON]
    return f"/tables/{table.table}/links#{'&'.join([*links, f'watch={table.watch}', f'go={mine}'])}"


def my_name(request: Request) -> str:
    """Return the name of this browser's person."""
    return saved_name(request) or GUEST


def saved_name(connection: HTTPConnection) -> str:
    """Return the name that a browser's person has chosen, or ""."""
    return tidy(unquote(connection.cookies.get(NAME, "")))


def _game(request: Request) -> Game:
    try:
        return envs.game(request.path_params["game"])
    except (ValueError, ImportError) as error:
        raise HTTPException(404, str(error)) from error


def _in_words(progress: dict[str, Any], language: str) -> dict[str, Any]:
    """Return the progress of a table in a language."""
    _ = Translator(language, envs.game(progress["game"]))
    title, says = progress["title"], progress["says"]
    return {**progress, "title": _(title), "says": _(*says)}


def _titled(rows: Sequence[Any], language: str) -> list[dict[str, Any]]:
    """Return rows with the titles of their games; of a game that is gone, its name."""
    guest = Translator(language)(GUEST)
    titles = {game.name: Translator(language, game)(game.name_for_people) for game in game_info.games()[0]}
    each: list[dict[str, Any]] = [vars(row) | {"title": titles.get(row.game, row.game)} for row in rows]
    return [{key: guest if key in _NAMES and one == GUEST else one for key, one in row.items()} for row in each]


def _refused(form: Form, language: str) -> str:
    _ = Translator(language, form.game)
    return forms.problem(form, "", _) or (_("Something is not possible: see below.") if form.problems else "")


def _form_page(request: Request, form: Form, refused: str, status: int = 200) -> Response:
    """Return the page of a form."""
    return page(request, "game.html", status, refused=refused, **_form_words(form, language_of(request)))


def _form_words(form: Form, language: str) -> dict[str, Any]:
    """Return the names that the templates of a form need, in a language."""
    g = Translator(language, form.game)
    return {
        "form": form,
        "sees": forms.SEES,
        **words_of(language),
        "g": g,
        "cited": partial(game_info.cited, game=form.game.name),
        "inline": game_info.inline,
        "problem": partial(forms.problem, form, translate=g),
    }


def language_of(request: Request) -> str:
    """Return the language of a browser: that of the address (`lang`), of its cookie, or the one that it asks for."""
    for language in (request.query_params.get(LANGUAGE, ""), request.cookies.get(LANGUAGE_COOKIE, "")):
        if language in languages.LANGUAGES:
            return language
    return languages.negotiate(languages.accepted(request.headers.get("accept-language", "")))


def page(request: Request, template: str, status: int = 200, **context: Any) -> Response:
    """Return a page, and let the browser keep the secret of its forms."""
    secret, name = form_data.secret(request), saved_name(request)
    back = str(request.url.replace(scheme="", netloc="", fragment="")) if status == 200 else request.url.path
    language = language_of(request)
    context = {"here": "", "my_name": name, "form_token": secret, "back": back, **context}
    context = {**words_of(language), "address": partial(_in_language, request), **context}
    headers = {"Content-Language": language, "Vary": "Accept-Language, Cookie"}
    response = HTMLResponse(PAGES.get_template(template).render(context), status, headers)
    if request.query_params.get(LANGUAGE) == language != request.cookies.get(LANGUAGE_COOKIE):
        form_data.set_cookie(request, response, LANGUAGE_COOKIE, language, _YEAR)
    if request.cookies.get(form_data.COOKIE) != secret:
        form_data.set_cookie(request, response, form_data.COOKIE, secret)
    return response


def words_of(language: str) -> dict[str, Any]:
    """Return the names that every template needs of a language."""
    _ = Translator(language)
    return {"_": _, "html": _.html, "language": language}


def _in_language(request: Request, language: str) -> str:
    """Return the address of the page that is shown, in another language."""
    return f"?{request.url.include_query_params(**{LANGUAGE: language}).query}"


PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")), autoescape=True, undefined=StrictUndefined
)
_GLOBALS: dict[str, Any] = {
    "root": "/",  # where scripts and styles lie
    "local": "",  # games of a page without a server
    "languages": languages.LANGUAGES,
}
PAGES.globals.update(_GLOBALS)
_FILTERS: dict[str, Any] = {"words": game_info.words}
PAGES.filters.update(_FILTERS)
