"""Names and place of a grove file: its other names, and the kind of file system that it lies on."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from loomapp import places
from loomapp.core.errors import GroveError
from loomapp.core.sentences import worded

# WAL needs memory shared between all that open the file; these do not give it, or not reliably.
NETWORKED = frozenset(
    {
        "9p", "afs", "beegfs", "ceph", "cifs", "davfs", "fuse.davfs2", "fuse.glusterfs", "fuse.rclone",
        "fuse.s3fs", "fuse.sshfs", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "smb3", "smbfs", "vboxsf",
    }
)  # fmt: skip
MOUNTS = Path("/proc/self/mountinfo")


def is_networked(path: Path) -> bool:
    """True if a file at this path would lie on a network or shared folder; False where that is unknown."""
    try:
        mounts = MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return False
    return kind_of_mount(path, mounts) in NETWORKED


def kind_of_mount(path: Path, mounts: str) -> str:
    """The file system type of the innermost mount that holds a path; "" if none does.

    `mounts` is in the form of /proc/self/mountinfo (proc_pid_mountinfo(5)).
    """
    place = str(path.resolve())
    kind, longest = "", -1
    for line in mounts.splitlines():
        fields, _, rest = line.partition(" - ")
        point = _unescape(fields.split(" ")[4]).rstrip("/")
        # Of several mounts on one point the last one hides the others.
        if (place == point or place.startswith(f"{point}/")) and len(point) >= longest:
            kind, longest = rest.split(" ", 1)[0], len(point)
    return kind


def _unescape(name: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), name) if "\\" in name else name


def is_writable(path: Path) -> bool:
    """Tell whether a file or folder may be written: by its permissions, which here bind the administrator
    too.
    """
    return bool(path.stat().st_mode & 0o222) and os.access(path, os.W_OK)


def last_written(path: Path) -> tuple[tuple[int, int], ...]:
    """Return when a grove file and its log were written, and their sizes: others after any commit, for next
    to no time. Some systems tell it late.
    """
    found: list[tuple[int, int]] = []
    for ending in ("", "-wal"):
        with suppress(OSError):
            status = path.with_name(path.name + ending).stat()
            found.append((status.st_mtime_ns, status.st_size))
    return tuple(found)


def name_lock(grove: Path) -> Path:
    """The lock that a window holds on a grove by its name: beside the file, wherever links to it are."""
    file = grove.resolve()
    return file.with_name(f"{file.name}.lock")


def file_lock(grove: Path) -> Path | None:
    """The lock that a window holds on the file whatever it is called; None if there is no file."""
    try:
        status = grove.stat()
    except OSError:
        return None
    return places.state_folder() / "open-files" / f"{status.st_dev:x}-{status.st_ino:x}.lock"


def refuse_second_name(grove: Path) -> None:
    """Refuse a file that a window has open under another of its names.

    Raises: GroveError openElsewhere.
    """
    lock = file_lock(grove)
    if lock is None or grove.stat().st_nlink < 2 or name_lock(grove).exists():
        return
    holder = _holder_of(lock)
    if holder is not None and holder != os.getpid() and _is_alive(holder):
        text = worded(
            "{grove} is open in a window (process {holder}) under another name of the same file; use "
            "that name, or close the window.",
            grove=grove,
            holder=holder,
        )
        raise GroveError("openElsewhere", text, path=str(grove), pid=holder)


def _holder_of(lock: Path) -> int | None:
    """The process in a QLockFile, whose first line is its number."""
    with suppress(OSError, ValueError, IndexError):
        return int(lock.read_text(encoding="utf-8").splitlines()[0])
    return None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
