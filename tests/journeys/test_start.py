"""Starting the window: what it loads, what it says, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.kit.desktop import Desktop
from tests.kit.processes.outside import new_tree

MOST_MODULES = 430  # of our own, packages not counted, when the window is seen

LOOK = """
import json, sys
from pathlib import Path
from loomapp.app import build_window, make_application
from loomapp.ui.commands import on_demand
app = make_application(["loomapp"])
window = build_window(Path(sys.argv[1]))
window.show()
app.processEvents()
heavy = (
    *on_demand.MODULES.values(), "loomapp.ui.widgets.file_dialog",
    "loomapp.session.background.subprocess_command", "html", "mimetypes",
    "openai", "anthropic", "httpx2", "alembic", "xllamacpp", "mcp", "pygments",
)
loaded = [name for name in heavy if name in sys.modules]
ours = {name: it for name, it in sys.modules.items() if name.startswith("loomapp.")}
own = [name for name, it in ours.items() if not hasattr(it, "__path__")]
print(json.dumps([loaded, len(own)]))
window.close()
"""


def test_the_window_starts_without_any_sdk(tmp_path: Path, desktop: Desktop) -> None:
    grove = tmp_path / "g.loom"
    new_tree(grove)

    done = subprocess.run(
        [sys.executable, "-c", LOOK, str(grove)],
        env=os.environ | {"DISPLAY": desktop.display},
        capture_output=True,
        text=True,
        timeout=240,
    )

    assert done.returncode == 0, done.stderr
    loaded, own = json.loads(done.stdout)
    assert loaded == []
    assert own <= MOST_MODULES, "load at first use what the first look at the window does not need"
    assert done.stderr == ""


STARTED = """
import gc, os, sys, threading
from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

FORMATS = "loomapp.formats.registry"
loading = []

class Finder:
    def find_spec(self, name, path, target=None):
        if name == FORMATS:
            loading.append(threading.current_thread().name)

def look(*_):
    frozen = gc.get_freeze_count() > 10_000
    while not loading:
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    print(gc.isenabled(), frozen, *loading, flush=True)
    os._exit(0)

QApplication.exec = look
sys.meta_path.insert(0, Finder())
from loomapp import app
app.QUIET_AFTER_MS = 0
from loomapp.__main__ import main
main([sys.argv[1]])
"""


def test_what_a_start_loads_is_left_alone_and_formats_come_beside_it(
    tmp_path: Path, desktop: Desktop
) -> None:
    grove = tmp_path / "g.loom"
    new_tree(grove)

    done = subprocess.run(
        [sys.executable, "-c", STARTED, str(grove)],
        env=os.environ | {"DISPLAY": desktop.display},
        capture_output=True,
        text=True,
        timeout=240,
    )

    assert done.stdout == "False True formats\n", done.stderr
