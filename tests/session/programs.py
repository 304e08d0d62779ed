"""Other processes with a session in them: started as `python -m tests.session.programs TASK GROVE …`.

They go on until they are killed, and say on stdout what they have: `seconds length held`, the time by the
monotonic clock, and for how many seconds the disk has had something in hand that it has not written yet.
"""

from __future__ import annotations

import json
import logging
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

from PySide6.QtCore import QCoreApplication, QTimer, qWarning

from loomapp.core.edits.edit_context import EditContext
from loomapp.core.edits.node_edits import add_node
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.generation.provider import Provider
from loomapp.core.model.agent import Agent
from loomapp.providers import registry
from loomapp.providers.engine.engine import Engine
from loomapp.session.document import Document
from loomapp.session.journal.journal import Journal
from loomapp.session.lifetime.crashes import Session
from loomapp.session.lifetime.grove_lock import GroveLock
from loomapp.session.requests.generator import Generator
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.model_agents import CHOSEN
from loomapp.store.grove.open import open_grove
from loomapp.store.identity import new_id, now
from tests.kit.processes import warm

TIMEOUT_S = 240
LONGEST_PAUSE_MS = 60
SCRIPTED = Agent("scripted", "Scripted", "model", "scripted:answers")


def ask_server(grove: Grove, url: str) -> None:
    """From now on the chosen model of a grove answers with what a server on loopback says."""

    from tests.providers.outcome import chat  # brings an SDK, and who only types needs none

    def factory(_ref: str, _engine: Engine) -> Provider:
        return chat(url)

    own = replace(registry.PROVIDERS["local"], name="scripted", make=factory, loads_model=False)
    cast("dict[str, registry.InProcessProvider]", registry.PROVIDERS)["scripted"] = own
    grove.put_agent(SCRIPTED)
    grove.put_setting(CHOSEN, SCRIPTED.id)


def ask_server_in(document: Document, url: str) -> None:
    """Likewise where its tree is open."""
    ask_server(document.grove, url)
    document.agents.forget()
    document.agents.ask_only(SCRIPTED.id)


class Telling:
    """Says how much there is, and how long the journal has been waiting for the disk."""

    def __init__(self, journal: Journal | None) -> None:
        self._journal = journal
        self._asked_at: float | None = None

    def tell(self, length: int) -> None:
        at = time.monotonic()
        if self._journal is None or not self._journal.is_writing:
            self._asked_at = None
        elif self._asked_at is None:
            self._asked_at = at
        held = 0.0 if self._asked_at is None else at - self._asked_at
        print(at, length, held, flush=True)


def type_for_ever(path: str, seed: str, journal: str = "on") -> None:
    """Types into a composer, as fast and as unevenly as a person."""
    app = QCoreApplication([])
    chance = random.Random(seed)
    document = Document(open_grove(Path(path)))
    kept = Journal(document) if journal == "on" else None
    tree_id = document.tree.loom.id
    text = kept.composer_text(tree_id) if kept else ""
    timer, telling = QTimer(), Telling(kept)

    def type_a_key() -> None:
        nonlocal text
        text += chance.choice("abc \n\u00a0ö🌲")
        if kept is not None:
            kept.keep_composer(tree_id, text, document.current_id)
        telling.tell(len(text))
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
    telling = Telling(journal)

    def tell(lives: Sequence[LiveDraft]) -> None:
        telling.tell(len(lives[0].draft.text))

    generator.answers.drafts_grew.connect(tell)
    pen = EditContext(grove.owner.id, now(), new_id)
    document.commit(add_node(document.tree, document.current_id, "Go on.", pen))
    generator.start(Sources(document.current_id), 1)
    app.exec()


def hold(path: str) -> None:
    """Holds a grove as a window does, and says when the program was started with it again."""
    app = QCoreApplication([])
    single = GroveLock(Path(path))
    holder = single.take()
    print("mine" if holder is None else holder.pid, flush=True)
    if holder is None:
        single.opened_again.connect(lambda tree_id: print("again", tree_id, flush=True))
        app.exec()


def end_badly(path: str, key: str, words: str) -> None:
    """Notes faults that have a key and a person's words in them, and aborts as Qt would."""
    app = QCoreApplication([])
    session = Session()
    session.fault_found.connect(lambda fault: print(fault.kind, flush=True))
    with open_grove(Path(path)) as grove:
        document = Document(grove)
        pen = EditContext(grove.owner.id, now(), new_id)
        document.commit(add_node(document.tree, document.current_id, words, pen))
    log = logging.getLogger("loomapp.planted")
    log.warning("Authorization: Bearer %s, api_key=%s", key, key)
    log.warning("asked for %s", words)
    log.warning("of %(what)s", {"what": words})
    qWarning(f"QSomething: {key}")
    by_words: dict[str, object] = {}
    planted: list[Callable[[], object]] = [
        lambda: json.loads(words),
        lambda: by_words[words],
        f"{words}\ud800".encode,
        lambda: int(words),
        lambda: refuse(f"no key {key}"),
    ]
    for fault in planted:
        try:
            fault()
        except Exception as error:
            sys.excepthook(type(error), error, error.__traceback__)
    thread = threading.Thread(target=planted[0])
    thread.start()
    thread.join()
    app.processEvents()  # what a thread found is told on this one
    os.abort()


def refuse(why: str) -> None:
    """A fault of ours whose words say too much."""
    raise RuntimeError(why)


def live() -> None:
    """A session that has begun, and ends well when its stdin does."""
    QCoreApplication([])
    session = Session()
    print("again" if session.last else "fresh", flush=True)
    sys.stdin.read()
    session.close()


TASKS: dict[str, Callable[..., None]] = {
    "type_for_ever": type_for_ever,
    "stream_for_ever": stream_for_ever,
    "hold": hold,
    "end_badly": end_badly,
    "live": live,
}


@contextmanager
def program(task: str, *arguments: str, stderr: int | None = None) -> Iterator[subprocess.Popen[str]]:
    """A task in a process of its own, ended with the block."""
    command = [sys.executable, "-m", "tests.session.programs", task, *arguments]
    folder = Path(__file__).parents[2]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=stderr, text=True, cwd=folder) as process:
        try:
            yield process
        finally:
            process.kill()
            process.wait(TIMEOUT_S)


def forked(task: str, *arguments: str) -> AbstractContextManager[warm.Started]:
    """The same without what a start costs, for tasks that need nothing of a fresh interpreter."""
    return warm.program("session", task, *arguments)


def main(arguments: list[str]) -> None:
    """Do a task."""
    task, *rest = arguments
    TASKS[task](*rest)


if __name__ == "__main__":
    main(sys.argv[1:])
