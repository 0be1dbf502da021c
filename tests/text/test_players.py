"""Functions from prompts to answers play whole games, hear what their seats may hear, and nothing else."""

from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.agents.player import play
from kozyr.agents.text import Answer, TextAgent, TextError
from kozyr.envs import registry
from kozyr.envs.environments.illegal import OnIllegal
from kozyr.envs.loops import tables
from kozyr.envs.table.table import Table

from .stub import legal

GAMES = [
    ("durak", {"players": 3, "transfer": True}),
    ("daifugo", {"rounds": 2, "exchange": True}),
    ("draw_poker", {"episode": "tournament", "stack": 20}),
    ("mnk", {"m": 5, "n": 6, "k": 4}),
    ("war", {"pickup": "choice", "deck": 24}),
]
all_games = pytest.mark.parametrize(("game", "options"), GAMES, ids=[game for game, _ in GAMES])


class Model:
    """A scripted model: it draws among the actions that its prompts list, and keeps the prompts."""

    def __init__(self, seed: int = 1) -> None:
        self.prompts: list[str] = []
        self._rng = np.random.default_rng(seed)

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        words = legal(prompt)
        return f"It could be anything, so I draw.\n\n**Action:** {words[self._rng.integers(len(words))]}\n"


@all_games
def test_whole_games(game: str, options: dict[str, Any]) -> None:
    it, models = envs.game(game), [Model(seed) for seed in range(8)]
    v = it.make_variant(**options)
    for seed in range(3):
        table = Table(it, v, seed)
        seats = [TextAgent(model, game, retries=0, **options).new_player() for model in models[: table.seats]]
        payoffs = play(table, seats)
        assert payoffs == table.payoffs
        assert sum(payoffs) == pytest.approx(it.payoff_sum, abs=1e-5)
        assert sum(seat.usage.answers for seat in seats) + forced(table) == table.ply
    assert all(model.prompts for model in models[: it.seats(v)])


def forced(table: Table) -> int:
    """Return how many decisions of a game had one legal action: nobody is asked for those."""
    again, found = Table(table.game, table.variant, table.seed, table.starter), 0
    for action in table.record.actions:
        found += int(again.mask.sum() == 1)
        again.play(action)
    return found


@all_games
def test_a_prompt_tells_what_its_seat_may_know(game: str, options: dict[str, Any]) -> None:
    it, model = envs.game(game), Model()
    table = Table(it, it.make_variant(**options), 5)
    asked: list[tuple[str, list[str]]] = []

    class Witness:
        """Keeps what the table itself says at each decision."""

        def __call__(self, prompt: str) -> str:
            seat = table.turn
            words = [it.text.say(table.variant, table.states[0], int(a), seat) for a in np.flatnonzero(table.mask)]
            asked.append((table.text(seat), words))
            assert f"as player_{seat}," in prompt
            return model(prompt)

    play(table, [TextAgent(Witness(), game, **options).new_player() for _ in range(table.seats)])
    for prompt, (text, words) in zip(model.prompts, asked, strict=True):
        assert f"\n\n## What you know\n\n{text}\n\n" in prompt
        assert legal(prompt) == words


@all_games
def test_prompts_are_blind(game: str, options: dict[str, Any]) -> None:
    """In a position with other hidden cards, and after the same events, a seat is asked the same."""
    it = envs.game(game)
    v, apart = it.make_variant(**options), 0
    for seed in range(4):
        model = Model(seed)
        table = Table(it, v, seed)
        agent = TextAgent(model, game, **options)
        while not table.over and table.ply < 150:
            seat, view, mask = table.turn, table.view(table.turn), table.mask
            if mask.sum() > 1:
                swapped = [np.zeros(1, it.layout(v)) for _ in range(2)]
                for luck, states in enumerate(swapped):
                    tables.guess(v, view, luck, states)  # seat 0 is the one that looks there
                apart += it.text.write(v, swapped[0][0]) != it.text.write(v, swapped[1][0])
                agent.reset(0, 0)
                for states in swapped:
                    agent.act(it.view(v, states[0], 0), mask)
                assert model.prompts[-1] == model.prompts[-2]
            table.play(int(np.random.default_rng([seed, table.ply, seat]).choice(np.flatnonzero(mask))))
    assert (apart > 0) == (game != "mnk")


def test_events_are_told_as_the_seat_hears_them_and_once() -> None:
    """In poker the others hear how many cards a seat exchanges, and not which."""
    it, models = envs.game("draw_poker"), [Model(seed) for seed in range(3)]
    for seed in range(20):
        table = Table(it, it.make_variant(players=3), seed)
        play(table, [TextAgent(model, "draw_poker", players=3).new_player() for model in models])
    for seat, model in enumerate(models):
        heard = [line for prompt in model.prompts for line in happened(prompt)]
        others = [line for line in heard if "discard" in line and not line.startswith(f"player_{seat}")]
        assert others
        assert all("(" not in line for line in others)
        assert not any(line.startswith(f"player_{seat}:") for line in heard)  # its own answers it knows


def happened(prompt: str) -> list[str]:
    """Return the events that a prompt tells."""
    found = prompt.partition("## What happened since your last move\n\n")[2]
    return found.partition("\n\n")[0].splitlines()


def test_every_event_is_told_once_and_in_order() -> None:
    model = Model(3)
    table = Table(envs.game("durak"), envs.game("durak").make_variant(), 8)
    play(table, [TextAgent(model, "durak").new_player(), lambda view, mask: int(mask.argmax())])
    told = [line for prompt in model.prompts for line in happened(prompt)]
    due = [str(event.as_text()) for event in table.events()]
    mine = iter(due)
    assert all(line in mine for line in told)  # in the same order
    others = [line for line in due if line.startswith("player_1: ")]
    left = others[len([line for line in told if line.startswith("player_1: ")]) :]
    assert len(left) <= 6  # what came after its last move


