"""The cache of compiled code and other users: what they may have written is not loaded, and ours they cannot write."""

import os
import shutil
from pathlib import Path

import pytest

from kozyr.envs.compile import INTERPRETED, Mark, folder

from .doubles import code, forget, halve, loaded, spared

pytestmark = [
    pytest.mark.skipif(INTERPRETED, reason="nothing is compiled"),
    pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX's"),
]


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o720, 0o702])
@pytest.mark.parametrize("which", ["all games'", "the game's"])
def test_a_folder_that_others_may_write_to_is_not_loaded_from(
    home: Path, mode: int, which: str, tmp_path: Path
) -> None:
    open_to_all = home if which == "all games'" else code(home).parent
    open_to_all.chmod(mode)
    with pytest.warns(RuntimeWarning, match=f"chmod go-w {open_to_all}") as warned:
        assert not loaded()
    assert len(warned) == 1
    assert not loaded(halve)  # another warning were an error
    assert loaded()
    assert spared(tmp_path) == ["doubles.double", "doubles.halve"]
    assert code(home)
    forget()
    open_to_all.chmod(0o755)  # as the sentence says
    assert loaded()


def test_a_folder_of_another_user_is_not_loaded_from(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = home.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.warns(RuntimeWarning, match=rf"uid {owner}\).*XDG_CACHE_HOME to a folder of your own"):
        spare = folder()
    assert spare.parent == tmp_path / "tmp"


def test_a_temporary_folder_that_others_may_write_to_is_not_taken_over(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    theirs.chmod(0o777)
    monkeypatch.setenv("KOZYR_TEMPORARY_CACHE", str(theirs))
    home.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="others may write to it"):
        assert folder().parent == tmp_path / "tmp"


def test_a_link_is_followed_only_if_the_user_has_made_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = home.rename(tmp_path / "disk")
    home.symlink_to(disk)
    assert loaded()
    plain = Path.lstat

    def anothers(path: Path) -> os.stat_result:
        told = list(plain(path))
        told[4] += path == home  # the user's number
        return os.stat_result(told)

    monkeypatch.setattr(Path, "lstat", anothers)
    forget()
    with pytest.warns(RuntimeWarning, match="belongs to another user"):
        assert folder() != home


def test_a_file_that_others_may_write_to_is_not_loaded(home: Path) -> None:
    code(home).chmod(0o666)
    with pytest.warns(RuntimeWarning, match="others may write to it"):
        assert not loaded()
    assert loaded()


@pytest.mark.parametrize("umask", [0, 0o777])
def test_whatever_the_umask_nobody_else_gets_in(home: Path, umask: int) -> None:
    shutil.rmtree(home.parent)
    before = os.umask(umask)
    try:
        assert not loaded()
        Mark("game", "contents").set()
        assert loaded()
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (home.parent, *home.parent.rglob("*"))}
    assert {modes[path.name] for path in (home.parent, *home.parent.rglob("*")) if path.is_dir()} == {0o700}
    assert modes[code(home).name] == 0o600
    assert not any(mode & 0o077 for mode in modes.values())
