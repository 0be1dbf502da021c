"""Short texts: nothing is missing that the long ones tell, nothing hidden is in them, and they are short."""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest

from kozyr import agents, envs
from kozyr.agents import agent_names
from kozyr.agents.text.budget import TABLE, budget, table
from kozyr.agents.text.dialogue import dialogue
from kozyr.agents.text.question import QuestionWriter
from kozyr.agents.text.text_agent import TextAgent
from tests.contract import variants
from tests.contract.table import Table
from tests.contract.test_blind import real_pairs, whole
from tests.docs import pages

GAMES = ("daifugo", "draw_poker", "durak", "mnk", "war")
EACH = pytest.mark.parametrize("name", GAMES)
CARD = re.compile(r"\b([2-9TJQKA])[CDHS]\b")


def situations(name: str) -> Iterator[Table]:
    """Give positions of random games over random variants, and their ends."""
    game = envs.game(name)
    for number, v in enumerate(variants.drawn(game, 9, seed=5)):
        one = Table(game, v, seed=number)
        for ply, _ in enumerate(one.walk(number, plies=300)):
            if ply % 13 == 0 or one.over:
                yield one


def content(name: str, long: str) -> str:
    """Return a long text without what decides nothing: the suits of War."""
    if name != "war":
        return long
    lines = [CARD.sub(r"\1", line) for line in long.splitlines()]
    return "\n".join([*lines[:3], *(" ".join(sorted(line.split())) for line in lines[3:])])


def neighbours(game: Any, v: Any, view: Any, rng: Any) -> Iterator[Any]:
    """Give views that differ from a view in one entry, some in each of its parts but the turn, which is one's own."""
    for part, span in game.parts(v).spans().items():
        if span.stop > span.start and part != "turn":
            for _ in range(3):
                other = view.copy()
                other[rng.integers(span.start, span.stop)] = rng.integers(0, game.parts.declared[part].top(v) + 1)
                yield other


@EACH
def test_it_tells_apart_what_the_long_text_tells_apart(name: str) -> None:
    """Change any entry of a view: where the long text changes, the short one does."""
    game, rng, told_apart = envs.game(name), np.random.default_rng(1), 0
    for one in situations(name):
        write, short = game.text.write_view, game.text.write_short
        view = one.view(0)
        for other in neighbours(game, one.v, view, rng):
            try:
                longs = [content(name, write(one.v, each, 0)) for each in (view, other)]
            except (IndexError, KeyError, ValueError):  # no view of any game
                continue
            if longs[0] != longs[1]:
                assert short(one.v, view, 0) != short(one.v, other, 0), longs
                told_apart += 1
    assert told_apart > 200


@EACH
def test_it_says_whose_turn_it_is_but_ones_own(name: str) -> None:
    game = envs.game(name)
    for one in situations(name):
        for seat in range(one.seats):
            text = game.text.write_short(one.v, one.view(seat), seat)
            assert ("over" in text) == one.over
            if not one.over and one.turn != seat and name != "mnk":
                assert f"p{one.turn} to " in text
            if one.turn == seat and np.count_nonzero(one.mask()) > 1:
                assert not re.search(r" to (move|choose|flip)", text)


@EACH
def test_hidden_cards_do_not_change_it(name: str) -> None:
    """Swap what a seat cannot know: its whole question stays the same, to the letter."""
    game, swapped = envs.game(name), 0
    for one, other in islice(real_pairs(game), 200):
        writing = QuestionWriter(game, one.v, text="short")
        if one.turn == 0:
            asked = [writing.question(0, each.view(0), each.mask(), ()).prompt for each in (one, other)]
            assert asked[0] == asked[1]
        else:
            assert game.text.write_short(one.v, one.view(0), 0) == game.text.write_short(other.v, other.view(0), 0)
        swapped += whole(one) != whole(other)
    assert swapped or name == "mnk"


def cells(view: str, legal: str) -> set[str]:
    assert legal == "any ."
    rows = [line.split()[0] for line in view.splitlines()[2:]]
    return {
        f"{'abcdefghijklmnopqrstuvwxy'[j]}{i + 1}" for i, row in enumerate(rows) for j, c in enumerate(row) if c == "."
    }


def cards(view: str, legal: str) -> set[str]:
    mine = view.partition(";")[0].replace("*", "").split()[1:]
    if legal == "any card":
        return set(mine)
    return set(legal.split(", ") if "transfer" in legal else legal.replace(",", "").split())


def bets(view: str, legal: str) -> set[str]:
    legal = re.sub(r" \([^)]*\)", "", legal)  # the cards that are discarded
    if match := re.fullmatch(r"discard none, or discard and any places from 1 to (\d), as: .*", legal):
        size = int(match[1])
        subsets = [[i + 1 for i in range(size) if subset >> i & 1] for subset in range(1 << size)]
        return {f"discard {' '.join(map(str, subset)) or 'none'}" for subset in subsets}
    if match := re.fullmatch(r"fold, call, raise (\d+) to (\d+)", legal):
        return {"fold", "call", *(f"raise {k}" for k in range(int(match[1]), int(match[2]) + 1))}
    return set(legal.split(", "))


def words(view: str, legal: str) -> set[str]:
    return set(legal.split(", ") if "," in legal else legal.split(" "))


READ: dict[str, Callable[[str, str], set[str]]] = {"mnk": cells, "durak": cards, "draw_poker": bets}


