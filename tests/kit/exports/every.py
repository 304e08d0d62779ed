"""An example of each format of other programs."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tests.kit.exports import chats, documents, looms, tapestry
from tests.kit.exports.chats import as_lines

JSON_EXAMPLES: Mapping[str, object] = {
    "claude": chats.claude(),
    "open-webui": chats.open_webui(),
    "librechat": chats.librechat_tree(),
    "exoloom": looms.exoloom(),
    "miniloom": looms.miniloom(),
    "pyloom": looms.pyloom(),
    "loomsidian": looms.loomsidian_vault(),
    "helm": looms.helm(),
    "mikupad": looms.mikupad(),
    "kobold": looms.kobold(),
}
LINES_EXAMPLES: Mapping[str, list[object]] = {
    "sillytavern": chats.tavern_main(),
    "pi": chats.pi(),
    "claude-code": chats.claude_code(),
}
FOREIGN: Mapping[str, bytes] = {
    **{name: json.dumps(value).encode() for name, value in JSON_EXAMPLES.items()},
    **{name: as_lines(*lines) for name, lines in LINES_EXAMPLES.items()},
    "character-card": chats.card_png(chats.card_v2()),
    "tapestry": tapestry.example(),
    "docx": documents.novel(),
    "markdown": f"# One\n\nText {chats.ODD}\n\n# Two\n\nMore\n".encode(),
    "text": f"A text.\n\nOf two paragraphs {chats.ODD}.\n".encode(),
}
