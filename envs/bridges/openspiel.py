"""Any game as a game of OpenSpiel, so that its search, solvers, best responses and checks run on it.

    from kozyr.envs.bridges import openspiel

    game = openspiel.load("daifugo", players=2, ranks=2, joker=False)

Where chance can be listed the deal is a chance node with all its outcomes, and so is every later draw; else it is
sampled. A seat's information state is all views that it has had and all actions that it has chosen: a name of them, and
a tensor where it is not too large. Its observation is its view, each entry divided by the highest it can be.

Games and states can be pickled, copied and sent to other processes, and with them solvers and policies of OpenSpiel.
Another process begins with the same sampled chance: give each a `seed` of its own.
"""

from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from kozyr import envs
from kozyr.envs.bridges.openspiel_observer import BEFORE, Observer, known, tells_history
from kozyr.envs.core import install_hint
from kozyr.envs.core.capabilities import perfect_information
from kozyr.envs.environments.game_tree import AUTO, Draw, Moment, Rules, path, rules
from kozyr.envs.environments.illegal import in_words
from kozyr.envs.loops.chance_outcomes import MOST

PREFIX = "kozyr_"  # of the games' names in OpenSpiel
_OWN = {"chance": AUTO, "first": -1, "seed": 0}  # parameters that are no fields of the variant


def load(name: str, chance: str = AUTO, first: int = -1, seed: int = 0, **variant: Any) -> Any:
    """Return a game as a `pyspiel.Game`; `pyspiel.load_game("kozyr_mnk(m=3,n=3,k=3)")` works after the first call.

    Args:
        name: a name from `kozyr.envs.games()`.
        chance: "explicit", "sampled", "dealt" (sampled at the deal, from which all later chance follows), or "auto":
            explicit where all deals can be listed, else sampled.
        first: the seat that begins, or −1 to let chance draw it.
        seed: of sampled chance.
        **variant: fields of the game's variant.

    Raises:
        ImportError: naming the extra to install, without OpenSpiel 2.0.
        ValueError: for an unknown game or variant, or explicit chance that can do too much.
    """
    game = envs.game(name)
    parameters = {"chance": chance, "first": first, "seed": seed, **game.options(game.make_variant(**variant))}
    return _classes()[game.name](parameters)


def state_of(game: Any, record: Any) -> Any:
    """Return a state of OpenSpiel for a record [1] of a game that `load` made; it has no past."""
    state = game.new_initial_state()
    state.at = Moment(game.rules, record.copy(), None, -1, 0)
    return state


def game_of(name: str, parameters: dict[str, Any]) -> Any:
    """Return a game by its name and all its parameters, as unpickling does."""
    return _classes()[name](parameters)


def state_after(game: Any, at: Any, offset: int, actions: list[int]) -> Any:
    """Return a state with its past, as unpickling does.

    Args:
        game: the game; at: the node that the state is at; offset: the player in the seat 0 of that node.
        actions: all that were applied to the state, outcomes of chance too.
    """
    line = path(at, len(actions))
    state = game.new_initial_state()
    state.at, state.offset = line[0], offset
    for action, after in zip(actions, line[1:], strict=True):
        state.coming = after
        state.apply_action(action)
    return state


def library() -> ModuleType:
    """Return pyspiel with our games registered.

    Raises:
        ImportError: naming the extra to install.
    """
    _classes()
    return _pyspiel()


def _pyspiel() -> Any:
    """Return pyspiel, new enough."""
    try:
        import pyspiel  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise ImportError(f"this needs OpenSpiel 2.0 or newer: {install_hint.command('openspiel')}") from error
    return pyspiel


def _after(at: Moment | Draw, action: int) -> Moment | Draw:
    """Return the successor by an outcome of chance, or by an action of the seat to move.

    Raises:
        ValueError: for an action that is not legal, with the position.
    """
    if isinstance(at, Draw):
        return at.follow(action)
    if action not in at.legal():
        its, mask = at.rules, np.zeros(at.rules.actions, np.int8)
        mask[at.legal()] = 1
        raise ValueError(in_words(its.game, its.variant, at.state[0], action, "it is not legal here", mask))
    return at.play(action)


def _position_text(at: Moment | Draw) -> str:
    """Return the text of the newest position, and what was done there if chance has yet to answer."""
    last = known(at)
    if last is None:
        return BEFORE
    text = last.rules.game.text.write(last.rules.variant, last.state[0])
    return f"{text}\nbefore chance, action {at.action}" if isinstance(at, Draw) else text