@EACH
def test_its_line_of_legal_actions_says_just_those(name: str) -> None:
    game = envs.game(name)
    for one in situations(name):
        if one.over or np.count_nonzero(one.mask()) < 2:
            continue
        writing = QuestionWriter(game, one.v, text="short")
        question = writing.question(one.turn, one.view(one.turn), one.mask(), (), None)
        view, _, legal = question.prompt.rpartition("\nlegal: ")
        spoken = {re.sub(r" \(.*\)$", "", each) for each in question.reader.legal}
        if name == "daifugo" and one.v.suits and "," not in legal:
            assert len(spoken) > 1
            continue
        assert {each.lower() for each in READ.get(name, words)(view, legal)} == spoken
        for each, action in question.reader.legal.items():
            assert question.reader.read(each) == action


@EACH
def test_whole_games_are_played_by_it(name: str) -> None:
    options: dict[str, Any] = (
        {"pickup": "choice", "deck": 24} if name == "war" else {"m": 5, "n": 5, "k": 4} if name == "mnk" else {}
    )
    one, rng = dialogue(name, 4, text="short", **options), np.random.default_rng(2)
    while not one.over:
        prompt = one.ask(one.news(one.turn))
        assert "player_" not in prompt
        assert "##" not in prompt
        each = one.legal()
        assert one.answer(f"So be it.\n{each[rng.integers(len(each))]}") == ""
    assert not one.legal()
    assert one.illegal == [0] * one.table.seats
    assert "player_" not in one.rules(0)


def test_rules_stand_once_and_name_what_the_variant_plays() -> None:
    one = dialogue("durak", 1, text="short", players=3, transfer=True, deck=36)
    assert "36 cards, 6 to A" in one.rules(2)
    assert "transfer: the defender may pass an attack on" in one.rules(2)
    assert one.rules(2).startswith("You are p2. ")
    assert "last line is your action" in one.rules(0)
    assert "last line" not in one.ask()
    whole_rules = dialogue("durak", 1, text="short", full_rules=True)
    assert len(whole_rules.rules(0)) > 5000
    assert whole_rules.ask() == dialogue("durak", 1, text="short").ask()


def test_news_of_others_stand_in_one_line_and_forced_flips_do_not() -> None:
    one = dialogue("mnk", 1, 0, text="short", m=3, n=3, k=3)
    one.answer("b2")
    assert one.ask(one.news(1)).splitlines()[:2] == ["new: p0 b2", "you O"]
    war, rng = dialogue("war", 3, text="short", pickup="choice"), np.random.default_rng(1)
    for _ in range(10):
        assert "flip" not in war.ask(war.news(war.turn))
        war.answer(war.legal()[rng.integers(4)])


@pytest.mark.long
def test_a_seat_reads_at_most_a_quarter() -> None:
    for name, variant in TABLE:
        long, short = (budget(name, text, games=20, **variant) for text in ("long", "short"))
        assert short.questions == long.questions
        assert short.mean <= long.mean / 4, name


def test_the_page_shows_the_table_that_the_command_prints() -> None:
    page = (pages.ROOT / "docs" / "howto" / "language_models.md").read_text(encoding="utf-8")
    assert table() in page


def test_a_budget_counts_by_any_measure() -> None:
    by_words = budget("mnk", text="short", games=2, count=lambda text: len(text.split()), m=3, n=3, k=3)
    by_letters = budget("mnk", text="short", games=2, m=3, n=3, k=3)
    assert by_words.mean < by_letters.mean / 2
    assert by_letters.rules < by_letters.mean <= by_letters.most


def test_agents_get_it_by_name_and_by_argument() -> None:
    seen = list[str]()

    def ask(prompt: str) -> str:
        seen.append(prompt)
        return "pass"

    game = envs.game("durak")
    v = game.make_variant()
    one = Table(game, v, seed=1)
    list(one.walk(1, plies=5))
    while np.count_nonzero(one.mask()) < 2 or not one.mask()[-1]:
        list(one.walk(int(one.s.ply), plies=1))
    TextAgent(ask, "durak", text="short").act(one.view(one.turn), one.mask())
    assert seen[0].startswith("You are p0. Durak")
    assert "legal: " in seen[0]
    with pytest.raises(ValueError, match="text='brief' is not allowed: choose one of 'long', 'short'"):
        TextAgent(ask, "durak", text="brief")


def test_a_game_without_short_texts_of_its_own_gets_derived_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    from kozyr.envs.core.text import SHORT_FORMS, Texts

    game = envs.game("durak")
    v = game.make_variant()
    bare = Texts(game)
    assert all(bare.derives(form) for form in SHORT_FORMS)
    one = Table(game, v, seed=2)
    text = bare.write_short(v, one.view(0), 0)
    assert "discard" not in text  # nothing is discarded yet
    assert "hand: " in text
    assert len(text) < len(bare.write_view(v, one.view(0), 0))


def test_a_name_and_the_environment_ask_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    name = agent_names.parse("llm:m@temperature=0.5,text=short")
    assert str(name) == "llm:m@temperature=0.5,text=short"
    assert agents.load(str(name), "durak").writing.short
    assert not agents.load("llm:m", "durak").writing.short
    monkeypatch.setenv("KOZYR_LLM_TEXT", "short")
    assert agents.load("llm:m", "durak").writing.short
    assert not agents.load("llm:m@text=long", "durak").writing.short
    with pytest.raises(ValueError, match="text='brief' is not allowed: text is long or short"):
        agent_names.parse("llm:m@text=brief")
