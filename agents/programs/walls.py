"""Walls of a cell: what an unprivileged process of Linux can forbid itself, by the system's own calls.

Landlock guards files and signals (https://docs.kernel.org/userspace-api/landlock.html), a filter of system calls
guards sockets and others' limits (https://docs.kernel.org/userspace-api/seccomp_filter.html), namespaces hide other
processes and hold a small disk. Nothing here can be undone, and all of it passes on to what the process starts. This
file imports nothing of kozyr.
"""

import ctypes
import os
import signal
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

if sys.platform != "win32":
    import resource

NEEDED_FILES, NEEDED_SIGNALS = 3, 6  # versions of Landlock: from the first on no file can be emptied from outside
DISK = 64  # MiB of a scratch folder, and of each file
_FILES = 4096  # in a scratch folder
_OPEN_FILES = 256  # of a process
_PROCESSES = 256  # of a program, threads counted
_OWN_LIMIT = (6, 14)  # version of Linux from which on each namespace of processes has a limit of its own
_RESERVED = 300  # numbers that the first processes have
_NEWNS, _NEWIPC, _NEWUSER, _NEWPID = 0x20000, 0x8000000, 0x10000000, 0x20000000
_NOSUID, _NODEV, _BIND, _REC, _PRIVATE = 2, 4, 4096, 16384, 1 << 18
_PDEATHSIG, _SECCOMP, _DROP, _NO_NEW_PRIVS = 1, 22, 24, 38  # of prctl
_CREATE, _ADD, _RESTRICT = 444, 445, 446  # system calls of Landlock, the same on all processors
_MOUNT_SETATTR, _RECURSIVE, _RDONLY = 442, 0x8000, 1
_EXECUTE, _WRITE, _READ, _LIST = 1, 2, 4, 8
_OF_FILES = _EXECUTE | _WRITE | _READ | 1 << 14 | 1 << 15  # rights that a rule for a file can have
_DEVICE_FILES = 1 << 6 | 1 << 11
_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}  # version of Landlock: number of its rights to files
_CAPABILITIES = 64
SHARED_MEMORY = "/dev/shm"
_CLONE = {"x86_64": 56, "aarch64": 220, "riscv64": 220}
_EACCES = 13
_CALLS = {  # processor: its number, that of prlimit64, and those of socket, io_uring_setup and keys
    "x86_64": (0xC000003E, 302, (41, 425, 248, 249, 250)),
    "i386": (0x40000003, 340, (359, 102, 425, 286, 287, 288)),
    "aarch64": (0xC00000B7, 261, (198, 425, 217, 218, 219)),
    "arm": (0x40000028, 369, (281, 425, 309, 310, 311)),
    "riscv64": (0xC00000F3, 261, (198, 425, 217, 218, 219)),
}
_ON = {"x86_64": ("x86_64", "i386"), "aarch64": ("aarch64", "arm"), "riscv64": ("riscv64",)}
_X32 = 0x40000000  # in the number of a call of x86-64's other form

_c: Any = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def limit_memory(kibibytes: int) -> None:
    """Limit the address space of this process, and of each that it starts; 0 is no limit."""
    if kibibytes:
        _limit("RLIMIT_AS", kibibytes << 10)


def _limit(name: str, most: int) -> None:
    """Set a limit, not above an earlier one."""
    if hasattr(resource, name):
        which = getattr(resource, name)
        hard = resource.getrlimit(which)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(OSError, ValueError):  # the system has no such limit
            resource.setrlimit(which, (most, most))


def fork_apart() -> int:
    """Fork; the child is the first process of namespaces of its own, of users, mounts, messages and processes.

    Returns:
        0 in the child, its number in the parent, -1 if the system does not allow it: then there is no child.
    """
    number = _CLONE.get(os.uname().machine) if sys.platform == "linux" else None
    if number is None:
        return -1
    return _c.syscall(number, _NEWUSER | _NEWNS | _NEWIPC | _NEWPID | signal.SIGCHLD, None, None, None, None)


def keep_user(user: int, group: int) -> bool:
    """Keep the user's and the group's number in a new namespace; tell if allowed."""
    try:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123 - one import less at every start
                file.write(text)
    except OSError:
        return False
    return True


def few_processes() -> None:
    """Limit the numbers of processes in a namespace of them, where that is possible, hence how many there can be.

    Before Linux 6.14 the limit is that of the whole system, and is left alone.
    """
    if _release() >= _OWN_LIMIT:
        with suppress(OSError), open("/proc/sys/kernel/pid_max", "w") as file:  # noqa: PTH123 - as above
            file.write(str(_RESERVED + _PROCESSES))


def _release() -> tuple[int, ...]:
    """Return the version of Linux, or (0,)."""
    try:
        return tuple(map(int, os.uname().release.split("-")[0].split(".")[:2]))
    except ValueError:
        return (0,)


def read_only() -> bool:
    """Let this process see all disks as ones that cannot be written, nor their files' owners and modes; tell if so."""
    _c.mount(b"none", b"/", None, _REC | _PRIVATE, None)
    attributes = struct.pack("=4Q", _RDONLY, 0, 0, 0)
    return not _c.syscall(_MOUNT_SETATTR, -1, b"/", _RECURSIVE, attributes, ctypes.c_size_t(len(attributes)))


