"""A path as text and Markdown: an attached file and the words after it stand apart, as in what is sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from loomapp.core.context.messages import render
from loomapp.core.model.content import AttachedDocument, Image, Mixed, Text
from loomapp.formats.exports.export import Export
from loomapp.formats.exports.readable import as_markdown, as_text
from tests.kit.conversations import AGENTS, grow, node


@pytest.mark.parametrize("write", [as_text, as_markdown])
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_an_attached_file_and_the_words_after_it_stand_apart(
    write: Callable[[Export], str], end: str
) -> None:
    file = AttachedDocument("att.txt", "text/plain", "warp\nweft" + end)
    asked = replace(node("a", ""), content=Mixed((file, Image("x", "image/png"), Text("Read *this*:"))))
    tree = grow("dialogue", (asked, ""))

    said = write(Export(tree, tuple(AGENTS.values()), [asked]))

    assert "warp\nweft\n\n[image: A]\n\nRead *this*:\n" in said
    assert "\n\n".join(part.text for part in render(asked, "dialogue")) in said


@pytest.mark.parametrize("write", [as_text, as_markdown])
def test_plain_words_are_exported_as_they_were_written(write: Callable[[Export], str]) -> None:
    asked = node("a", "\n  Two\n\nlines ")
    tree = grow("dialogue", (asked, ""))

    assert "\n  Two\n\nlines \n" in write(Export(tree, tuple(AGENTS.values()), [asked]))
