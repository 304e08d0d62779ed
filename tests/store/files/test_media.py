"""Images beside a grove: each once, under the SHA-256 of its bytes, and told when they are gone."""

from __future__ import annotations

import hashlib
from pathlib import Path
from threading import Thread

import pytest

from loomapp.core.edits import edit_context, node_edits, tree_edits
from loomapp.core.errors import GroveError
from loomapp.core.model.content import MOST_SENT_BYTES, Image, withheld
from loomapp.core.model.new_tree import ASSET
from loomapp.store.checks.check import check
from loomapp.store.files.media import MediaFolder, MediaOfFile, add_media, media_folder
from loomapp.store.grove.open import create_grove
from loomapp.store.identity import new_id, now

DATA = b"pixels, as far as anybody here knows"
REF = hashlib.sha256(DATA).hexdigest()


def test_an_image_is_written_once_and_again_if_it_is_not_what_it_was(tmp_path: Path) -> None:
    grove = tmp_path / "g.loom"
    media = MediaFolder(grove)
    assert media.size(REF) is None
    threads = [Thread(target=add_media, args=(grove, [DATA])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    [file] = media_folder(grove).iterdir()
    assert (file.name, file.read_bytes()) == (REF, DATA)
    assert (media.size(REF), media.read(REF)) == (len(DATA), DATA)

    written_at = file.stat().st_mtime_ns
    add_media(grove, [DATA])
    assert file.stat().st_mtime_ns == written_at

    file.write_bytes(b"somebody else's")
    assert media.read(REF) is None
    add_media(grove, [DATA])
    assert media.read(REF) == DATA


def test_names_that_lead_elsewhere_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / hashlib.sha256(b"secret").hexdigest()
    secret.write_bytes(b"secret")
    add_media(tmp_path / "g.loom", [DATA])

    media = MediaFolder(tmp_path / "g.loom")

    assert media.read(f"../{secret.name}") is None
    assert media.read(str(secret)) is None
    assert media.size(f"../{secret.name}") is None


def test_where_the_folder_cannot_be_made_it_is_told(tmp_path: Path) -> None:
    media_folder(tmp_path / "g.loom").write_text("a file in its place")

    with pytest.raises(GroveError, match="cannot be written"):
        add_media(tmp_path / "g.loom", [DATA])


def test_what_cannot_be_sent_is_known_with_its_reason() -> None:
    large = b"x" * (MOST_SENT_BYTES + 1)
    names = {data: hashlib.sha256(data).hexdigest() for data in (DATA, large)}
    media = MediaOfFile({name: data for data, name in names.items()})
    images = [
        Image(names[DATA], "image/png"),
        Image(names[large], "image/png"),
        Image("0" * 64, "image/png"),
    ]

    assert withheld(images, media) == {names[large]: "size", "0" * 64: "missing"}
    assert withheld([Image(names[DATA], "image/svg+xml")], media) == {names[DATA]: "format"}
    assert withheld(images, None) == {}


def test_a_check_names_the_nodes_whose_images_are_gone_or_changed(tmp_path: Path) -> None:
    path = tmp_path / "g.loom"
    other = hashlib.sha256(b"other").hexdigest()
    add_media(path, [DATA, b"other"])
    with create_grove(path) as grove:
        pen = edit_context.EditContext(grove.owner.id, now(), new_id)
        tree = tree_edits.new_tree("dialogue", "t", pen, text="Hello")
        grove.add_tree(tree, [grove.owner], [])
        named = Image("f-1", "image/png", alt_text="a.jpg", extra={ASSET: "f-1"})  # by an export without it
        change = node_edits.attach(tree, [Image(REF, "image/png"), Image(other, "image/png"), named], pen)
        grove.commit(grove.load_tree(tree.loom.id), change)
    assert check(path).problems == ()

    (media_folder(path) / REF).unlink()
    (media_folder(path) / other).write_bytes(b"forged")
    checked = check(path)

    assert [problem.kind for problem in checked.problems] == ["media", "media"]
    assert f"{REF} is missing" in checked.problems[0].message
    assert f"{other} is not what it was" in checked.problems[1].message
    assert not checked.is_damaged
