"""Form of a new table, made from a game's declared fields, and the problems of a form that was filled in.

Fields of the form: `set-NAME` for an option, `seat-K`, `budget-K` and `unit-K` for a seat, `clock-move`, `clock-game`,
`clock-increment`, `seed` and `sees`. A page that shows the form fills in `initial`; `read` takes what comes back.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kozyr.agents import names
from kozyr.agents.play.pages import opponents
from kozyr.agents.play.pages.languages import ENGLISH, Translator
from kozyr.agents.play.pages.opponents import ME, PERSON, Group
from kozyr.envs.core.game import Game
from kozyr.envs.core.labels import Phrase, PhraseError, phrase
from kozyr.envs.core.quote import quote
from kozyr.envs.core.variant import make
from kozyr.envs.environments import argument_checks
from kozyr.envs.table.clock import Clock

LONGEST = 60  # characters of anything that is filled in
CLOCK = ("move", "game", "increment")
SEES = {"public": "what all may know", "all": "everything"}
_ON = "on"  # what a browser sends for a box that is ticked


@dataclass(frozen=True)
class Option:
    """One option of a game as the form asks for it.

    Attributes:
        name: of the variant's field; meaning: of the option, in words.
        seats: whether it says how many seats there are.
        kind: "check", "choice" or "number".
        value: as filled in; choices: the possible values; low, high, step: of a number.
        problem: a sentence, or "".
    """

    name: str
    meaning: str
    kind: str
    value: str
    choices: tuple[str, ...] = ()
    low: str = ""
    high: str = ""
    step: str = ""
    problem: str = ""
    seats: bool = False


@dataclass(frozen=True)
class Rules:
    """A preset as the form offers it: its name, "" for the usual rules, and whether the form has its options."""

    name: str
    current: bool


@dataclass(frozen=True)
class Seat:
    """One seat as the form asks for it."""

    value: str
    budget: str
    unit: str
    problem: str = ""


class Problems(dict[str, str]):
    """Problems of a form by field, in English; `phrases` are those that can be translated."""

    def __init__(self) -> None:
        super().__init__()
        self.phrases = dict[str, Phrase]()

    def note(self, key: str, error: ValueError) -> None:
        """Add the problem of a field."""
        self[key] = str(error)
        if isinstance(error, PhraseError):
            self.phrases[key] = error.args


@dataclass
class Form:
    """A form as it was filled in, with its problems.

    Attributes:
        game: of the table; options, seats: as they are asked for; groups: of occupants that may take a seat.
        rules: the usual ones, then the presets of others.
        values: the other fields as they were filled in.
        problems: sentences by field; "" is about the options together. phrases: of those that can be translated.
        no_policy: the reason why no bundled policy plays these options, or "".
        parts: of the table's configuration, if there are no problems.
    """

    game: Game
    options: list[Option]
    seats: list[Seat]
    groups: list[Group]
    rules: list[Rules]
    values: dict[str, str]
    problems: Problems = field(default_factory=Problems)
    no_policy: str = ""
    parts: dict[str, Any] | None = None

    @property
    def unfolded(self) -> bool:
        """Whether to show all options: where one is wrong, or other than the rules that have a name."""
        wrong = any(not name or name.startswith("set-") for name in self.problems)
        return wrong or not any(one.current for one in self.rules)


def initial(game: Game, query: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a form that nobody has filled in, but for those of an address's query.

    The rules are those of the preset that the query names as `rules`, or the usual ones.

    Raises:
        ValueError: for a preset that there is not.
    """
    query = _cut(query)
    preset = query.pop("rules", "")
    rules = game.options(game.make_variant(**({"rules": preset} if preset else game.usual)))
    fields = {f"set-{name}": _written(value) for name, value in rules.items()}
    return fields | {"sees": "public", "seat-0": ME} | query


def usual(game: Game, level: str) -> dict[str, str]:
    """Return the fields of a form for me against players of one of `opponents.LEVELS`, by the usual rules.

    Raises:
        ValueError: for another level.
    """
    variant = game.make_variant(**game.usual)
    players = opponents.levels(game, variant)
    if level not in players:
        raise ValueError(f"{quote(level)} is no level: choose {', '.join(players)}")
    others = {f"seat-{k}": players[level] for k in range(1, game.seats(variant))}
    return initial(game, others)


def read(game: Game, filled: Mapping[str, str], extra_agents: tuple[str, ...] = ()) -> Form:
    """Return the form as it was filled in, with its problems and, if there are none, the parts of a configuration.

    Args:
        game: of the table.
        filled: the fields.
        extra_agents: names of agents on the command line.
    """
    filled = _cut(filled)
    chosen_values = {name: _typed(game, name, filled) for name in game.fields}
    problems = Problems()
    for name, value in chosen_values.items():
        _check_option(game, name, value, problems)
    variant = _variant(game, chosen_values, problems)
    sound = {name: value for name, value in chosen_values.items() if f"set-{name}" not in problems}
    likely = variant or make(game.variant, game.fields, sound)
    seats, occupants = _seats(game, likely, filled, extra_agents, problems)
    clock, seed = _clock(filled, problems), _seed(filled, problems)
    if filled.get("sees", "public") not in SEES:
        problems.note("sees", PhraseError("choose what those who watch may see"))
    values = {name: filled.get(name, "") for name in ("seed", "sees", *(f"clock-{one}" for one in CLOCK))}
    options = [_option(game, name, filled, problems) for name in game.fields]
    groups = opponents.occupant_groups(game, likely, extra_agents)
    form = Form(
        game, options, seats, groups, _rules(game, variant), values, problems, opponents.no_policy(game, likely)
    )
    if not problems:
        form.parts = {"options": game.options(variant), "seats": occupants, "clock": clock, "seed": seed}
        form.parts["sees"] = values["sees"] or "public"
    return form


