"""A stand-in for the server behind the lobby's pages, and what a browser sends of a form."""

import html
import re
from typing import Any

from kozyr.agents.play.pages.pages import NewTable
from kozyr.agents.play.pages.score import FinishedGame


class Desk:
    """A server that only remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.finished: list[FinishedGame] = []

    async def make(self, game: Any, parts: Any, names: Any) -> NewTable:
        self.asked.append((game.name, parts, names))
        seats = [f"seat{k}" if one in ("me", "person") else None for k, one in enumerate(parts["seats"])]
        return NewTable("table", "host", "watch", seats)

    async def say(self, table: str, token: str) -> Any:
        known = (table, token) == ("table", "seat0")
        progress = {"game": "durak", "title": "Durak", "names": ["Ann", "low"], "over": False}
        return {**progress, "says": ("waits for {0}", "low")} if known else None

    async def finished_games(self) -> list[FinishedGame]:
        return self.finished


def filled(client: Any, address: str) -> dict[str, str]:
    """Return what a browser without JavaScript would send of a form."""
    page = client.get(address).text.partition('id="game"')[2].partition("</form>")[0]
    fields = dict[str, str]()
    for tag in re.findall(r"<input[^>]*>", page):
        at = {key: html.unescape(value) for key, value in re.findall(r'([\w-]+)="([^"]*)"', tag)}
        if at.get("type") == "checkbox":
            fields |= {at["name"]: "on"} if " checked" in tag else {}
        else:
            fields[at["name"]] = at.get("value", "")
    for name, inner in re.findall(r'<select[^>]* name="([^"]*)".*?>(.*?)</select>', page, re.S):
        options = re.findall(r'<option value="([^"]*)"([^>]*)>', inner)
        fields[name] = html.unescape(next((x for x, more in options if "selected" in more), options[0][0]))
    return fields
