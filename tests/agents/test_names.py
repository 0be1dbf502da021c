"""Names of agents: what is written is read back, and whatever is no name is refused in one sentence."""

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kozyr import agents, envs
from kozyr.agents.agent_names import AgentClass, AgentName, HubPolicy, Name, PolicyFile, parse

WORDS = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True)
MODULES = st.from_regex(r"[a-z_][a-z0-9]{0,4}[A-Z](\.[A-Za-z_]{1,5})?", fullmatch=True)  # a capital: no game's name
FILES = st.builds(
    lambda folder, name, end: PolicyFile(folder + name + end),
    st.sampled_from(["", "/", "runs/", "./a+b/", "C:\\a+b\\", "durak:"]),
    WORDS,
    st.sampled_from([".onnx", ".npz"]),
)
CLASSES = st.builds(AgentClass, MODULES, st.from_regex(r"[A-Z][A-Za-z0-9_]{0,5}", fullmatch=True))
HUB = st.builds(
    lambda owner, name, revision: HubPolicy(f"{owner}/{name}", revision),
    st.from_regex(r"[a-z0-9_]([a-z.][a-z0-9]){0,3}", fullmatch=True),
    st.from_regex(r"[A-Z]([a-z-][a-z0-9]){0,3}(\.onnx)?", fullmatch=True),
    st.sampled_from(["", "main", "v1.0", "refs/pr/1", "a" * 40]),
)
GAMES = st.sampled_from(["", *envs.games(), *(f"{game}_v0" for game in envs.games())])
BUDGETS = st.sampled_from([(0, 0), (1, 0), (400, 0), (0, 50), (100_000_000, 0)])


def player(game: str, word: str, budget: tuple[int, int], guide: Name | None, rolls: bool) -> AgentName:
    return AgentName(word, game, *budget, guide, rolls and guide is not None)


def players(guides: st.SearchStrategy[Any]) -> st.SearchStrategy[AgentName]:
    """Players with one of the guides."""
    return st.builds(player, GAMES, WORDS, BUDGETS, guides, st.booleans())


PLAYERS = st.recursive(players(st.none()), lambda inner: players(st.one_of(inner, FILES, CLASSES, HUB)), max_leaves=3)


@given(st.one_of(PLAYERS, FILES, CLASSES, HUB))
def test_a_name_that_is_written_is_read_back(name: Name) -> None:
    assert parse(str(name)) == name


@given(st.one_of(st.text(), st.text("durak:pimc@0123+ms.onx_", max_size=30)))
def test_a_text_is_a_name_or_refused_in_one_sentence(text: str) -> None:
    try:
        said = str(parse(text))
    except ValueError as error:
        said = str(error)
        refused = True
    else:
        refused = False
    if refused:
        assert re.search("^(unknown agent .*|.* is not allowed): write ", said, re.DOTALL)
    else:
        assert said == str(parse(said))
        assert parse(said) == parse(text)


def test_the_parts_of_a_name() -> None:
    assert parse("low") == AgentName("low")
    assert parse("durak:low") == AgentName("low", "durak")
    assert parse("pimc@400") == AgentName("pimc", simulations=400)
    guided = AgentName("pimc", "daifugo_v0", milliseconds=50, guide=AgentName("policy"), rolls=True)
    assert parse("daifugo_v0:pimc@50ms++policy") == guided
    assert parse("pimc+mnk:policy") == AgentName("pimc", guide=AgentName("policy", "mnk"))
    assert parse("pimc+bots:Mine") == AgentName("pimc", guide=AgentClass("bots", "Mine"))
    assert parse("durak:pimc+runs/p.onnx") == AgentName("pimc", "durak", guide=PolicyFile("runs/p.onnx"))
    assert parse("runs/a+b/p.npz") == PolicyFile("runs/a+b/p.npz")
    assert parse("hf:alice/durak_36.v2") == HubPolicy("alice/durak_36.v2")
    assert parse("pimc+hf:alice/durak@refs/pr/1") == AgentName("pimc", guide=HubPolicy("alice/durak", "refs/pr/1"))
    assert parse("package.module:Mine") == AgentClass("package.module", "Mine")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("durk:pimc@400", r"unknown agent 'durk:pimc@400' \(did you mean 'durak:pimc@400'\?\): write game:player"),
        ("bots:Mine+policy", "unknown agent 'bots:Mine.policy': write game:player"),
        ("a b:Mine", "unknown agent 'a b:Mine': write game:player"),
        ("durak:@400", "write the player before @"),
        ("+policy", r"write the player before \+"),
        ("pimc@1s", "the budget '1s' is not allowed: write simulations as @400 or time as @50ms"),
        (f"pimc@{'9' * 5000}", "is too high: a decision takes at most 100,000,000 simulations"),
        ("pimc@٤٠٠", "the budget '٤٠٠' is not allowed"),
        ("pimc+pimc@0", "the budget '0' is not allowed"),
        ("hf:alice", "'hf:alice' is not allowed: write OWNER/NAME as the Hub does, in letters, digits"),
        ("hf:alice/../mine", "write OWNER/NAME"),
        ("hf:alice/a--b", "write OWNER/NAME"),
        ("hf:alice/mine@", "the revision '' is not allowed: write a branch, a tag or a commit"),
        ("hf:alice/mine@../../x", "the revision '../../x' is not allowed"),
    ],
)
def test_what_is_no_name_is_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mnk:random@400", "'random@400': random does not search: leave out @400"),
        ("mnk:easy+random", r"'easy\+random': easy does not search: leave out \+random"),
        ("mnk:policy@5++easy", r"'policy@5\+\+easy': policy does not search: leave out @5\+\+easy"),
        ("mnk:pimc+haard", "unknown agent 'haard' of mnk. Did you mean 'hard'?"),
        ("duraq:Low", r"there is no module 'duraq' on the path or in .* \(did you mean 'durak:Low'\?\)"),
    ],
)
def test_an_agent_that_cannot_be_is_refused_in_words(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agents.load(name)


def test_a_class_in_the_current_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_own_bots.py").write_text(
        "from kozyr.agents.agent import Solo\n\n\nclass First(Solo):\n    def act(self, view, mask):\n"
        "        return int(mask.argmax())\n"
    )
    (tmp_path / "my_lame_bots.py").write_text("import nowhere_at_all\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    before = list(sys.path)
    try:
        first = agents.load("my_own_bots:First")
        assert first.act(np.zeros(2), np.array([0, 1], np.int8)) == 1
        with pytest.raises(ValueError, match="my_lame_bots imports 'nowhere_at_all', which is not installed"):
            agents.load("my_lame_bots:First")
    finally:
        sys.modules.pop("my_own_bots", None)
    assert sys.path == before


@pytest.mark.parametrize("game", ["daifugo", "draw_poker", "durak", "mnk", "war"])
def test_every_player_of_a_game_here_has_a_paragraph(game: str) -> None:
    told = agents.about(game)
    assert list(told) == [*agents.names(game), *agents.searchers(game)]
    for name, text in told.items():
        assert text.endswith("."), name
        assert "  " not in text, name
        assert text[0].islower(), name  # it goes on after the name