def _cut(filled: Mapping[str, str]) -> dict[str, str]:
    return {name: value.strip()[:LONGEST] for name, value in filled.items()}


def _written(value: Any) -> str:
    """Return an option's value as a form holds it."""
    return (_ON if value else "") if isinstance(value, bool) else str(value)


def _typed(game: Game, name: str, filled: Mapping[str, str]) -> Any:
    """Return the value of an option in its own type, or the text if it is none."""
    text, default = filled.get(f"set-{name}", ""), game.variant._field_defaults[name]
    if isinstance(default, bool):
        return text == _ON
    if game.fields[name].choices:
        return text
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def _check_option(game: Game, name: str, value: Any, problems: Problems) -> None:
    """Note the problem of one option, whatever the others are, if it has one."""
    try:
        make(game.variant, game.fields, {name: value})
    except ValueError as error:
        it, value_text = game.fields[name], quote(str(value))
        listed = ", ".join([*it.choices, *map(str, it.numbers)])
        problems.note(f"set-{name}", error)
        problems.phrases[f"set-{name}"] = (
            phrase("{0} is not allowed here: choose one of {1}", value_text, listed)
            if listed
            else phrase(
                "{0} is not allowed here: write a number from {1} to {2}", value_text, f"{it.low:g}", f"{it.high:g}"
            )
        )


def _variant(game: Game, options: dict[str, Any], problems: Problems) -> Any:
    """Return the variant, or None and note the problem of the options together."""
    if problems:
        return None
    try:
        return game.make_variant(**options)
    except ValueError as error:
        problems[""] = str(error).removeprefix(f"{game.name}: ")
        return None


def _rules(game: Game, variant: Any) -> list[Rules]:
    """Return the usual rules and the presets of other rules; `variant` is what the form describes, or None."""
    ways = {"": game.make_variant(**game.usual)}
    for name in game.presets:
        if (preset := game.make_variant(rules=name)) not in ways.values():
            ways[name] = preset
    return [Rules(name, preset == variant) for name, preset in ways.items()]


def _option(game: Game, name: str, filled: Mapping[str, str], problems: Mapping[str, str]) -> Option:
    """Return an option as the form asks for it."""
    it, default, key = game.fields[name], game.variant._field_defaults[name], f"set-{name}"
    value, problem = filled.get(key, ""), problems.get(key, "")
    if isinstance(default, bool):
        return Option(name, it.meaning, "check", value, problem=problem)
    if it.choices or it.numbers:
        choices = it.choices or tuple(map(str, it.numbers))
        return Option(name, it.meaning, "choice", value, choices, problem=problem)
    return _number(game, name, isinstance(default, float), value, problem)


def _number(game: Game, name: str, real: bool, value: str, problem: str) -> Option:
    it = game.fields[name]
    step = "any" if real else "1"
    ends = [] if real else [make(game.variant, game.fields, {name: int(end)}) for end in (it.low, it.high)]
    seats = len({game.seats(end) for end in ends}) > 1
    return Option(name, it.meaning, "number", value, (), f"{it.low:g}", f"{it.high:.10g}", step, problem, seats)


def _seats(
    game: Game, variant: Any, filled: Mapping[str, str], extra_agents: tuple[str, ...], problems: Problems
) -> tuple[list[Seat], list[str]]:
    """Return the seats as they are asked for, and their occupants."""
    usual, seats, occupants = names(game.name)[-1], list[Seat](), list[str]()
    for k in range(game.seats(variant)):
        value = filled.get(f"seat-{k}") or (ME if k == 0 else usual)
        budget, unit = filled.get(f"budget-{k}", ""), filled.get(f"unit-{k}", "")
        unit = unit if unit == opponents.SIMULATIONS else opponents.MILLISECONDS
        try:
            occupants.append(opponents.occupant(value, budget, unit, game, variant, extra_agents))
        except ValueError as error:
            problems.note(f"seat-{k}", error)
        if value == ME and ME in occupants[:-1]:
            problems.note(
                f"seat-{k}",
                PhraseError("you have a seat already: give this one to a person with a link, or to an agent"),
            )
        seats.append(Seat(value, budget, unit, problems.get(f"seat-{k}", "")))
    return seats, occupants


def _clock(filled: Mapping[str, str], problems: Problems) -> Clock | None:
    """Return the clock, or None; a problem is noted."""
    move, game, increment = (filled.get(f"clock-{name}", "") for name in CLOCK)
    if not (move or game or increment):
        return None
    try:
        return Clock(_seconds(move), _seconds(game), _seconds(increment) or 0.0)
    except ValueError as error:
        problems.note("clock", error)
        return None


def _seconds(text: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        raise PhraseError("{0} is no number of seconds", quote(text)) from None


def _seed(filled: Mapping[str, str], problems: Problems) -> int:
    """Return the seed, drawn if none is wanted."""
    text = filled.get("seed", "")
    if not text:
        return secrets.randbits(63)
    try:
        return argument_checks.seed(int(text))
    except ValueError:
        problems.note(
            "seed",
            PhraseError("seed={0} is not allowed: it is a whole number from 0 on below 2⁶³, or nothing", quote(text)),
        )
        return 0


def problem(form: Form, key: str, translate: Translator) -> str:
    """Return the problem of a field in a language, in English where there is no translation; "" if it has none."""
    words = form.problems.phrases.get(key)
    if words is None or translate.language == ENGLISH:
        return form.problems.get(key, "")
    return translate(*words)


def people(occupants: list[str]) -> int:
    """Return the number of seats that need a link."""
    return occupants.count(PERSON)
