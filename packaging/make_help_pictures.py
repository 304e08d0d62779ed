"""Writes the help page's pictures, one for each use and theme, to resources/help, drawn without a screen.

    python packaging/make_help_pictures.py [FOLDER]

Run it again whenever the parts that they show look otherwise.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loomapp.store.grove.grove import Grove

RESOURCES = Path(__file__).parent.parent / "resources" / "help"
WIDTH_PX, HEIGHT_PX = 400, 170  # as they are shown; a file has twice as many
PROSE = (
    (False, "The road into Sel was white with salt. Ines walked it in the cool of the day,"),
    (True, " the key in her left hand, where the old one had carried it, and counted the open doors."),
    (False, " There were four."),
)


def main(folder: Path) -> None:
    """Draw each part of a window on a grove of its own, in each theme."""
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            os.environ[name] = home
        os.environ |= {"QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": "2"}
        draw(folder, Path(home) / "grove.loom")


def draw(folder: Path, path: Path) -> None:
    """Draw the graph, a buffer and the inspector."""
    from PySide6.QtCore import QPoint, QRect, QSize, qInstallMessageHandler
    from PySide6.QtGui import QImage, QPixmap
    from PySide6.QtTest import QTest

    from loomapp import app  # late: folders and scale are read when it is imported
    from loomapp.cli.groves import add_sample
    from loomapp.store.grove.open import create_grove
    from loomapp.ui.look import theme

    qInstallMessageHandler(app.on_qt_message)
    application = app.make_application(["loomapp"])
    with create_grove(path) as grove:
        sample_id, buffer_id = add_sample(grove).loom.id, add_prose(grove)
    window = app.window_on(app.opened(path))
    window.show()

    def save(name: str, grab: Callable[[QRect], QPixmap], corner: QPoint) -> None:
        QTest.qWait(1000)
        picture = grab(QRect(corner, QSize(WIDTH_PX, HEIGHT_PX))).toImage()
        picture.convertToFormat(QImage.Format.Format_RGB888).save(
            str(folder / f"{name}-{theme.current_name()}.png"), quality=0
        )

    for look in ("light", "dark"):
        theme.apply(application, look)
        window.setMinimumSize(1280, 820)  # the screen that is not there is small
        window.open_tree(sample_id)
        QTest.qWait(1000)
        window.graph.fit_all()
        save("chat", window.graph.grab, QPoint(150, 90))
        save("study", window.inspector.grab, QPoint(0, 0))
        window.open_tree(buffer_id)
        window.setMinimumSize(960, 820)
        window.resize(960, 820)
        save("buffer", window.text_pane.grab, QPoint(0, 40))
    window.close()
    application.processEvents()


def add_prose(grove: Grove) -> str:
    """Add a buffer that a person and a model wrote in turns; return its id."""
    from loomapp.core.edits import node_edits, tree_edits
    from loomapp.core.edits.edit_context import EditContext
    from loomapp.providers.engine.model_fetch import DEFAULT_MODEL_REF
    from loomapp.store.grove.model_agents import agent_for
    from loomapp.store.identity import new_id, now

    model = agent_for(grove, DEFAULT_MODEL_REF)
    person = EditContext(grove.owner.id, now(), new_id)
    made = tree_edits.new_tree("buffer", "The road into Sel", person)
    grove.add_tree(made, [grove.owner, model])
    tree = grove.load_tree(made.loom.id)
    for is_model, words in PROSE:
        pen = EditContext(model.id, now(), new_id, author_type="model") if is_model else person
        grove.commit(tree, node_edits.add_node(tree, tree.path.leaf_id, words, pen))
    return made.loom.id


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else RESOURCES)
