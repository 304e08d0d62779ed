"""Dialogue: parts become messages, neighbours of one role merged."""

from __future__ import annotations

from loomapp.core.context.messages import ImagePart, Message, MessageRole, Part, TextPart
from loomapp.core.context.parts import alt_text
from loomapp.core.context.passages import Passages
from loomapp.core.context.truncation import dialogue_marker
from loomapp.core.tree import Tree


def messages(
    tree: Tree, passages: Passages, head: int, tail: int, *, omitted: int | None, accepts_images: bool
) -> tuple[Message, ...]:
    """The messages of the first `head` and last `tail` units; `omitted` units get a marker unless None."""
    merged: list[tuple[MessageRole, list[Part], dict[str | None, None]]] = []

    def say(role: MessageRole, part: Part) -> dict[str | None, None]:
        if not merged or merged[-1][0] != role:
            merged.append((role, [], {}))
        merged[-1][1].append(part)
        return merged[-1][2]

    gap = passages.unit_start(head), passages.unit_start(len(passages.starts) - tail)
    for index in range(gap[0]):
        say(passages.roles[index], _part(tree, passages, index, accepts_images))[passages.node_ids[index]] = (
            None
        )
    if omitted is not None:
        say("user", TextPart(dialogue_marker(omitted)))
    for index in range(gap[1], len(passages)):
        say(passages.roles[index], _part(tree, passages, index, accepts_images))[passages.node_ids[index]] = (
            None
        )
    return tuple(Message(role, tuple(parts), tuple(node_ids)) for role, parts, node_ids in merged)


def _part(tree: Tree, passages: Passages, index: int, accepts_images: bool) -> Part:
    image = passages.images.get(index) if accepts_images else None
    node_id = passages.node_ids[index]
    if image is None or node_id is None:
        return TextPart(passages.texts[index])
    name = alt_text(image, tree.nodes[node_id].local_id)
    return ImagePart(image.ref, image.mime_type, passages.texts[index], name)