def _state_class(pyspiel: Any) -> Any:
    """Return the class of our states; what it derives from exists only once pyspiel is imported."""

    class State(pyspiel.State):
        """A history of one of our games.

        Attributes:
            at: the node of the game tree.
            offset: the player in the node's seat 0, which is 0 but in imagined worlds.
            coming: the node that the next action leads to, whatever it is; None: the rules say.
        """

        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.at: Any = game.rules.begin()
            self.offset, self.coming = 0, None

        def __reduce__(self) -> tuple[Any, ...]:
            return state_after, (self.get_game(), self.at, self.offset, self.history())

        def __deepcopy__(self, memo: Any) -> Any:
            return self.clone()

        def seat(self, player: int) -> int:
            """Return the node's seat of a player."""
            return (player - self.offset) % self.num_players()

        def resample_from_infostate(self, player: int, probability_sampler: Any = None) -> Any:
            """Return a state that a player cannot tell from this one, drawn by the game's `imagine`; it has no past.

            Args:
                player: whose information state it has, text and tensor too.
                probability_sampler: not asked: the game's `seed` fixes the worlds, so that a search can be repeated.

            Raises:
                ValueError: if chance is to move.
            """
            if isinstance(self.at, Draw):
                raise ValueError("chance is to move: imagine worlds after it")
            state = self.get_game().new_initial_state()
            state.at, state.offset = self.at.imagined(self.seat(player)), player
            return state

        def current_player(self) -> int:
            """Return the seat to move, chance, or the end."""
            if isinstance(self.at, Draw):
                return pyspiel.PlayerId.CHANCE
            turn = self.at.turn
            return (turn + self.offset) % self.num_players() if turn >= 0 else pyspiel.PlayerId.TERMINAL

        def _legal_actions(self, player: int) -> list[int]:
            return self.at.legal()

        def chance_outcomes(self) -> list[tuple[int, float]]:
            """Return every outcome with its chance."""
            chances: list[float] = self.at.chances()
            return list(enumerate(chances))

        def _apply_action(self, action: int) -> None:
            self.at, self.coming = _after(self.at, action) if self.coming is None else self.coming, None

        def _action_to_string(self, player: int, action: int) -> str:
            if player == pyspiel.PlayerId.CHANCE:
                return f"chance {action}"
            at = self.at
            return at.rules.game.text.say(at.rules.variant, at.state[0], action)

        def is_terminal(self) -> bool:
            """Return True if the game is over."""
            return isinstance(self.at, Moment) and self.at.turn < 0

        def returns(self) -> list[float]:
            """Return the payoffs, zeros before the end."""
            if not self.is_terminal():
                return [0.0] * self.num_players()
            payoffs: list[float] = self.at.payoffs()
            return [payoffs[self.seat(player)] for player in range(self.num_players())]

        def __str__(self) -> str:
            note = f"an imagined world, in which player {self.offset} is player_0\n" if self.offset else ""
            return note + _position_text(self.at)

    return State


def _game_class(pyspiel: Any, states: Any) -> Any:
    """Return the class of our games, whose histories are of the class `states`."""

    class Game(pyspiel.Game):
        """One of our games and variants."""

        name: str

        def __init__(self, params: Any = None) -> None:
            parameters = {**_defaults(self.name), **dict(params or {})}
            fields = tuple((key, x) for key, x in parameters.items() if key not in _OWN)
            self.rules: Rules = rules(self.name, parameters["chance"], parameters["first"], parameters["seed"], fields)
            super().__init__(_type(pyspiel.GameType, self.rules), _info(pyspiel, self.rules), parameters)

        def __reduce__(self) -> tuple[Any, ...]:
            return game_of, (self.name, self.get_parameters())

        def __deepcopy__(self, memo: Any) -> Any:
            return self  # it never changes

        def new_initial_state(self, text: str | None = None) -> Any:
            """Return the beginning."""
            if text is not None:
                raise ValueError("a game begins with its deal, not with a text")
            return states(self)

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
            """Return an observer of views, or of histories if recall is asked for."""
            if params:
                raise ValueError(f"an observer has no parameters, not {params}")
            return Observer(self, iig_obs_type is not None and iig_obs_type.perfect_recall)

    return Game


@cache
def _classes() -> dict[str, Any]:
    """Return the class of every game by name, and register them with OpenSpiel."""
    pyspiel = _pyspiel()
    plain = _game_class(pyspiel, _state_class(pyspiel))
    classes = {name: type(name, (plain,), {"name": name}) for name in envs.games()}
    for name, game in classes.items():  # classes, for OpenSpiel lets go of what is registered after Python's end
        its = envs.game(name)
        kind = _kind(pyspiel.GameType, name, "SAMPLED_STOCHASTIC", its.make_variant(), its.payoff_sum, recalls=True)
        pyspiel.register_game(kind, game)
    return classes


def _defaults(name: str) -> dict[str, Any]:
    """Return every parameter of a game in OpenSpiel with its default."""
    its = envs.game(name)
    return {**_OWN, **its.options(its.make_variant())}


def _type(kinds: Any, its: Rules) -> Any:
    """Return the type of a variant as OpenSpiel sees it."""
    mode = "EXPLICIT_STOCHASTIC" if its.explicit else "SAMPLED_STOCHASTIC"
    still = isinstance(its.begin(), Moment) and not its.chance.draws
    mode = "DETERMINISTIC" if still else mode
    return _kind(kinds, its.game.name, mode, its.variant, its.game.payoff_sum, tells_history(its))


def _kind(kinds: Any, name: str, mode: str, variant: Any, total: float, recalls: bool) -> Any:
    """Return the type of a game; `recalls` says if information states have tensors."""
    information, open_ = kinds.Information, perfect_information(variant)
    return kinds(
        short_name=f"{PREFIX}{name}",
        long_name=envs.game(name).title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=getattr(kinds.ChanceMode, mode),
        information=information.PERFECT_INFORMATION if open_ else information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if total == 0 else kinds.Utility.CONSTANT_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=10,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=recalls,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_defaults(name),
        default_loadable=True,
    )


def _info(pyspiel: Any, its: Rules) -> Any:
    """Return the sizes of a variant as OpenSpiel wants them."""
    outcomes = 1
    if its.explicit:
        outcomes = MOST if its.chance.draws else len(its.deals[0])
    return pyspiel.GameInfo(
        num_distinct_actions=its.actions,
        max_chance_outcomes=outcomes,
        num_players=its.seats,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=its.game.payoff_sum,
        max_game_length=its.game.bound(its.variant),
    )
