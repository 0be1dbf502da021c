"""Games as TextArena's environments: `reset`, `get_observation`, `step(text)`, `close`, for one player and many.

    import textarena as ta
    from kozyr.agents.bridges import textarena_env

    textarena_env.register()
    env = ta.make("kozyr/durak-v0")

TextArena's own wrappers, agents and loops drive it. Needs the extra `[textarena]`.
"""

from secrets import randbits
from typing import Any

from kozyr import envs
from kozyr.agents.text.dialogue import Dialogue
from kozyr.agents.text.question import FORMS, LONG, SHORT
from kozyr.agents.text.text_agent import RETRIES
from kozyr.envs import registry
from kozyr.envs.core import install_hint
from kozyr.envs.environments import argument_checks

try:
    import textarena as ta
except ModuleNotFoundError as missing:
    raise ImportError(f"this needs TextArena: {install_hint.command('textarena')}") from missing

_SEATS = "players"  # the option of a variant that says how many sit at the table


class TextArenaEnv(ta.Env):
    """One game in TextArena's form.

    A seat's first observation has the rules, each later one what has happened since, as far as the seat may know it,
    what it knows now and its legal actions. An answer without a legal action is told to this seat only, and why. After
    `retries` more of them the seat loses. What a seat writes is shown to nobody else: it may think aloud.

    Args:
        game: its name; retries: answers without a legal action that a seat may give in a row.
        full_rules: write RULES.md in place of the rules in short.
        text: "long", or "short" for few characters.
        **variant: fields of the game's variant; `reset` sets the number of players where the game has a choice.

    Raises:
        ValueError: for an unknown game or an impossible variant.
    """

    def __init__(
        self, game: str, retries: int = RETRIES, full_rules: bool = False, text: str = LONG, **variant: Any
    ) -> None:
        self.game = envs.game(game)
        self.options = variant
        self._how: dict[str, Any] = {
            "retries": argument_checks.count("retries", retries, 0),
            "full_rules": full_rules,
            "text": argument_checks.choice("text", text, FORMS),
        }
        self.game.make_variant(**variant)

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Begin a game.

        Args:
            num_players: how many play; seed: of the deal, or None: it is drawn.

        Raises:
            ValueError: if so many cannot play.
        """
        options = dict(self.options)
        if _SEATS in self.game.fields:
            options.setdefault(_SEATS, num_players)
        variant = self.game.make_variant(**options)
        if self.game.seats(variant) != num_players:
            raise ValueError(f"{self.game.id} is for {self.game.seats(variant)} players here, not {num_players}")
        self.dialogue = Dialogue(self.game, variant, randbits(63) if seed is None else seed, **self._how)
        self.state: Any = ta.State(num_players=num_players)
        roles = {seat: f"player_{seat}" for seat in range(num_players)}
        self.state.standard_resets(game_state={}, role_mapping=roles)
        for seat in range(num_players):
            self._tell(seat, self.dialogue.rules(seat), ta.ObservationType.PROMPT)
        self._go_on()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Take the answer of the player to move; return whether the game is over, and the problem of the answer."""
        seat, state = self.dialogue.turn, self.state
        why = self.dialogue.answer(action)
        if why:
            self._tell(seat, f"This answer does not count: {why}.", ta.ObservationType.GAME_ADMIN)
        else:
            state.game_info[seat]["turn_count"] += 1
        state.step_info = {"illegal": why} if why else {}
        self._go_on()
        return state.step()

    def _go_on(self) -> None:
        """Show the news to the seat to move, or end."""
        dialogue, state = self.dialogue, self.state
        if dialogue.over:
            self._end()
            return
        state.current_player_id = seat = dialogue.turn
        news = dialogue.news(seat)
        if self._how["text"] == SHORT:
            self._tell(seat, dialogue.ask(news), ta.ObservationType.GAME_BOARD)
            return
        for event in news:
            self._tell(seat, str(event), ta.ObservationType.GAME_ACTION_DESCRIPTION)
        self._tell(seat, dialogue.ask(), ta.ObservationType.GAME_BOARD)

    def _end(self) -> None:
        """Tell everybody the end of the game and the payoffs."""
        dialogue, state = self.dialogue, self.state
        record = dialogue.table.record
        state.done, state.rewards = True, dict(enumerate(dialogue.payoffs))
        for seat, info in state.game_info.items():
            info |= {"reason": dialogue.reason, "invalid_move": record.forfeit == seat}
            for event in dialogue.news(seat):
                self._tell(seat, str(event), ta.ObservationType.GAME_MESSAGE)

    def _tell(self, seat: int, message: str, kind: Any) -> None:
        self.state.add_observation(to_id=seat, message=message, observation_type=kind)


def register() -> list[str]:
    """Let `textarena.make` find all games, as "kozyr/durak-v0", and return their names; again it changes nothing.

    The environments come with TextArena's LLMObservationWrapper, "kozyr/durak-v0-raw" without.
    """
    from textarena.envs.registration import ENV_REGISTRY, register_with_versions
    from textarena.wrappers import LLMObservationWrapper

    wrappers = {"default": [LLMObservationWrapper], "-raw": []}
    names = {registry.pettingzoo_id(game): game for game in envs.games()}
    for name, game in names.items():
        if name not in ENV_REGISTRY:
            register_with_versions(id=name, entry_point=TextArenaEnv, wrappers=wrappers, game=game)
    return list(names)
