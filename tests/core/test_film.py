"""Recorded games as frames and as films: every ply, blind for a seat, refused in words."""

import shutil

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from kozyr import envs
from kozyr.envs.table import record
from kozyr.envs.table.table import Table
from kozyr.envs.viewer import film
from kozyr.envs.viewer.frames import drawing, frames
from kozyr.training.cli import app

GAMES = ["daifugo", "draw_poker", "durak", "mnk", "war"]


def played(name, plies=None, forfeit=False, **options):
    game = envs.game(name)
    table = Table(game, game.make_variant(**options), 5)
    rng = np.random.default_rng(5)
    while not table.over and table.ply != plies:
        table.play(int(rng.choice(np.flatnonzero(table.mask))))
    if forfeit:
        table.forfeit(0, "resigned")
    return table.record


@pytest.mark.parametrize("name", GAMES)
def test_a_frame_for_every_ply_in_one_size(name):
    one = played(name, plies=12)
    for seat in (None, 0, 1):
        shown = list(frames(one, seat))
        assert [frame.ply for frame in shown] == list(range(len(one.actions) + 1))
        assert all(frame.words for frame in shown[1:])
        sizes = {tuple(frame.rows[0, 6:8]) for frame in shown}
        assert len(sizes) == 1


def test_a_seat_reads_only_what_it_may_hear():
    one = played("draw_poker")
    game, v = one.game, one.variant
    told = [event for event in Table.resume(one).events() if event.action is not None or event.heard]
    for seat in range(game.seats(v)):
        words = [frame.words[0].split(": ", 1)[1] for frame in list(frames(one, seat))[1:]]
        assert words == [event.for_seat(seat).words for event in told][: len(words)]


def test_the_end_and_a_forfeit_are_told():
    one = played("durak", plies=4, forfeit=True)
    last = list(frames(one))[-1]
    assert any("forfeits: resigned" in words for words in last.words)


@pytest.mark.parametrize("suffix", [".gif", ".webp"])
def test_a_film_has_a_picture_for_each_ply(tmp_path, suffix):
    one = played("mnk", m=3, n=3, k=3)
    told = []
    film.write(one, tmp_path / f"game{suffix}", width=200, progress=lambda done, total: told.append((done, total)))
    with Image.open(tmp_path / f"game{suffix}") as image:
        assert image.n_frames == len(one.actions) + 1 == len(told) == told[-1][1]
        assert image.size[0] == 200


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="no ffmpeg")
def test_an_mp4(tmp_path):
    film.write(played("mnk", m=3, n=3, k=3), tmp_path / "game.mp4", width=200)
    assert b"ftyp" in (tmp_path / "game.mp4").read_bytes()[:16]


def test_without_ffmpeg_there_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="needs ffmpeg"):
        film.write(played("mnk", m=3, n=3, k=3), tmp_path / "game.mp4", width=200)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"path": "game.avi"}, "is no film"),
        ({"delay": 0.0}, "delay=0.0 is not allowed"),
        ({"width": 5}, "width=5 is not allowed"),
        ({"seat": 7}, "seat=7 is not allowed"),
        ({"plies": range(900, 901)}, "no ply to show"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, wrong, words):
    given = {"path": "game.gif", "width": 200} | wrong
    with pytest.raises(ValueError, match=words):
        film.write(played("mnk", plies=2), tmp_path / given.pop("path"), **given)


def test_names_are_escaped(tmp_path):
    one = played("durak", plies=2)
    names = ["<script>alert(1)</script>", "b & c"]
    for frame in frames(one):
        assert "<script" not in drawing(one.game, one.variant, frame, None, names)


def test_the_command(tmp_path):
    file = tmp_path / "games.jsonl"
    file.write_text(record.write(played("mnk", m=3, n=3, k=3)) + "\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["replay", str(file), "--webp", str(tmp_path / "a.webp"), "--seat", "1"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "a.webp").stat().st_size > 1000
    wrong = CliRunner().invoke(app, ["replay", str(file), "--gif", str(tmp_path / "a.webp")])
    assert wrong.exit_code == 2
    assert "end the file's name in .gif" in wrong.output
    assert CliRunner().invoke(app, ["replay", str(file), "--game", "9", "--gif", "a.gif"]).exit_code == 2
