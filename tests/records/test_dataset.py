"""Datasets of decisions: what they hold is what an environment shows, and what is damaged makes none."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kozyr import envs
from kozyr.agents.arena import match
from kozyr.envs.table import record
from kozyr.training.data import dataset, dataset_card
from tests.records.test_record import a_game, a_line
from tests.test_cli import document, run

parquet: Any = pytest.importorskip("pyarrow.parquet", reason="comes with the extra [data]")

MATCHES = [
    ("durak", ["low", "random", "heuristic"], {"players": 3, "transfer": True}),
    ("mnk", ["easy", "random"], {"m": 8, "n": 9, "k": 4}),
    ("draw_poker", ["random"], {}),
    ("daifugo", ["low", "random"], {"rules": "uecda", "rounds": 2}),
    ("war", ["random"], {"pickup": "choice"}),
]


def column(table: Any, name: str) -> Any:
    """Return a column as an array, lists as rows."""
    values = table[name].combine_chunks()
    return values.flatten().to_numpy().reshape(len(table), -1) if name in ("view", "mask") else values.to_pylist()


def rows(games: list[Any]) -> list[dict[str, Any]]:
    """Return what an environment shows when recorded games are played in it: a dictionary a decision, a seat's end."""
    found: list[dict[str, Any]] = []
    for number, one in enumerate(games, 1):
        env = envs.make(one.game.name, **one.game.options(one.variant))
        env.reset(seed=one.seed, options={"starter": one.starter})
        for ply, action in enumerate(one.actions):
            shown, seat = dict(env.last()[0] or {}), env.possible_agents.index(env.agent_selection)
            found.append({"ply": ply, "seat": seat, "action": action, "end": False, "number": number, **shown})
            env.step(action)
        for seat, name in enumerate(env.possible_agents):
            ply = len(one.actions)
            found.append({"ply": ply, "seat": seat, "action": -1, "end": True, "number": number, **env.observe(name)})
        for row in found[-len(one.actions) - len(env.possible_agents) :]:
            row |= {"return": one.payoffs[row["seat"]], "agent": one.agents[row["seat"]] if one.agents else None}
    return found


@pytest.mark.parametrize("held", [dataset._BATCH, 1], ids=["one portion", "many portions"])
@pytest.mark.parametrize(("game", "agents", "options"), MATCHES, ids=[one[0] for one in MATCHES])
def test_a_dataset_holds_what_an_environment_shows(
    game: str, agents: list[str], options: dict[str, Any], held: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataset, "_BATCH", held)
    source, target = tmp_path / "games.jsonl", tmp_path / "games.parquet"
    match(game, agents, deals=3, seed=2, record=source, **options)
    games = list(record.read_file(source))
    due, read = rows(games), list[int]()
    made = dataset.write(source, target, read.append)
    table = parquet.read_table(target)
    assert len(due) == len(table)
    assert made.decisions == sum(not one["end"] for one in due) > 0
    assert made.episodes == len({(one["number"], one["seat"]) for one in due if not one["end"]})
    assert (parquet.ParquetFile(target).num_row_groups > 1) == (held == 1 and len(due) > 256)
    for name in ("number", "ply", "seat", "action", "return", "agent", "end"):
        assert column(table, name) == [one[name] for one in due], name
    views, masks = column(table, "view"), column(table, "mask")
    assert views.dtype == made.kind.game.view_dtype
    assert np.array_equal(views, np.stack([one["observation"] for one in due]))
    assert np.array_equal(masks, np.stack([one["action_mask"] for one in due]))
    assert set(column(table, "game")) == {made.kind.game.id}
    assert {json.dumps(json.loads(one)) for one in column(table, "variant")} == {
        json.dumps(made.kind.game.options(made.kind.variant))
    }
    assert read == sorted(read)
    assert read[-1] == source.stat().st_size == sum(len(line) for line in source.read_bytes().splitlines(True))
    assert [(one.decisions, one.returns) for one in made.agents.values()] == [
        (len(own), pytest.approx(sum(one["return"] for one in own)))
        for name in made.agents
        for own in [[one for one in due if one["agent"] == name and not one["end"]]]
    ]


def test_random_plies_are_told(tmp_path: Path) -> None:
    source, target = tmp_path / "games.jsonl", tmp_path / "games.parquet"
    match("mnk", ["easy", "random"], deals=2, seed=1, record=source, opening=3, m=5, n=5, k=4)
    dataset.write(source, target)
    table = parquet.read_table(target)
    assert column(table, "opening") == [ply < 3 for ply in column(table, "ply")]
    assert not any(opening and end for opening, end in zip(column(table, "opening"), column(table, "end"), strict=True))
    assert [one.opening for one in record.read_file(source)] == [3] * 4
    match("mnk", ["easy", "random"], deals=2, seed=1, record=source, opening=0, m=5, n=5, k=4)
    assert '"opening":' not in source.read_text()
    dataset.write(source, target)
    assert not any(column(parquet.read_table(target), "opening"))


