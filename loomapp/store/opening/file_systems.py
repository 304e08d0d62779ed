"""On which kind of file system a file lies, and whether it may write at all."""

from __future__ import annotations

import os
import re
from pathlib import Path

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
    place = path.resolve()
    kind, depth = "", -1
    for line in mounts.splitlines():
        fields, _, rest = line.partition(" - ")
        point = Path(_unescape(fields.split(" ")[4]))
        # Of several mounts on one point the last one hides the others.
        if place.is_relative_to(point) and len(point.parts) >= depth:
            kind, depth = rest.split(" ", 1)[0], len(point.parts)
    return kind


def _unescape(name: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), name)


def is_writable(path: Path) -> bool:
    """Tell whether a file or folder may be written: by its permissions, which here bind the administrator
    too.
    """
    return bool(path.stat().st_mode & 0o222) and os.access(path, os.W_OK)
