"""Commands of memory and documents: pin, stash, recall, drop, show; read and write documents."""

from __future__ import annotations

import re
from dataclasses import replace

from loomapp.core.context.awareness import memory_block, recalling
from loomapp.core.dataclass import dataclass
from loomapp.core.edits import agent_memory
from loomapp.core.edits.agent_memory import memory_of
from loomapp.core.edits.documents import LooseDocument, documents_of, find_document, text_of, write_document
from loomapp.core.loom_commands.looks import words_of
from loomapp.core.loom_commands.results import (
    CommandError,
    Edited,
    Outcome,
    Viewed,
    shortened_list,
    shortened_text,
)
from loomapp.core.loom_commands.words import Standpoint, WordReader, bare_name


@dataclass(frozen=True, slots=True)
class Named:
    """A node or nothing, and a name."""

    node_id: str | None
    name: str
    text: str = ""


def pin(place: Standpoint, node_id: str) -> Outcome:
    change = agent_memory.pin(place.tree, place.agent.id, node_id, place.pen)
    return Edited(change, f"✓ pinned {place.local(node_id)}", (node_id,))


def read_stash(words: WordReader) -> Named:
    words.rest = words.rest.lstrip(": ")
    node_id = words.node()
    if not words.skip("under") and words.separator() == "none":
        raise words.ask("under which name?")
    name = words.plain_name("name")
    words.end()
    return Named(node_id, name.rstrip("."))


def stash(place: Standpoint, wanted: Named) -> Outcome:
    node = place.tree.nodes[wanted.node_id or place.at]
    change = agent_memory.stash(place.tree, place.agent.id, wanted.name, words_of(node), place.pen)
    return Edited(change, f"✓ stashed {place.local(node.id)} as {wanted.name}", (node.id,))


def read_name(words: WordReader) -> Named:
    name = words.name("name")
    words.end()
    return Named(None, name.rstrip("."))


def recall(place: Standpoint, wanted: Named) -> Outcome:
    memory = memory_of(place.tree, place.agent.id)
    named_so = memory.find(f"{wanted.name} full") if wanted.text else None
    found = named_so or memory.find(wanted.name) or memory.find(bare_name(wanted.name))
    if found is None:
        raise _not_stashed(place, wanted.name)
    kept = recalling(place.tree, memory, found.name)
    if kept is None:
        raise CommandError(
            "LIMIT_EXCEEDED", f"“{found.name}” is too long to be recalled", "drop what is pinned"
        )
    change = agent_memory.recall(place.tree, place.agent.id, kept, place.pen)
    is_full = bool(wanted.text) and named_so is None
    text = found.text if is_full else shortened_text(found.text, f"→ recall {found.name} full")
    return Edited(change, f"✓ recalled {found.name}:\n{text}")


def _not_stashed(place: Standpoint, name: str) -> CommandError:
    names = ", ".join(one.name for one in memory_of(place.tree, place.agent.id).stashed)
    return CommandError("NOT_FOUND", f"nothing is stashed as “{name}”", f"there are {names}" if names else "")


def drop(place: Standpoint, wanted: Named) -> Outcome:
    """Forget a pinned node, or what is stashed under a name."""
    tree, agent_id, memory = place.tree, place.agent.id, memory_of(place.tree, place.agent.id)
    node_id = tree.find(bare_name(wanted.name).strip("[]()"))
    stashed = memory.find(wanted.name) or memory.find(bare_name(wanted.name))
    is_pinned = node_id in memory.pinned
    if is_pinned and stashed is not None:
        raise CommandError("INVALID_SYNTAX", f"the node or the text “{wanted.name}”?", "both are there")
    if is_pinned and node_id is not None:
        change = agent_memory.drop_pin(tree, agent_id, node_id, place.pen)
        return Edited(change, f"✓ {place.local(node_id)} is pinned no more", (node_id,))
    if stashed is not None:
        change = agent_memory.drop_stash(tree, agent_id, stashed.name, place.pen)
        return Edited(change, f"✓ dropped {stashed.name}")
    if node_id is not None:
        raise CommandError("NOT_FOUND", f"{place.local(node_id)} is not pinned", "→ memory shows what is")
    raise _not_stashed(place, wanted.name)


@dataclass(frozen=True, slots=True)
class MemoryPart:
    """A part of an agent's memory; empty for its block."""

    name: str
    is_full: bool


def read_memory(words: WordReader) -> MemoryPart:
    words.rest = words.rest.lstrip(": ")
    is_full = bool(words.word("full"))
    name = words.word("trace", "stashed", "recent") or ""
    is_full = bool(words.word("full")) or is_full
    words.end()
    return MemoryPart(name, is_full)


def show_memory(place: Standpoint, wanted: MemoryPart) -> Outcome:
    memory = memory_of(place.tree, place.agent.id)
    if wanted.name == "stashed":
        names = [f"{one.name} ({len(one.text)} characters)" for one in memory.stashed]
        listed = "\n".join(names) if wanted.is_full else shortened_list(names, "→ memory stashed full")
        return Viewed(listed or "nothing is stashed")
    if wanted.name:
        return Viewed("\n".join(memory.recent) or "no actions yet")
    block = memory_block(place.tree, memory) or "your memory is empty"
    return Viewed(block if wanted.is_full else shortened_text(block, "→ memory full"))


def read_name_or_full(words: WordReader) -> Named:
    full = words.rest.casefold().endswith(" full")
    if full:
        words.rest = words.rest[: -len(" full")]
    return replace(read_name(words), text="full" if full else "")


def read_document(place: Standpoint, wanted: Named) -> Outcome:
    document = _document_named(place, wanted.name)
    if document is None:
        raise _no_document(place, wanted.name)
    hint, text = f"→ read doc: {document.name} full", text_of(document.newest)
    return Viewed(text if wanted.text else shortened_text(text, hint), (document.newest.id,))


def _document_named(place: Standpoint, name: str) -> LooseDocument | None:
    return find_document(place.tree, name) or find_document(place.tree, bare_name(name))


def _no_document(place: Standpoint, name: str) -> CommandError:
    names = ", ".join(document.name for document in documents_of(place.tree))
    return CommandError("NOT_FOUND", f"there is no document “{name}”", f"there are {names}" if names else "")


_END_OF_TITLE = re.compile(r":|->|\bsaying\b", re.IGNORECASE)


def read_writing(words: WordReader) -> Named:
    name = words.name("document's name", _END_OF_TITLE)
    return Named(None, name, words.text("text"))


def write(place: Standpoint, wanted: Named) -> Outcome:
    known = _document_named(place, wanted.name)
    name = wanted.name if known is None else known.name
    change = write_document(place.tree, name, wanted.text, place.pen)
    ids = () if change is None else tuple(node.id for node in change.added_nodes())
    return Edited(change, f"✓ wrote {name}", ids)