def test_games_that_ended_otherwise_say_so(tmp_path: Path) -> None:
    lost = {"actions": [4, 0], "payoffs": [-1.0, 1.0], "forfeit": 0, "reason": "time"}
    capped = a_game("durak", 1, 0, max_rounds=2)
    source = tmp_path / "games.jsonl"
    source.write_text(a_line(**lost) + "\n\n" + a_line() + "\n")
    dataset.write(source, tmp_path / "one.parquet")
    table = parquet.read_table(tmp_path / "one.parquet")
    assert column(table, "forfeit")[:5] == [True, True, True, True, False]
    assert column(table, "end")[:5] == [False, False, True, True, False]
    assert column(table, "return")[:4] == [-1.0 if seat == 0 else 1.0 for seat in column(table, "seat")[:4]]
    assert not column(table, "mask")[2:4].any()
    assert column(table, "view")[2:4].any(1).all(), "the board is as it was when the seat lost"
    assert not any(column(table, "truncated"))
    assert column(table, "agent") == [None] * len(table)
    source.write_text(record.write(capped) + "\n")
    dataset.write(source, tmp_path / "one.parquet")
    assert capped.truncated
    assert all(column(parquet.read_table(tmp_path / "one.parquet"), "truncated"))


REFUSED = {
    "is not JSON": "{",
    r"action 4 of player_[01] at ply 1: it is not legal": a_line(actions=[4, 4]),
    "the game is in progress": a_line(payoffs=[], actions=[]),
    "payoffs .* do not agree": a_line(payoffs=[0.5, -0.5]),
    "that of the first record: this has m=4, k=4, that has m=3, k=3": record.write(a_game("mnk", 1, 0, m=4, n=3, k=4)),
    "that of the first record: this is war_v0, that is mnk_v0": record.write(a_game("war", 1, 0)),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_a_row_is_refused_with_its_line_and_leaves_nothing(words: str, tmp_path: Path) -> None:
    source, target = tmp_path / "games.jsonl", tmp_path / "games.parquet"
    source.write_text(f"{a_line()}\n\n{REFUSED[words]}\n{a_line()}\n")
    done = run("export", str(source), str(target), code=1)
    assert re.search(rf"error: .*games\.jsonl, line 3: .*{words}", done.stderr)
    assert list(tmp_path.iterdir()) == [source]


def test_a_dataset_that_was_there_stays_until_another_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = tmp_path / "games.jsonl", tmp_path / "games.parquet"
    source.write_text(a_line() + "\n")
    told = document("export", str(source), str(target))
    whole = target.read_bytes()
    assert told["decisions"] == column(parquet.read_table(target), "end").count(False)
    source.write_text(f"{a_line()}\n{a_line()}\n{{")
    run("export", str(source), str(target), code=1)
    assert target.read_bytes() == whole

    def interrupt(*given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(dataset._Rows, "flush", interrupt)
    source.write_text(a_line() + "\n")
    assert "interrupted" in run("export", str(source), str(target), code=130).stderr
    assert target.read_bytes() == whole
    assert sorted(path.name for path in tmp_path.iterdir()) == ["README.md", "games.jsonl", "games.parquet"]


def test_wrong_places_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    source = tmp_path / "games.parquet"
    source.write_text(a_line() + "\n")
    assert "end the dataset's name in .parquet" in run("export", str(source), "games.csv", code=2).stderr
    assert "holds the games themselves" in run("export", str(source), str(source), code=1).stderr
    (tmp_path / "README.md").write_text("# Mine\n")
    out = str(tmp_path / "new.parquet")
    assert "is no card of a dataset" in run("export", str(source), out, code=2).stderr
    assert not (tmp_path / "new.parquet").exists()
    run("export", str(source), out, "--card", str(tmp_path / "card.md"), "--license", "cc0-1.0")
    assert (tmp_path / "README.md").read_text() == "# Mine\n"
    assert "cc0-1.0" in (tmp_path / "card.md").read_text()
    (tmp_path / "empty.jsonl").write_text("\n")
    assert "holds no games" in run("export", str(tmp_path / "empty.jsonl"), out, "--card", out + ".md", code=1).stderr


def test_the_card_tells_the_columns_and_its_code_loads_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("games.jsonl").write_text("".join(a_line() + "\n" for _ in range(3)))
    made = dataset.write(Path("games.jsonl"), Path("games.parquet"))
    card = dataset_card.text("games.parquet", made, "games.jsonl", "mit")
    assert [name for name, _ in dataset_card._COLUMNS] == parquet.read_schema("games.parquet").names
    [code] = re.findall(r"```python\n(.*?)```", card, re.DOTALL)
    by_library = re.split(r"\n\n(?=.*(?:pandas|datasets))", code)
    loads = [part for part in by_library if "from datasets" not in part]
    assert len(loads) == len(by_library) - 1 >= 1
    for end in range(1, len(loads) + 1):
        names: dict[str, Any] = {}
        if "pandas" in loads[end - 1]:
            pytest.importorskip("pandas")
        exec("\n".join(loads[:end]), names)  # noqa: S102
        assert names["views"].shape == (made.decisions, made.kind.game.size(made.kind.variant))
