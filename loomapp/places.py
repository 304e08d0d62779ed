"""Places of files: the bundled resources, and the user's folders."""

from __future__ import annotations

import json
import os
from pathlib import Path

import platformdirs

from loomapp.files import remember

APP = "loomapp"
GROVE_NAME = "grove.loom"
RECENT_NAME = "recent-groves.json"
FOLDER_NAME = "recent-folder.json"
MOST_RECENT = 8


def resource(name: str) -> Path:
    """A bundled file: inside the installed package, or in the checkout's top-level `resources/`."""
    package = Path(__file__).parent
    installed = package / "resources"
    return (installed if installed.is_dir() else package.parent / "resources") / name


def data_folder() -> Path:
    """The user's data: the default grove and its media."""
    return Path(platformdirs.user_data_dir(APP, appauthor=False))


def config_folder() -> Path:
    return Path(platformdirs.user_config_dir(APP, appauthor=False))


def state_folder() -> Path:
    """Logs and what is remembered between starts."""
    return Path(platformdirs.user_state_dir(APP, appauthor=False))


def model_folder() -> Path:
    """Local model files: LOOMAPP_MODEL_DIR, else a folder in the user's data."""
    chosen = os.environ.get("LOOMAPP_MODEL_DIR")
    return Path(chosen) if chosen else data_folder() / "models"


def default_grove() -> Path:
    return data_folder() / GROVE_NAME


def last_grove() -> Path | None:
    """The grove that the window had open last; None if it never had one, or this cannot be read."""
    return next(iter(recent_groves()), None)


def recent_groves() -> list[Path]:
    """The groves that the window had open, the last one first; they may be gone since."""
    try:
        names = json.loads((state_folder() / RECENT_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    names = names if isinstance(names, list) else []
    return [Path(name) for name in names if isinstance(name, str) and name][:MOST_RECENT]


def remember_grove(path: Path) -> None:
    """Keep the grove as the one opened last. A folder that cannot be written is no reason to fail."""
    groves = [path.absolute(), *(other for other in recent_groves() if other != path.absolute())]
    remember(state_folder() / RECENT_NAME, json.dumps([str(grove) for grove in groves[:MOST_RECENT]]))


def last_folder() -> Path | None:
    """The folder that a file was last chosen in; None if none was, or this cannot be read. It may be gone."""
    try:
        name = json.loads((state_folder() / FOLDER_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return Path(name) if isinstance(name, str) and name else None


def remember_folder(path: Path) -> None:
    """Keep the folder as the one that a file was last chosen in."""
    remember(state_folder() / FOLDER_NAME, json.dumps(str(path.absolute())))
