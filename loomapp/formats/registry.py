"""The registry of formats: one entry a format; what is read is recognised by its content.

The contract of each is tested with an example of its own, in EXAMPLES of `tests/formats/test_registry.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from loomapp.formats import jsonl, loom_json, loom_json_importer
from loomapp.formats.chatgpt import export as chatgpt
from loomapp.formats.chats import claude_ai
from loomapp.formats.chats.claude_code import CLAUDE_CODE
from loomapp.formats.chats.librechat import LIBRECHAT
from loomapp.formats.chats.open_webui import OPEN_WEBUI
from loomapp.formats.chats.pi import PI
from loomapp.formats.chats.sillytavern import card
from loomapp.formats.chats.sillytavern import chat as sillytavern
from loomapp.formats.documents import docx_file, markdown, plain_text
from loomapp.formats.exports import readable
from loomapp.formats.exports.chat_json import as_anthropic, as_openai
from loomapp.formats.exports.export import Export
from loomapp.formats.exports.html_page import as_html
from loomapp.formats.exports.opml import as_opml
from loomapp.formats.exports.word_file import as_docx
from loomapp.formats.importer import Detected, Importer
from loomapp.formats.looms import tapestry
from loomapp.formats.looms.exoloom import EXOLOOM
from loomapp.formats.looms.helm import HELM
from loomapp.formats.looms.kobold import KOBOLD
from loomapp.formats.looms.loomsidian import LOOMSIDIAN
from loomapp.formats.looms.mikupad import MIKUPAD
from loomapp.formats.looms.miniloom import MINILOOM
from loomapp.formats.looms.pyloom import PYLOOM
from loomapp.formats.sources import Source


class Exporter(NamedTuple):
    """One format that holds a whole tree, to be read again; `write` takes tree, agents, evidence or None,
    media or None.
    """

    title: str
    suffix: str
    write: Callable[..., str]


class ReadableExporter(NamedTuple):
    """One format that people or other programs read: of one path, and with `of_tree` of all branches, too;
    `is_whole` where all of them go out unless a path is named. `has_images` where images go out with it,
    `is_sent` where it holds exactly what is sent, whatever else is wanted.
    """

    title: str
    suffix: str
    write: Callable[[Export], str] | Callable[[Export], bytes]
    of_tree: bool = False
    is_whole: bool = False
    has_images: bool = False
    is_sent: bool = False


def detect(source: Source) -> Detected | None:
    """The first format that recognises the content of a source. Raises: OSError, InvalidInput."""
    for importer in IMPORTERS.values():
        why = importer.recognises(source)
        if why is not None:
            return Detected(importer, why)
    return None


def suffixes() -> tuple[str, ...]:
    """The endings of files that are imported wherever they fall; what is in them decides."""
    every = (suffix for importer in IMPORTERS.values() for suffix in importer.suffixes)
    return tuple(dict.fromkeys(every))


def dialog_suffixes() -> tuple[str, ...]:
    """The endings of all files that may hold trees, for a file dialog."""
    more = (suffix for importer in IMPORTERS.values() for suffix in importer.also)
    return tuple(dict.fromkeys((*suffixes(), *more)))


_JSON, _JSON_ZIP, _LINES = (".json",), (".json", ".zip"), (".jsonl",)
# What is told by a word of its own comes first, what is told by the shape of its keys after it, text last.
_IMPORTERS = (
    Importer(
        "loom-json",
        "Loom JSON",
        (".loom.json", ".json"),
        loom_json_importer.recognises,
        loom_json_importer.read,
    ),
    Importer("jsonl", "JSONL", _LINES, jsonl.recognises, jsonl.read),
    Importer("chatgpt", "ChatGPT export", (".zip", ".json"), chatgpt.recognises, chatgpt.read),
    Importer("claude", "Claude.ai export", _JSON_ZIP, claude_ai.CLAUDE_AI.recognises, claude_ai.read),
    Importer("open-webui", "Open WebUI export", _JSON_ZIP, OPEN_WEBUI.recognises, OPEN_WEBUI.findings),
    Importer("librechat", "LibreChat export", _JSON_ZIP, LIBRECHAT.recognises, LIBRECHAT.findings),
    Importer("sillytavern", "SillyTavern chat", (".jsonl", ".zip"), sillytavern.recognises, sillytavern.read),
    Importer("character-card", "Character card", _JSON, card.recognises, card.read, also=(".png",)),
    Importer("pi", "pi session", _LINES, PI.recognises, PI.findings),
    Importer("claude-code", "Claude Code session", _LINES, CLAUDE_CODE.recognises, CLAUDE_CODE.findings),
    Importer("tapestry", "Tapestry Loom", (".tapestry",), tapestry.recognises, tapestry.read),
    Importer("exoloom", "exoloom", _JSON, EXOLOOM.recognises, EXOLOOM.findings),
    Importer("miniloom", "MiniLoom", _JSON, MINILOOM.recognises, MINILOOM.findings),
    Importer("pyloom", "Loom of socketteer (pyloom)", _JSON, PYLOOM.recognises, PYLOOM.findings),
    Importer("loomsidian", "loomsidian", _JSON, LOOMSIDIAN.recognises, LOOMSIDIAN.findings),
    Importer("helm", "Helm", _JSON, HELM.recognises, HELM.findings),
    Importer("mikupad", "mikupad", _JSON, MIKUPAD.recognises, MIKUPAD.findings),
    Importer("kobold", "Kobold Lite story", _JSON, KOBOLD.recognises, KOBOLD.findings),
    Importer("docx", "Word document", (".docx",), docx_file.recognises, docx_file.read),
    Importer("markdown", "Markdown", (), markdown.recognises, markdown.read, also=(".md", ".markdown")),
    Importer("text", "Plain text", (), plain_text.recognises, plain_text.read, also=(".txt",)),
)
IMPORTERS: Mapping[str, Importer] = {importer.name: importer for importer in _IMPORTERS}
DOCUMENTS = tuple(IMPORTERS[name] for name in ("docx", "markdown", "text"))
EXPORTERS: Mapping[str, Exporter] = {
    "loom-json": Exporter("Loom JSON", ".loom.json", loom_json.write),
    "jsonl": Exporter("JSONL", ".jsonl", jsonl.write),
}
READABLE_EXPORTERS: Mapping[str, ReadableExporter] = {
    "text": ReadableExporter("Plain text", ".txt", readable.as_text),
    "markdown": ReadableExporter("Markdown", ".md", readable.as_markdown, of_tree=True),
    "html": ReadableExporter("Web page", ".html", as_html, of_tree=True, is_whole=True, has_images=True),
    "docx": ReadableExporter("Word document", ".docx", as_docx),
    "opml": ReadableExporter("OPML outline", ".opml", as_opml, of_tree=True, is_whole=True),
    "openai": ReadableExporter("Messages for OpenAI", ".json", as_openai, has_images=True, is_sent=True),
    "anthropic": ReadableExporter(
        "Messages for Anthropic", ".json", as_anthropic, has_images=True, is_sent=True
    ),
}
