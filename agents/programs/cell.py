"""Launcher of a program in a cell: it walls itself in, and then becomes the program.

`python -I -S cell.py MODE KIBIBYTES ENTRY PROGRAM WORDS…` is run by `kozyr.agents.programs.child`, without kozyr. What
a cell is: its scratch folder, named by the environment's KOZYR_SCRATCH, is all that the program can write. Of files it
can read its own, those of the system, of its interpreter and of kozyr. It has no sockets, and sees no other
process. `kozyr.agents.programs.walls` has the system calls; docs/howto/cells.md tells what each wall needs.

MODE is "auto", which leaves out a wall that the system does not have, "require", which ends with a message then, or
"off", which limits memory alone. KIBIBYTES is the address space of each process, 0 for no limit. ENTRY is the file or
the folder of a bot that may see no other entries, or "-" for a program that may read the folders of its words.
"""

import contextlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING or __package__:
    from kozyr.agents.programs import walls
else:  # a program of its own: from beside this file, so that it starts at once
    sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # noqa: PTH120 - pathlib is imported for more
    import walls

SCRATCH, VIEW, CACHE = "KOZYR_SCRATCH", "KOZYR_VIEW", "KOZYR_LENT_CACHE"
PROBE = "probe"  # in place of a program: tell what is missing
REFUSED = 126  # code of a launcher whose walls are not all there
_SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/nix/store", "/opt/conda/lib"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime"),
    *("/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/os-release", "/etc/timezone", "/etc/mime.types"),
    *("/etc/ssl/openssl.cnf", "/etc/ssl/certs", "/etc/pki/tls/openssl.cnf", *map(str, Path("/etc").glob("java*"))),
    *("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/version", "/proc/filesystems"),
    *("/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/kernel/mm/transparent_hugepage"),
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_OF_PREFIX = ("bin", "lib", "lib64", "libexec", "share/node", "pyvenv.cfg")
_KEPT = ("PATH", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHASHSEED", "VIRTUAL_ENV", CACHE)
_KEPT_PARTS = ("LC_", "OMP_", "OPENBLAS_", "MKL_", "NUMBA_")  # beginnings of further names


def main(words: list[str]) -> None:
    """Wall this process in, and become the program."""
    mode, kibibytes, entry, *program = words
    if mode != "off":
        missing, write = dict[str, str](), [os.environ[SCRATCH]]
        if not _apart(write):
            missing["space"] = "the system gives no disk and no processes of its own to a bot: it may fill your disk"
            missing["modes"] = "it may change the modes of your files"
        read = _readable(program, entry)
        environment = _environment(entry)
        walls.confine(read, write, _DEVICES, missing)
        if program == [PROBE]:
            print(json.dumps(missing))
            return
        if missing and mode == "require":
            sys.stderr.write("the cell is not whole: " + "; ".join(missing.values()) + "\n")
            sys.exit(REFUSED)
        os.environ.clear()
        os.environ.update(environment)
    walls.limit_memory(int(kibibytes))
    try:
        os.execvp(program[0], program)
    except OSError as error:
        sys.stderr.write(f"{program[0]} cannot be started: {error.strerror}\n")
        sys.exit(127)


def _apart(write: list[str]) -> bool:
    """Go on in a child process that sees no other processes, with disks that are read-only but for a small one.

    This process waits for the child and ends as it does.

    Args:
        write: the scratch folder; gets a further one that the child may write.

    Returns:
        Whether the system allows it; if not, there is no child.
    """
    user, group, (ready, done) = os.getuid(), os.getgid(), os.pipe()
    child = walls.fork_apart()
    if child == 0:
        os.close(ready)
        walls.end_with_parent()
        if not walls.keep_user(user, group):
            os._exit(1)
        walls.few_processes()
        if not (walls.read_only() and walls.small_disk(write[0])):
            os._exit(1)
        if walls.share_memory(write[0]):
            write.append(walls.SHARED_MEMORY)
        try:
            os.write(done, b"+")
        except OSError:  # whom it would end with has ended before
            os._exit(1)
        os.close(done)
        return True
    os.close(done)
    began = child > 0 and os.read(ready, 1) == b"+"
    os.close(ready)
    if began:
        _wait(child)
    if child > 0:
        os.waitpid(child, 0)
    return False


def _wait(child: int) -> NoReturn:
    """Wait for the child, remove its scratch folder, and end as it does; it ends if kozyr has ended without it."""
    signal.signal(signal.SIGHUP, lambda number, frame: os.kill(child, signal.SIGKILL))
    for stream in range(3):  # they are the program's, which may close them
        os.close(stream)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with contextlib.suppress(OSError):
        os.rmdir(os.environ[SCRATCH])  # noqa: PTH106 - as above
    if code < 0:
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code & 0xFF)


