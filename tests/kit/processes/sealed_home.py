"""An environment of its own for a test run: a temporary home, no keys, no proxies, no desktop."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

MODEL_DIR = "LOOMAPP_MODEL_DIR"

FOLDERS = {
    "XDG_DATA_HOME": ".local/share",
    "XDG_CONFIG_HOME": ".config",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
    "XDG_RUNTIME_DIR": ".run",
}
"""Variable and its folder below the home."""

KEPT_BETWEEN_TESTS = "XDG_CACHE_HOME"
"""The font cache: costly to build, and no user data."""

IN_MEMORY = Path("/dev/shm")
ROOM_BYTES = 8 << 30
"""Far more than the files of a run; the folder may be as large as the memory."""

SEED = "LOOMAPP_TEST_SEED"
"""Where random tests begin: a number, or "any" for what was never drawn before. See tests.kit.chance."""

FOREIGN_PREFIXES = ("QT_", "QML", "LOOMAPP_", "ANTHROPIC_", "OPENAI_", "OPENROUTER_")
FOREIGN = {
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "SESSION_MANAGER",
    "DESKTOP_SESSION",
    "XDG_CURRENT_DESKTOP",
}


def seal() -> Path:
    """Moves this process, and every process it starts, into a fresh home, which it returns.

    Call it before anything of loomapp is imported. The model folder stays: the one named by
    LOOMAPP_MODEL_DIR, else the user's own if there is one; so the model is fetched once, not for every run.
    """
    _keep_bytecode()
    _wait_for_no_disk()
    models = _model_folder()
    for name in list(os.environ):
        if _is_foreign(name):
            del os.environ[name]
    home = Path(tempfile.mkdtemp(prefix="loomapp-tests-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    os.environ["HOME"] = str(home)
    for name, folder in FOLDERS.items():
        (home / folder).mkdir(parents=True, mode=0o700)
        os.environ[name] = str(home / folder)
    os.environ[MODEL_DIR] = str(models or home / "models")
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    os.environ["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"
    os.environ["NO_AT_BRIDGE"] = "1"
    os.environ["LC_ALL"] = "C.UTF-8"
    return home


def empty(home: Path) -> None:
    """Takes away what a test left in the user's folders."""
    for name, folder in FOLDERS.items():
        if name == KEPT_BETWEEN_TESTS:
            continue
        for left in (home / folder).iterdir():
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left)
            else:
                left.unlink()


def _keep_bytecode() -> None:
    """Where none is to be written, write it beside the checkout, not in it: else every process compiles anew.

    Half of what collecting takes is the compiling of tests, and nearly half of what a window's start does.
    """
    if sys.dont_write_bytecode and sys.pycache_prefix is None:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "loomapp-ci" / "bytecode"
        sys.dont_write_bytecode, sys.pycache_prefix = False, str(cache)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(cache)


def _wait_for_no_disk() -> None:
    """Put temporary files into memory where there is room and programs in them may be run: every step in a
    grove is synced, and each sync of a disk takes as long as the rest of the step.
    """
    if "TMPDIR" in os.environ or not os.access(IN_MEMORY, os.W_OK):
        return
    found = os.statvfs(IN_MEMORY)
    if found.f_bavail * found.f_frsize >= ROOM_BYTES and not found.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = tempfile.tempdir = str(IN_MEMORY)


def _is_foreign(name: str) -> bool:
    """Whether a variable would let the person's own desktop, keys or proxies into a test."""
    upper = name.upper()
    return upper != SEED and (
        upper.endswith(("_PROXY", "_API_KEY", "_AUTH_TOKEN"))
        or upper.startswith(FOREIGN_PREFIXES)
        or upper in FOREIGN
    )


def _model_folder() -> Path | None:
    named = os.environ.get(MODEL_DIR)
    if named:
        return Path(named).absolute()
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    own = Path(data).expanduser() / "loomapp" / "models"
    return own if own.is_dir() else None