def test_many_events_are_cut() -> None:
    v = envs.game("war").make_variant(pickup="choice")
    model, table = Model(), Table(envs.game("war"), v, 3)
    play(table, [TextAgent(model, "war", pickup="choice").new_player(), lambda view, mask: int(mask.argmax())])
    longest = max((happened(prompt) for prompt in model.prompts), key=len)
    assert len(longest) <= 61


@pytest.mark.parametrize("retries", [0, 1, 2])
def test_retries_are_told_why_and_end(retries: int) -> None:
    prompts: list[str] = []

    def stubborn(prompt: str) -> str:
        prompts.append(prompt)
        return ("Hello!", "AS beats all.\nzz", "2C")[min(len(prompts), 3) - 1]

    agent = TextAgent(stubborn, "mnk", retries=retries, m=3, n=3, k=3)
    table = Table(agent.game, agent.variant, 1, 0)
    with pytest.raises(TextError, match=f"no legal action in {retries + 1} answer"):
        play(table, [agent, agent])
    assert agent.usage.illegal == agent.usage.answers == retries + 1 == len(prompts)
    assert agent.usage.retries == retries
    why = "This answer does not count: it holds no action"
    assert [why in prompt for prompt in prompts] == [False, *[True] * retries]
    assert all(prompt.startswith(prompts[0]) for prompt in prompts)
    for prompt, answer in zip(prompts[1:], ("Hello!", "zz"), strict=False):
        assert answer in prompt[len(prompts[0]) :]


def test_an_illegal_answer_is_told_and_mended() -> None:
    prompts: list[str] = []

    def taken(prompt: str) -> str:
        prompts.append(prompt)
        return "c3" if "does not count" in prompt else "b2"

    agent = TextAgent(taken, "mnk", m=3, n=3, k=3)
    table = Table(agent.game, agent.variant, 1, 0)
    table.apply(4)
    mask = table.mask
    assert agent.act(table.view(1), mask) == 8
    assert "This answer does not count: 'b2' is not legal now." in prompts[1]
    assert (agent.usage.illegal, agent.usage.retries, agent.usage.answers) == (1, 1, 2)


def test_who_errs_loses_the_game() -> None:
    agent = TextAgent(lambda prompt: "no idea", "durak", name="lost")
    table = Table(agent.game, agent.variant, 1, 0)
    assert play(table, [agent, lambda view, mask: int(mask.argmax())], on_illegal=OnIllegal.FORFEIT) == [-1.0, 1.0]


def test_one_that_fails_again_and_again_is_asked_no_more() -> None:
    calls: list[str] = []

    def broken(prompt: str) -> str:
        calls.append(prompt)
        raise OSError("the line is dead")

    agent = TextAgent(broken, "durak")
    table = Table(agent.game, agent.variant, 1, 0)
    for _ in range(5):
        with pytest.raises(OSError, match="the line is dead"):
            agent.act(table.view(0), table.mask)
    with pytest.raises(TextError, match="has failed 5 times in a row and is given up: OSError: the line is dead"):
        agent.act(table.view(0), table.mask)
    assert len(calls) == 5


def test_tokens_and_cost_are_counted() -> None:
    def counting(prompt: str) -> Answer:
        return Answer(legal(prompt)[0], 200, 3, 0.01)

    agent = TextAgent(counting, "durak")
    table = Table(agent.game, agent.variant, 1)
    seats = [agent.new_player(), agent.new_player()]
    play(table, seats)
    n = agent.usage.answers
    assert n == seats[0].usage.answers + seats[1].usage.answers > 10
    assert (agent.usage.prompt_tokens, agent.usage.completion_tokens) == (200 * n, 3 * n)
    assert agent.usage.cost == pytest.approx(0.01 * n)
    unknown = agent.usage + TextAgent(Model(), "durak").usage.__class__(answers=1, cost=None)
    assert unknown.cost is None
    assert unknown.columns()["Cost"] == "unknown"


def test_rules_in_short_in_full_and_of_a_game_without_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model()
    for whole, page in ((False, True), (True, True), (False, False)):
        if not page:
            monkeypatch.setattr(registry, "page", lambda game: None)
        agent = TextAgent(model, "durak", full_rules=whole)
        table = Table(agent.game, agent.variant, 1)
        agent.act(table.view(table.turn), table.mask)
    short, full, bare = model.prompts
    assert "whoever is left with cards at the end is the fool" in short
    assert "- deck = 52: cards in the deck" in short
    assert "§" not in short
    assert all("- **§5 Throwing in.**" in prompt for prompt in (full, bare))


@pytest.mark.parametrize("given", ["a name", 7, Model])
def test_what_is_no_function_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="is no function: give one that takes a prompt"):
        TextAgent(given, "durak")


def test_an_answer_that_is_no_text_is_refused() -> None:
    agent = TextAgent(lambda prompt: 7, "durak")  # pyright: ignore[reportArgumentType]
    table = Table(agent.game, agent.variant, 1)
    with pytest.raises(TextError, match="returns int: return the answer as a text"):
        agent.act(table.view(table.turn), table.mask)


def test_views_of_another_game_are_refused_in_words() -> None:
    model = Model()
    agent, other = TextAgent(model, "durak"), Table(envs.game("war"), envs.game("war").make_variant(), 1)
    with pytest.raises(ValueError, match="views of durak_v0"):
        agent.act(other.view(other.turn), other.mask)
    assert not model.prompts
