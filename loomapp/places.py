"""Where things are: the bundled resources, and the user's folders."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import platformdirs

APP = "loomapp"
GROVE_NAME = "grove.loom"


def resource(name: str) -> Path:
    """A bundled file: inside the installed package, or in the checkout's top-level `resources/`."""
    package = Path(__file__).parent
    installed = package / "resources"
    return (installed if installed.is_dir() else package.parent / "resources") / name


def data_folder() -> Path:
    """The user's data: the default grove and its media."""
    return Path(platformdirs.user_data_dir(APP, appauthor=False))


def config_folder() -> Path:
    """The user's settings."""
    return Path(platformdirs.user_config_dir(APP, appauthor=False))


def state_folder() -> Path:
    """Logs and what is remembered between starts."""
    return Path(platformdirs.user_state_dir(APP, appauthor=False))


def model_folder() -> Path:
    """Local model files: LOOMAPP_MODEL_DIR, else a folder in the user's data."""
    chosen = os.environ.get("LOOMAPP_MODEL_DIR")
    return Path(chosen) if chosen else data_folder() / "models"


def default_grove() -> Path:
    """The grove that is made on the first start."""
    return data_folder() / GROVE_NAME


def last_grove() -> Path | None:
    """The grove that the window had open last; None if it never had one, or this cannot be read."""
    try:
        name = (state_folder() / "last-grove").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
    return Path(name) if name else None


def remember_grove(path: Path) -> None:
    """Keep the grove as the one opened last. A folder that cannot be written is no reason to fail."""
    with suppress(OSError):
        state_folder().mkdir(parents=True, exist_ok=True)
        (state_folder() / "last-grove").write_text(str(path.absolute()), encoding="utf-8")
