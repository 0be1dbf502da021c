"""The cache of compiled code with damaged files, on full disks, without its folder: it compiles and says so once."""

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import filelock
import pytest

from kozyr.envs.compile import INTERPRETED, Mark, cache, cache_files, folder

from .doubles import code, halve, loaded

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
posix = pytest.mark.skipif(os.name != "posix", reason="links and pipes are POSIX's")
DAY = 24 * 3600.0


def test_what_is_kept_is_loaded(home: Path) -> None:
    assert loaded()


def test_nothing_is_locked_to_load_what_is_kept(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(cache.CompileLock, "acquire")
    assert loaded()


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.ENOSPC, errno.ENOLCK, errno.ENOSYS])
def test_where_nothing_can_be_locked_functions_are_compiled_and_kept(
    home: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(filelock.FileLock, "_acquire", refused)
    assert not loaded(halve)
    assert loaded(halve)


def flipped(held: bytes, place: int) -> bytes:
    """Return bytes of which one bit is another."""
    return held[:place] + bytes([held[place] ^ 1]) + held[place + 1 :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda held: b"",
    "garbage": lambda held: b"\xff" * len(held),
    "no head": lambda held: held[60:],
    "half": lambda held: held[: len(held) // 2],
    "last byte gone": lambda held: held[:-1],
    "more at the end": lambda held: held + b"\0",
    "another form": lambda held: flipped(held, 3),
    "a bit of the machine code": lambda held: flipped(held, held.index(b"ELF") + 500 if b"ELF" in held else 2000),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_file_is_told_deleted_and_compiled_anew(home: Path, damage: Callable[[bytes], bytes]) -> None:
    file = code(home)
    sound = file.read_bytes()
    file.write_bytes(damage(sound))
    with pytest.warns(RuntimeWarning, match="deletes such files") as warned:
        assert not loaded()
    assert str(file) in str(warned.pop(RuntimeWarning).message)
    assert loaded()


def test_every_flipped_bit_is_noticed(home: Path) -> None:
    file = code(home)
    sound = file.read_bytes()
    assert len(cache_files.read(file)) > 1000
    for place in (*range(60), *range(60, len(sound), 97)):
        file.write_bytes(flipped(sound, place))
        with pytest.raises(cache_files.Damaged):
            cache_files.read(file)


def test_a_sound_file_that_is_anothers_is_noticed(home: Path) -> None:
    file = code(home)
    other = file.with_name(f"{file.name}.other")
    other.write_bytes(file.read_bytes())
    with pytest.raises(cache_files.Damaged):
        cache_files.read(other)


def test_many_damaged_files_are_told_once(home: Path) -> None:
    assert not loaded(halve)
    for file in home.rglob("*.nbc"):
        file.write_bytes(b"")
    with pytest.warns(RuntimeWarning) as warned:
        assert not loaded()
    assert len(warned) == 1
    assert not loaded(halve)  # another warning were an error


@pytest.mark.parametrize("error", [AttributeError("gone"), RuntimeError("no symbol")])
def test_code_that_cannot_be_unpacked_is_compiled_anew(home: Path, error: Exception) -> None:
    def fails(*_: Any) -> Any:
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache.CompileResultCacheImpl, "rebuild", fails)
        with pytest.warns(RuntimeWarning, match=str(error)):
            assert not loaded()
    assert loaded()


def test_code_of_a_version_with_other_modules_is_compiled_anew_without_a_warning(home: Path) -> None:
    def fails(*_: Any) -> Any:
        raise ModuleNotFoundError("No module named 'kozyr.envs.api'")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache.CompileResultCacheImpl, "rebuild", fails)
        assert not loaded()  # a warning were an error
    assert loaded()


@posix
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_file_is_neither_followed_nor_waited_for(home: Path, kind: str, tmp_path: Path) -> None:
    file = code(home)
    file.rename(tmp_path / "elsewhere")
    if kind == "link":
        file.symlink_to(tmp_path / "elsewhere")
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.mkdir()
    with pytest.warns(RuntimeWarning):
        assert not loaded()
    assert kind == "folder" or loaded()
    assert (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
def test_on_a_full_disk_programs_go_on_with_one_warning(
    home: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    shutil.rmtree(home)
    folder()
    monkeypatch.setattr(os, "replace", full)
    monkeypatch.setattr(Path, "touch", full)
    with pytest.warns(RuntimeWarning, match=os.strerror(number)) as warned:
        assert not loaded()
    assert len(warned) == 1
    assert not loaded(halve)  # another warning were an error
    Mark("game", "contents").set()
    assert not [file for file in home.rglob("*") if file.is_file()]


def test_no_more_room_than_for_half_a_file_leaves_nothing_behind(home: Path) -> None:
    """The system's own limit on the size of files: a real error in the middle of writing."""
    resource = pytest.importorskip("resource")
    shutil.rmtree(home)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    folder()
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.warns(RuntimeWarning, match="cannot keep compiled code"):
            assert not loaded()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [file.name for file in home.rglob("*") if file.is_file()] == ["cleaned"]


def test_without_any_folder_nothing_is_kept(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    shutil.rmtree(home)
    home.touch()
    monkeypatch.setattr(tempfile, "mkdtemp", full)
    with pytest.warns(RuntimeWarning, match="keeps no compiled code") as warned:
        assert not loaded()
    assert len(warned) == 1
    assert not loaded()
    Mark("game", "contents").set()


def test_a_folder_that_vanishes_is_made_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = Mark("game", "contents")
    mark.set()
    assert loaded()
    shutil.rmtree(home)
    assert not mark.stands()
    cache.clean()
    assert not loaded()
    shutil.rmtree(home)
    mark.set()
    assert mark.stands()
    assert not loaded()
    plain = cache_files.read

    def vanishing(path: Path) -> memoryview:
        held = plain(path)
        shutil.rmtree(home)
        return held

    monkeypatch.setattr(cache_files, "read", vanishing)
    assert loaded()


def test_cleaning_removes_what_is_old_and_what_is_half_written_even_on_a_full_disk(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    (home / "cleaned").unlink()
    kept = code(home)
    for name in ("old.nbi", "old.1.nbc", "old.nbc.h4lf.tmp", "old.nbi.tmp.0123", "old.nbc.lock", "played-0123"):
        path = kept.with_name(name)
        path.touch()
        os.utime(path, (0, time.time() - 31 * DAY))
    (kept.parent / "nobody.nbc").symlink_to("nothing")
    monkeypatch.setattr(Path, "touch", full)
    cache.clean()
    assert {path.name for path in kept.parent.iterdir()} == {kept.name, "nobody.nbc"}


def test_a_file_that_cannot_be_removed_keeps_no_other_from_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "cleaned").unlink()
    for name in ("a.nbc", "b.nbc", "c.nbc"):
        (home / name).touch()
        os.utime(home / name, (0, time.time() - 31 * DAY))
    plain = Path.unlink

    def stubborn(path: Path, missing_ok: bool = False) -> None:
        if path.name == "b.nbc":
            raise PermissionError(errno.EACCES, "Permission denied")
        plain(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", stubborn)
    cache.clean()
    assert [path.name for path in home.glob("*.nbc")] == ["b.nbc"]
