"""Where things are: the bundled resources, and the user's folders."""

from __future__ import annotations

import os
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
