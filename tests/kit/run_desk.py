"""A desk of runs: an open grove with a collaborator and a subject, and what is asked in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from loomapp.core.generation.answers import Sources
from loomapp.core.model.agent import RunLimits
from loomapp.formats import loom_json
from loomapp.providers.engine.engine import Engine
from loomapp.session.document import Document
from loomapp.session.requests.generator import Generator
from loomapp.store.grove.open import create_grove, open_grove
from tests.kit.collaborators import conversation
from tests.kit.servers.fake_server import Conversation, FakeServer, Script, chunk

START = "b3k9mm"
USUAL = RunLimits()
Serve = Callable[..., FakeServer]


class Desk:
    """An open grove with a conversation, a collaborator and a subject, and what is asked in it."""

    def __init__(self, folder: Path) -> None:
        self.grove = open_grove(imported_talk(folder))
        self.document = Document(self.grove)
        self.engine = Engine()
        self.generator = Generator(self.document, self.engine)
        self.said: list[str] = []
        self.generator.answers.wordless.connect(lambda said: self.said.append(str(said)))

    def run(self, limits: RunLimits = USUAL) -> None:
        """Have the collaborator continue the second question."""
        agent = replace(self.document.agents.by_id()["claude"], run_limits=limits)
        self.generator.start(Sources(START), 1, agents=(agent,))

    def undo(self) -> None:
        self.document.history.undo(lambda _: None)

    def is_over(self) -> bool:
        return not self.generator.is_streaming()

    def answers(self) -> list[str]:
        tree = self.document.tree
        return [tree.nodes[node_id].text for node_id in tree.children(START)]

    def close(self) -> None:
        self.generator.close()
        self.document.deleteLater()
        self.grove.close()


def imported_talk(folder: Path) -> Path:
    """A grove with a conversation, a collaborator and a subject."""
    imported = loom_json.read(json.dumps(conversation()).encode())
    grove = create_grove(folder / "g.loom")
    grove.add_tree(imported.tree, imported.agents, [])
    grove.close()
    return grove.path


def endless(text: str) -> Script:
    """An answer that begins with some words and goes on till its reader leaves."""

    def script(conversation: Conversation) -> None:
        conversation.head()
        conversation.send(chunk(text))
        conversation.wait_until_left()

    return script