def _readable(program: list[str], entry: str) -> list[str]:
    """Return the files and folders that a program may read and execute."""
    paths = [*_SYSTEM, *_of_kozyr()]
    for one in _programs(program[0]):
        paths += [one, *_of_prefix(Path(one)), *_of_prefix(Path(os.path.realpath(one)))]
    if entry == "-":
        files = [Path(os.path.realpath(word)) for word in (shutil.which(program[0]) or "", *program[1:]) if word]
        paths += [str(one if _too_much(one.parent) else one.parent) for one in files if one.is_file()]
    else:
        paths += [entry, *map(str, _shared(Path(entry)))]
    return paths


def _programs(name: str) -> Iterator[str]:
    """Yield the path of a program, and of the interpreter of a script."""
    path = shutil.which(name)
    if path is None or name == PROBE:
        return
    yield os.path.realpath(path)
    yield path
    with contextlib.suppress(OSError), open(path, "rb") as file:  # noqa: PTH123 - as above
        if file.read(2) == b"#!" and (words := os.fsdecode(file.readline(4096)).split()):
            names = words[1:2] if words[0].endswith("/env") else words[:1]
            for one in names:
                yield from _programs(one)


def _of_prefix(program: Path) -> Iterator[str]:
    """Yield the folders of an interpreter PREFIX/bin/NAME, and of that which a virtual environment is of."""
    prefix = program.parent.parent
    if program.parent.name != "bin" or _too_much(prefix):
        return
    yield from (str(prefix / name) for name in _OF_PREFIX)
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for line in (prefix / "pyvenv.cfg").read_text("utf-8").splitlines():
            name, _, value = line.partition("=")
            if name.strip() == "home":
                yield from _of_prefix(Path(value.strip()) / "python")


def _of_kozyr() -> Iterator[str]:
    """Yield the folders of this package, and of the games that it has compiled."""
    top = Path(__file__).resolve().parents[2]
    yield from (str(top / name) for name in ("agents", "envs", "training", ".src", "__init__.py"))
    yield os.environ[CACHE]


def _too_much(folder: Path) -> bool:
    """Return True for the root, a folder of temporary files, a home, and what these lie in."""
    homes = [Path(os.path.realpath(one)) for one in (os.path.expanduser("~"), "/tmp", "/var/tmp")]  # noqa: PTH111
    return any(folder in (one, *one.parents) for one in homes)


def _shared(entry: Path) -> list[Path]:
    """Return the files and folders that all bots of a folder share: their names begin with an underscore."""
    if entry.is_dir():
        return []
    return sorted(one for one in entry.parent.glob("_*") if one.name[1] != "_" and not one.is_symlink())


def _environment(entry: str) -> dict[str, str]:
    """Return the program's environment, and make its working folder the current one.

    A bot that is a folder begins there. One that is a file begins in a view, a folder of links to it and to what all
    share.
    """
    scratch = os.environ[SCRATCH]
    variables = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith(_KEPT_PARTS)}
    variables |= dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME"), scratch) | {"PYTHONDONTWRITEBYTECODE": "1"}
    if entry != "-" and Path(entry).is_dir():
        os.chdir(entry)
    elif entry != "-":
        view = Path(scratch, "view")
        view.mkdir()
        for one in (Path(entry), *_shared(Path(entry))):
            (view / one.name).symlink_to(one)
        os.chdir(view)
        variables[VIEW] = str(view)
    return variables


if __name__ == "__main__":
    main(sys.argv[1:])
