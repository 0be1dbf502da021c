"""The rules of any game in short, for a prompt.

They come from what every game's package has already, so that a new game needs no text of its own for them: the
introduction and the rewards of its documentation page, the options with their meanings, and how the text of a seat is
read: the docstring of the module that writes it, or the meanings of the view's parts. Without a page the rules are
those of RULES.md.
"""

import re
from importlib.resources import files
from typing import Any

from kozyr.envs import registry
from kozyr.envs.core.game import Game

_LONGEST = 20_000  # characters of RULES.md
_AT_RULES = re.compile(r"\s*`RULES\.md`[^.]*(?:\.(?!\s|$)[^.]*)*\.(?=\s|$)")  # the sentence that leads to them
_PARAGRAPHS = re.compile(r" ?\(§[^)]*\)")  # which no reader of a prompt can look up
_EXAMPLE = "How a position is written (an example, not this game)"
_DERIVED = "The lines of what you know, and what they mean"


def told(game: Game, variant: Any, full: bool = False) -> str:
    """Return the rules of a variant.

    Args:
        game: what is played; variant: its options.
        full: tell RULES.md instead of the introduction.
    """
    page = getattr(registry.page(game.name), "__doc__", None) or ""
    sections = dict(_sections(page))
    short = "" if full else _AT_RULES.sub("", sections.get("", ""))
    rewards = sections.get("Rewards", "")
    reading = _DERIVED if game.text.derives("write_view") else _EXAMPLE
    parts = [
        ("The rules", short or _rules(game) or game.title),
        ("Rewards", rewards),
        ("Options of this game", _options(game, variant)),
        (reading, game.text.explain_view(variant)),
    ]
    return "\n\n".join(f"## {head}\n\n{body}" for head, body in parts if body)


def _sections(page: str) -> list[tuple[str, str]]:
    """Return the sections of a page by their headings, the first one as "" and without its table."""
    first, *others = page.split("\n### ")
    lines = [line for line in first.splitlines() if not line.startswith(("#", "|"))]
    found = [(head, body.strip()) for head, _, body in (one.partition("\n") for one in others)]
    return [("", "\n".join(lines).strip()), *found]


def _rules(game: Game) -> str:
    """Return RULES.md of a game's package, or ""."""
    try:
        return (files(game.package) / "RULES.md").read_text(encoding="utf-8")[:_LONGEST].strip()
    except (OSError, ModuleNotFoundError, TypeError):
        return ""


def _options(game: Game, variant: Any) -> str:
    """Return the options with their meanings, but for house rules that are not played."""
    told = [(name, value) for name, value in game.options(variant).items() if value is not False]
    return "\n".join(f"- {name} = {value}: {_PARAGRAPHS.sub('', game.fields[name].meaning)}" for name, value in told)
