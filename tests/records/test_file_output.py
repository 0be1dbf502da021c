"""Files appear whole or not at all, also where the disk is full, and errors name the file."""

import errno
import os
import resource
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from kozyr.envs.table import file_output


@contextmanager
def files_of_at_most(size: int) -> Generator[None]:
    """Let this process write no file beyond so many bytes, as if the disk were full there."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))  # Python ignores the signal: writing fails with EFBIG
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


def beside(path: Path) -> list[str]:
    """Return the names of all files in a file's folder."""
    return [one.name for one in path.parent.iterdir()]


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    file_output.write(path, "first")
    path.chmod(0o640)
    file_output.write(path, "żółw".encode())
    assert path.read_text(encoding="utf-8") == "żółw"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert beside(path) == ["page.html"]


def test_on_a_full_disk_the_file_before_stays(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    file_output.write(path, "before")
    with files_of_at_most(1000), pytest.raises(OSError, match=r"page\.html") as told:
        file_output.write(path, "x" * 5000)
    assert told.value.errno == errno.EFBIG
    assert told.value.filename == str(path)
    assert path.read_text() == "before"
    assert beside(path) == ["page.html"]


def test_a_block_that_fails_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "arrays.npz"
    with suppress(KeyboardInterrupt), file_output.replacement(path) as part:
        assert part.suffix == ".npz"
        part.write_bytes(b"half")
        raise KeyboardInterrupt
    assert beside(path) == []


def test_an_addition_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    file_output.append(path, "one\n")
    file_output.append(path, b"two\n")
    with files_of_at_most(1000), pytest.raises(OSError, match=r"games\.jsonl"):
        file_output.append(path, "x" * 5000 + "\n")
    assert path.read_text() == "one\ntwo\n"


@pytest.mark.parametrize("way", [file_output.write, file_output.append])
def test_a_folder_that_is_not_there_is_told_by_the_file(tmp_path: Path, way: object) -> None:
    path = tmp_path / "none" / "page.html"
    with pytest.raises(FileNotFoundError, match=r"page\.html") as told:
        way(path, "text")  # type: ignore[operator]
    assert told.value.filename == str(path)


def test_a_link_goes_on_pointing_to_its_file(tmp_path: Path) -> None:
    path, link = tmp_path / "page.html", tmp_path / "newest.html"
    path.write_text("before")
    link.symlink_to(path)
    file_output.write(link, "after")
    assert link.is_symlink()
    assert path.read_text() == "after"


def test_what_is_no_file_is_written_to_as_it_is(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    try:
        file_output.write(f"/dev/fd/{writing}", "through a pipe")
        file_output.append(f"/dev/fd/{writing}", ", twice")
        assert os.read(reading, 100) == b"through a pipe, twice"
    finally:
        os.close(reading)
        os.close(writing)
