"""Other processes with a session in them: started as `python -m tests.session.programs TASK GROVE …`.

They go on until they are killed, and say on stdout what they have: `seconds length` by the monotonic clock.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from PySide6.QtCore import QCoreApplication, QTimer

from loomapp.core.edits import Pen, add_node
from loomapp.core.generation import LiveDraft, Provider, Sources
from loomapp.core.tree import Agent
from loomapp.providers import registry
from loomapp.providers.engine import Engine
from loomapp.session.document import Document
from loomapp.session.generator import Generator
from loomapp.session.journal import Journal
from loomapp.store.grove import Grove, open_grove
from loomapp.store.identity import new_id, now
from loomapp.store.model_agents import CHOSEN
from tests.providers.outcome import chat

TIMEOUT_S = 60
LONGEST_PAUSE_MS = 60
SCRIPTED = Agent("scripted", "Scripted", "model", "scripted:answers")


def ask_server(grove: Grove, url: str) -> None:
    """From now on the chosen model of a grove answers with what a server on loopback says."""

    def factory(_ref: str, _engine: Engine) -> Provider:
        return chat(url)

    cast("dict[str, registry.Factory]", registry.PROVIDERS)["scripted"] = factory
    grove.put_agent(SCRIPTED)
    grove.put_setting(CHOSEN, SCRIPTED.id)


def type_for_ever(path: str, seed: str, journal: str = "on") -> None:
    """Types into a composer, as fast and as unevenly as a person."""
    app = QCoreApplication([])
    chance = random.Random(seed)
    document = Document(open_grove(Path(path)))
    kept = Journal(document) if journal == "on" else None
    tree_id = document.tree.loom.id
    text = kept.composer_text(tree_id) if kept else ""
    timer = QTimer()

    def type_a_key() -> None:
        nonlocal text
        text += chance.choice("abc \n\u00a0ö🌲")
        if kept is not None:
            kept.keep_composer(tree_id, text, document.current_id)
        print(time.monotonic(), len(text), flush=True)
        timer.start(chance.randrange(LONGEST_PAUSE_MS))

    timer.setSingleShot(True)
    timer.timeout.connect(type_a_key)
    timer.start(0)
    app.exec()


def stream_for_ever(path: str, url: str) -> None:
    """Asks the server on loopback for a continuation, and says how much of it has come."""
    app = QCoreApplication([])
    grove = open_grove(Path(path))
    ask_server(grove, url)
    document = Document(grove)
    generator = Generator(document, Engine())
    journal = Journal(document)
    journal.follow(generator)

    def tell(live: LiveDraft) -> None:
        print(time.monotonic(), len(live.draft.text), flush=True)

    generator.draft_grew.connect(tell)
    pen = Pen(grove.owner.id, now(), new_id)
    document.commit(add_node(document.tree, document.current_id, "Go on.", pen))
    generator.start(Sources(document.current_id), 1)
    app.exec()


TASKS: dict[str, Callable[..., None]] = {
    "type_for_ever": type_for_ever,
    "stream_for_ever": stream_for_ever,
}


@contextmanager
def program(task: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A task in a process of its own, ended with the block."""
    command = [sys.executable, "-m", "tests.session.programs", task, *arguments]
    folder = Path(__file__).parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        try:
            yield process
        finally:
            process.kill()
            process.wait(TIMEOUT_S)


if __name__ == "__main__":
    TASKS[sys.argv[1]](*sys.argv[2:])
