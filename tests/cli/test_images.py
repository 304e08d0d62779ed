"""Images on the command line: sent from a grove and from a file that carries them; told where they are."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.model.content import Image, Mixed, Text
from loomapp.providers.capability import tell_images
from loomapp.store.files.media import add_media, media_folder
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now
from tests.kit.processes.command import loomapp
from tests.kit.servers.dialects import DIALECTS
from tests.kit.servers.fake_server import FakeServer
from tests.kit.servers.own_endpoints import add_endpoint

DATA = b"bytes of an image, which nobody decodes here"
CAT = Image(hashlib.sha256(DATA).hexdigest(), "image/png", 4, 3, "cat.png")
PART = {
    "type": "image_url",
    "image_url": {"url": "data:image/png;base64," + base64.b64encode(DATA).decode()},
}


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(*[DIALECTS["chat"].answer("A cat.")] * 2) as server:
        add_endpoint("there", server.url, "chat")
        tell_images("there:fake-1", True)
        yield server


@pytest.fixture
def tree(tmp_path: Path) -> tuple[Path, str, str]:
    """A grove, its tree, and a message with an image."""
    path = tmp_path / "g.loom"
    add_media(path, [DATA])
    with create_grove(path) as grove:
        pen = edit_context.EditContext(grove.owner.id, now(), new_id)
        tree = tree_edits.new_tree("dialogue", "t", pen)
        grove.add_tree(tree, [grove.owner], [])
        tree = grove.load_tree(tree.loom.id)
        change = node_edits.add_content(tree, tree.root_id, Mixed((CAT, Text("What is it?"))), pen)
        grove.commit(tree, change)
    return path, tree.loom.id, change.added_nodes()[0].id


def received(server: FakeServer) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = json.loads(server.received[-1].body)["messages"]
    return messages


def test_an_image_is_sent_from_a_grove_and_from_a_file(
    server: FakeServer, tree: tuple[Path, str, str], tmp_path: Path
) -> None:
    grove, tree_id, node_id = tree
    file = tmp_path / "t.loom.json"
    file.write_text(
        loomapp("export", "--grove", grove, "--tree", tree_id, "--format", "loom-json").out, encoding="utf-8"
    )

    for where in (("--grove", grove, "--tree", tree_id), (file,)):
        ran = loomapp("generate", *where, "--at", node_id, "--model", "there:fake-1")

        assert ran.status == 0, ran.err
        assert received(server) == [
            {"role": "user", "content": [PART, {"type": "text", "text": "What is it?"}]}
        ]


def test_an_image_that_is_gone_is_sent_by_its_name_and_check_says_so(
    server: FakeServer, tree: tuple[Path, str, str]
) -> None:
    grove, tree_id, node_id = tree
    (media_folder(grove) / CAT.ref).unlink()

    checked = loomapp("check", "--grove", grove)
    ran = loomapp("generate", "--grove", grove, "--tree", tree_id, "--at", node_id, "--model", "there:fake-1")

    assert checked.status == 1
    assert f"its image {CAT.ref} is missing" in checked.out
    assert ran.status == 0
    assert received(server) == [{"role": "user", "content": "[image: cat.png]\n\nWhat is it?"}]


def test_assemble_names_an_image_whether_its_bytes_are_there_or_not(tree: tuple[Path, str, str]) -> None:
    grove, tree_id, node_id = tree
    whole = loomapp("assemble", "--grove", grove, "--tree", tree_id, "--at", node_id)
    (media_folder(grove) / CAT.ref).unlink()
    gone = loomapp("assemble", "--grove", grove, "--tree", tree_id, "--at", node_id)

    assert whole.out == gone.out
    part = {"type": "image", "ref": CAT.ref, "mimeType": "image/png", "altText": "cat.png"}
    assert json.loads(whole.out)["messages"][0]["parts"] == [part, {"type": "text", "text": "What is it?"}]
