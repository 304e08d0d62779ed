"""Names of the fields of a tree's settings, and a tree with new values in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from loomapp.core.model.economy_settings import BY_NAME
from loomapp.core.model.entities import LoomTree, Mode

STRATEGY = "truncation_strategy"
RECENT = "minimum_recent_nodes"
ROOM = "token_buffer"
SCOPE = "instruction_scope"
TEXT = "system_context"
OPT_IN = "buffer_mode_system_context"
ASSEMBLER = "assembler"
COMPRESSION = "compression"
COMPRESS_TEXT = "compress_text"
ECONOMY = tuple(BY_NAME)
OBJECT_NAMES = {
    "dialogue_marker": "dialogueMarker",
    "buffer_marker": "bufferMarker",
    "continue_text": "continueText",
}
TEXTS_OF: Mapping[Mode, tuple[str, ...]] = {  # what is said where something is left out, or is to go on
    "dialogue": ("dialogue_marker", "continue_text"),
    "buffer": ("buffer_marker",),
}


def edited(loom: LoomTree, pending: dict[str, object]) -> LoomTree:
    """Return the tree with new values of some fields."""
    # The names are fields of the two, and each value comes from the field of its name.
    own: dict[str, Any] = {name: value for name, value in pending.items() if name in (TEXT, OPT_IN)}
    economy: dict[str, Any] = {name: value for name, value in pending.items() if name in BY_NAME}
    settings: dict[str, Any] = {n: value for n, value in pending.items() if n not in own and n not in economy}
    before = loom.context_settings
    after = replace(before, economy=replace(before.economy, **economy), **settings)
    return replace(loom, context_settings=after, **own)