def small_disk(folder: str) -> bool:
    """Put an empty disk of bounded size on a folder, for this process alone; tell if so."""
    size = f"size={DISK}m,nr_inodes={_FILES},mode=700".encode()
    return not _c.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", _NOSUID | _NODEV, size)


def share_memory(folder: str) -> bool:
    """Put memory that this process shares with those that it starts into a folder; tell if so."""
    return not _c.mount(os.fsencode(folder), os.fsencode(SHARED_MEMORY), None, _BIND, None)


def end_with_parent() -> None:
    """Let the system end this process when that which has forked it has ended."""
    _c.prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def confine(read: Iterable[str], write: Iterable[str], devices: Iterable[str], missing: dict[str, str]) -> None:
    """Wall this process in.

    Args:
        read: what it may read and execute; write: folders in which it may do anything.
        devices: files that it may read and write.
        missing: gets a sentence for each wall that the system does not have.
    """
    for name, most in (("CORE", 0), ("FSIZE", DISK << 20), ("NOFILE", _OPEN_FILES)):
        _limit(f"RLIMIT_{name}", most)
    if _c is None:
        missing["files"] = "only Linux can confine a program"
        return
    if "space" not in missing:  # elsewhere it counts all that the user runs
        _limit("RLIMIT_NPROC", _PROCESSES)
    for one in range(_CAPABILITIES):
        _c.prctl(_DROP, one, 0, 0, 0)
    if _c.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0):
        missing["privileges"] = "the system lets a bot gain rights by programs that have more"
    _guard_files(read, write, devices, missing)
    if not _guard_calls():
        missing["network"] = "the system has no filter of system calls here, so a bot may use the network"


# ---------------------------------------------------------------------- files and signals: Landlock


def version() -> int:
    """Return the version of Landlock that the system has, or 0."""
    return 0 if _c is None else max(0, _c.syscall(_CREATE, None, ctypes.c_size_t(0), 1))


def _guard_files(read: Iterable[str], write: Iterable[str], devices: Iterable[str], missing: dict[str, str]) -> None:
    """Allow files by a list, no ports, and signals among ourselves only."""
    known = version()
    if known < NEEDED_FILES:
        what = "does not keep a bot from emptying your files" if known else "guards no files"
        missing["files"] = f"the system {what}: that takes Linux 6.2 with Landlock in its list of security modules"
    if known < NEEDED_SIGNALS and "space" in missing:
        missing["signals"] = "the system lets a bot send signals to your other programs: Linux 6.12 does not"
    if not known:
        return
    all_rights = (1 << max(number for first, number in _RIGHTS.items() if first <= known)) - 1
    fields = [all_rights, *([3] if known >= 4 else []), *([3] if known >= 6 else [])]
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    rules = _c.syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    for paths, rights in (
        (read, _EXECUTE | _READ | _LIST),
        (write, all_rights & ~_DEVICE_FILES),
        (devices, _READ | _WRITE | all_rights & 1 << 15),
    ):
        for path in paths:
            _allow(rules, path, rights)
    if rules < 0 or _c.syscall(_RESTRICT, rules, 0):
        missing["files"] = f"the system guards no files: {os.strerror(ctypes.get_errno())}"
    if rules >= 0:
        os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    """Add a rule, if there is such a file or folder."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):  # noqa: PTH112 - as above
        rights &= _OF_FILES
    _c.syscall(_ADD, rules, 1, struct.pack("=Qi", rights, place), 0)
    os.close(place)


# ---------------------------------------------------------------------- sockets, keys, limits: a filter of calls


def _guard_calls() -> bool:
    """Forbid sockets, queues of calls, the keys of the user and the limits of other processes; tell if possible."""
    names = _ON.get(os.uname().machine, ()) if sys.byteorder == "little" else ()
    if _c is None or not names:
        return False
    code = b"".join(struct.pack("=HBBI", *one) for one in _filter(names))
    buffer = ctypes.create_string_buffer(code)
    program = struct.pack("=H6xQ" if struct.calcsize("P") == 8 else "=H2xI", len(code) // 8, ctypes.addressof(buffer))
    return not _c.prctl(_SECCOMP, 2, ctypes.create_string_buffer(program), 0, 0)


def _filter(names: Iterable[str]) -> list[tuple[int, int, int, int]]:
    """Return the filter: a block of instructions for each form of calls, and none of other forms is allowed.

    An instruction is its code, how many are skipped if its comparison holds, how many if not, and its number.
    """
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    allow, forbid = (answer, 0, 0, 0x7FFF0000), (answer, 0, 0, 0x50000 | _EACCES)
    done = [(load, 0, 0, 4)]  # the processor
    for name in names:
        processor, limits, forbidden = _CALLS[name]
        checks = [(at_least, _X32)] if name == "x86_64" else []
        checks += [(equal, one) for one in forbidden]
        block = [(load, 0, 0, 0)]  # the number of the call
        block += [(kind, len(checks) + 3 - k, 0, number) for k, (kind, number) in enumerate(checks)]
        block += [
            (equal, 0, 2, limits),
            (load, 0, 0, 16),  # whose limits: 0 is its own
            (equal, 0, 1, 0),
            allow,
            forbid,
        ]
        done += [(equal, 0, len(block), processor), *block]
    return [*done, forbid]
