"""What a screen reader finds and hears: the whole program on a bus, its outline read and grown by key."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.model.agent import Agent
from loomapp.store.grove.model_agents import CHOSEN
from loomapp.store.grove.open import create_grove
from tests.journeys.screen_reader import PATIENCE_S, Reader, ReaderMissing, Thing, environment, session_bus
from tests.kit.desktop import Desktop
from tests.kit.ids import counted_ids
from tests.kit.servers.fake_server import DONE, Conversation, FakeServer, chunk, usage
from tests.kit.servers.own_endpoints import add_endpoint

OWN = Agent("own", "Parrot", "model", "own:parrot")


def names_birds(conversation: Conversation) -> None:
    """A model that writes as many answers as it is asked for in one request."""
    conversation.head()
    for index in range(json.loads(conversation.request.body)["n"]):
        conversation.send(chunk(f"Bird {index}.", index=index) + chunk(reason="stop", index=index))
    conversation.send(usage(7, 3) + DONE)


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """A question with two answers, the second of them read; its model is Parrot."""
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        pen = edit_context.EditContext(grove.owner.id, 1_790_000_000_000, counted_ids())
        tree = tree_edits.new_tree("dialogue", "Birds", pen, text="Name a bird.")
        grove.add_tree(tree, [grove.owner])
        tree = grove.load_tree(tree.loom.id)
        for text in ("Wren.", "Lark."):
            grove.commit(tree, node_edits.add_node(tree, tree.root_id, text, pen))
        grove.put_agent(OWN)
        grove.put_setting(CHOSEN, OWN.id)
    return path


@contextmanager
def program(grove: Path, home: Path, url: str, session: str) -> Iterator[None]:
    """Loomapp as it is started, with an endpoint of one's own."""
    folders = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "STATE")}
    config = home / "config" / "loomapp"
    add_endpoint("own", url, "chat", folder=config)
    command = [sys.executable, "-m", "loomapp", str(grove)]
    with subprocess.Popen(command, env=environment(session) | folders) as process:
        try:
            yield
        finally:
            process.terminate()


def until(find: Callable[[], Thing | None]) -> Thing:
    """Ask again until there is something."""
    over = time.monotonic() + PATIENCE_S
    while time.monotonic() < over:
        found = find()
        if found is not None:
            return found
        time.sleep(0.1)
    pytest.fail("what is looked for never came")


def until_rows(reader: Reader, outline: Thing, *expected: tuple[str, bool]) -> None:
    """Ask again until the outline has these rows."""
    over = time.monotonic() + PATIENCE_S / 4
    while time.monotonic() < over and rows(reader, outline) != list(expected):
        time.sleep(0.1)
    assert rows(reader, outline) == list(expected)


def press(*keys: str) -> None:
    subprocess.run(["xdotool", "key", "--delay", "20", *keys], check=True, env=os.environ)


def rows(reader: Reader, outline: Thing) -> list[tuple[str, bool]]:
    """The rows of an outline: what is said of each, and whether what is below it is shown."""
    found = [thing for thing in reader.children(outline) if reader.role(thing) == "tree item"]
    return [(reader.name(thing), "expanded" in reader.states(thing)) for thing in found]


def messages(reader: Reader, dialogue: Thing) -> list[tuple[str, str]]:
    """What is said of each message, from the top: whose it is, and its words."""
    named = [thing for thing in reader.parts(dialogue, role="section") if reader.name(thing)]
    return [(reader.name(t), reader.name(reader.parts(t, role="paragraph")[0])) for t in named]


def hear_selected(reader: Reader, words: str) -> None:
    """Wait until the reader would speak of a row because it was chosen."""
    while True:
        heard = reader.hears("StateChanged", detail="selected")
        if heard.first and words in reader.name(heard.thing):
            return


def cards(reader: Reader, graph: Thing) -> dict[str, Thing]:
    """The cards of a graph by what is said of each, without what becomes of it."""
    found = [thing for thing in reader.children(graph) if reader.role(thing) == "list item"]
    return {reader.name(thing).partition("\n")[0]: thing for thing in found}


def hear_focused(reader: Reader, words: str) -> None:
    """Wait until the reader would speak of a card because the keyboard came to it."""
    while True:
        heard = reader.hears("StateChanged", detail="focused")
        if heard.first and words in reader.name(heard.thing):
            return


def hear_said(reader: Reader, words: str) -> None:
    """Wait until it is announced."""
    while reader.hears("Announcement").value != words:
        pass


def test_the_outline_is_read_walked_and_its_growth_announced(
    grove: Path, tmp_path: Path, desktop: Desktop
) -> None:
    try:
        with session_bus() as session, FakeServer(names_birds) as server:
            reader = Reader(session)
            try:
                with program(grove, tmp_path / "home", server.url, session):
                    follow(reader)
            finally:
                reader.close()
    except ReaderMissing as error:
        pytest.fail(str(error), pytrace=False)  # a test that is left out would hide what it guards


def follow(reader: Reader) -> None:
    app = until(lambda: next((p for p in reader.programs() if reader.name(p) == "loomapp"), None))
    assert reader.role(app) == "application"
    window = until(lambda: next((w for w in reader.children(app) if "Birds" in reader.name(w)), None))
    outline = until(lambda: reader.find(window, role="tree", name="Outline of the tree"))
    whole = (("message 1, You: Name a bird.", False), ("message 2, You, 2 of 2: Lark.", False))
    until_rows(reader, outline, *whole)
    headers = [reader.name(t) for t in reader.children(outline) if reader.role(t) == "column header"]
    assert headers == ["Messages"], "not the number of the column"

    graph = until(lambda: reader.find(window, role="canvas", name="Graph of the tree"))
    birds = {f"You: {words}" for words in ("Name a bird.", "Wren.", "Lark.")}
    assert set(cards(reader, graph)) == birds
    assert "selected" in reader.states(cards(reader, graph)["You: Lark."])
    dialogue = until(lambda: reader.find(window, role="document", name="Dialogue"))
    assert messages(reader, dialogue) == [("You", "Name a bird."), ("You, 2 of 2", "Lark.")]

    press("ctrl+1", "Up")
    hear_focused(reader, "You: Wren.")
    press("Down")
    hear_focused(reader, "You: Lark.")

    press("ctrl+4", "Up")
    hear_selected(reader, "Name a bird.")
    press("Down")
    hear_selected(reader, "Lark.")

    press("ctrl+Return")
    hear_said(reader, "3 branches ready")
    until_rows(reader, outline, *whole, ("message 3, Parrot, 1 of 3: Bird 0.", False))
    press("ctrl+z")
    hear_said(reader, "Undone: Generate 3 continuations")
