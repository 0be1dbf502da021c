"""When code counts as compiled: never when somebody would have to wait for it, and wherever its sources lie."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from kozyr import envs
from kozyr.agents.play.host import precompile
from kozyr.envs.compile import Mark, cache, sources

DAY = 24 * 3600.0


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "inside", lambda home: tmp_path / "code" / home)


def mark(name: str, **options: Any) -> Mark:
    """Return the mark of a game's variant."""
    return precompile.mark(envs.game(name), envs.game(name).make_variant(**options))


def test_a_copy_of_the_sources_has_the_same_hash_and_an_edit_another(tmp_path: Path) -> None:
    package = tmp_path / "one" / "game"
    (package / "deep").mkdir(parents=True)
    for name in ("__init__.py", "rules.py", "deep/more.py"):
        (package / name).write_text(f"# {name}")
    before = sources.contents(package / "__init__.py")
    copy = tmp_path / "two" / "game"
    shutil.copytree(package, copy)
    os.utime(copy / "rules.py", (0, 0))
    assert sources.contents(copy / "__init__.py") == before
    (copy / "deep/more.py").write_text("# other")
    assert sources.contents(copy / "__init__.py") != before
    assert sources.contents(package / "rules.py") == sources.contents(copy / "rules.py") != before


def test_each_game_has_a_mark_of_its_own_that_stands_once_it_is_set() -> None:
    marks = [mark(name) for name in envs.games()]
    assert len({one.path for one in marks}) == len(marks)
    marks[0].set()
    assert [one.stands() for one in marks] == [True] + [False] * (len(marks) - 1)
    assert mark(envs.games()[0]).stands()


def test_variants_that_are_compiled_apart_have_marks_of_their_own() -> None:
    mark("mnk").set()
    assert mark("mnk", m=9, n=9).stands()
    assert not mark("mnk", opening_rule="swap2").stands()


def test_a_game_of_a_script_is_warm_in_its_own_process_only(tmp_path: Path) -> None:
    code = """
from typing import NamedTuple
from types import SimpleNamespace
from kozyr.agents.play.host import precompile
class Variant(NamedTuple): pass
mark = precompile.mark(SimpleNamespace(package="", id="toy_v0", variant=Variant), Variant())
mark.set()
print(mark.stands(), mark.path)
"""
    run, kept = [sys.executable, "-c", code], {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    said = [subprocess.check_output(run, env=kept, text=True).split() for _ in range(2)]
    assert [stands for stands, _ in said] == ["True", "True"]
    assert said[0][1] != said[1][1]
    assert all(tmp_path in Path(path).parents for _, path in said)


def test_a_mark_goes_with_the_code_beside_it() -> None:
    mark = Mark("kozyr.envs.toy", "contents")
    mark.set()
    shutil.rmtree(mark.path.parent)
    assert not mark.stands()


@pytest.mark.parametrize(("days", "stands"), [(27, True), (29, False)])
def test_a_mark_does_not_outlive_code_that_is_removed_after_a_month(days: int, stands: bool) -> None:
    mark = Mark("kozyr.envs.toy", "contents")
    mark.set()
    then = time.time() - days * DAY
    os.utime(mark.path, (then, then))
    assert mark.stands() == stands


@pytest.mark.parametrize("what", ["surroundings", "_processor"])
def test_other_versions_and_other_processors_have_other_marks(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Mark("kozyr.envs.toy", "contents").set()
    monkeypatch.setattr(cache, what, lambda: ("another",))
    assert not Mark("kozyr.envs.toy", "contents").stands()
