"""Writes resources/window.png, the README's picture: the window on the sample tree, drawn without a screen.

    python packaging/make_picture.py [FILE]

Run it again whenever the window looks otherwise.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

RESOURCE = Path(__file__).parent.parent / "resources" / "window.png"


def main(picture: Path) -> None:
    """Draw the window on a grove of its own, with the settings and the look of a first start."""
    with tempfile.TemporaryDirectory() as home:
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            os.environ[name] = home
        from loomapp import app  # late: the folders are read when it is imported
        from loomapp.cli.groves import add_sample
        from loomapp.store.grove.open import create_grove

        grove = Path(home) / "grove.loom"
        with create_grove(grove) as opened:
            add_sample(opened)
        app.save_picture(grove, picture)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else RESOURCE)
