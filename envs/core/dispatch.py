"""The functions every game must have, chosen by the type of its variant, in Python and in compiled code."""

from collections.abc import Callable
from typing import Any, TypeVar

from kozyr.envs.compile import by_type, owns
from kozyr.envs.core import input_spec
from kozyr.envs.core.variant import general

F = TypeVar("F", bound=Callable[..., Any])
Rule = Callable[..., Any]

_RULES: dict[tuple[str, type | None], Rule] = {}


def generic(name: str, sentence: str, default: Rule | None = None) -> Rule:
    """Make a function that calls the one registered for the type of its first argument, the variant.

    `default` is called for variants of a type that nothing was registered for; without one that is a KeyError.
    Register before the first call: machine code is compiled, and kept, with what was registered then.
    """

    def call(variant: Any, *args: Any) -> Any:
        try:
            rule = _RULES[name, general(variant.__class__)]
        except KeyError:
            if default is None:
                raise
            rule = default
        return rule(variant, *args)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = sentence

    by_type(call, lambda variant_type: _RULES.get((name, variant_type and general(variant_type)), default))
    return call


def _no_faults(variant: Any, state: Any) -> bool:
    return True


def _open_result(variant: Any, state: Any, seat: int) -> bool:
    return False


def _no_scene(variant: Any, state: Any, seat: int, out: Any) -> None:
    pass


def _say(variant: Any, state: Any, action: int, row: Any) -> None:
    input_spec.press(row)


start = generic("start", "start(v, s, seed, starter): deal; `starter` −1 lets the seed draw who begins.")
legal = generic("legal", "legal(v, s, mask): mark what the seat to move may do; nothing once the game is over.")
play = generic("play", "play(v, s, action): apply an action that the caller knows to be legal.")
observe = generic("observe", "observe(v, s, seat, view): write what `seat` knows.")
imagine = generic("imagine", "imagine(v, view, seed, s): draw a full state that fits a view; its owner is seat 0.")
sound = generic("sound", "sound(v, s): tell whether a state has nothing lost, doubled or counted wrongly.", _no_faults)
has_result = generic(
    "has_result",
    "has_result(v, s, seat): tell whether the seat's payoff is certain, however the game goes on.",
    _open_result,
)
scene = generic("scene", "scene(v, s, seat, out): draw what `seat` knows; see `kozyr.envs.pictures.scene`.", _no_scene)
elements = generic(
    "elements", "elements(v, s, action, row): tell how a person makes a legal action; see `choice`.", _say
)
decide = generic("decide", "decide(v, level, view, mask, g): return the action of the scripted bot `level` ≥ 1.")


def rule_of(function: Rule, variant_type: type) -> Rule:
    """Return the rules function that is registered as `function` for a type of variant."""
    return _RULES[function.__name__, general(variant_type)]


def is_defined(function: Rule, variant: object) -> bool:
    """Return True if a variant's game has a rule of its own for a function that has a default."""
    return (function.__name__, general(type(variant))) in _RULES


def implements(function: Rule, variant_type: type) -> Callable[[F], F]:
    """Register a rules function as `function` for the game whose variant is a `variant_type`."""

    def register(rule: F) -> F:
        owns(variant_type)
        _RULES[function.__name__, variant_type] = rule
        return rule

    return register


def implement_if_missing(function: Rule, variant_type: type, rule: Rule) -> None:
    """Register `rule` as `function` for a game that has no rule of its own for it."""
    _RULES.setdefault((function.__name__, variant_type), rule)
