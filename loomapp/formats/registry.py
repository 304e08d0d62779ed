"""The registry of formats: one entry a format, recognised by its content; and files known but not read.

The contract of each is tested with an example of its own, in `tests/kit/exports/every.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from loomapp.core.json_values import Json
from loomapp.core.sentences import Sentence, worded
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
from loomapp.formats.exports.readable import as_docx
from loomapp.formats.foreign_json import samples
from loomapp.formats.foreign_values import object_of, objects_in
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


class KnownFile(NamedTuple):
    """One kind of file by its first bytes, or by one of its first JSON objects."""

    title: str
    begins: re.Pattern[bytes] | None = None
    is_one: Callable[[Json], bool] | None = None
    remedy: str = ""


def known_kind(source: Source) -> Sentence | None:
    """The line that says what a file is which is known and not read; None for an unknown one."""
    if source.is_folder:
        return None
    if not source.is_single:
        title = next((title for name, title in _IN_ZIPS if name in source.names), None)
        return None if title is None else _said(KnownFile(title))
    data = source.head(source.names[0]).text
    begun = next((kind for kind in KNOWN if kind.begins is not None and kind.begins.match(data)), None)
    return known_tree(source) if begun is None else _said(begun)


def known_tree(source: Source) -> Sentence | None:
    """The line that says which other program's tree or chat a file is; None for what is none."""
    if not source.is_single:
        return None
    first = next((item for item in samples(source, source.names[0]) if isinstance(item, dict)), None)
    if first is None:
        return None
    kinds = (kind for kind in KNOWN if kind.is_one is not None and kind.is_one(first))
    return next(map(_said, kinds), None)


def _said(kind: KnownFile) -> Sentence:
    told = f"it is {{title}}, which Loomapp knows and does not read{kind.remedy and '; '}{kind.remedy}"
    return worded(told, title=kind.title)


def _is_bonsai(item: Json) -> bool:
    return isinstance(item.get("nodes"), list) and "edges" in item and "pathNodes" in item


def _is_textile(item: Json) -> bool:
    return "schemaVersion" in item and "continuations" in object_of(item.get("tree"))


def _is_wool(item: Json) -> bool:
    return isinstance(item.get("nodes"), dict) and "focused_node_id" in item


def _is_llama_app(item: Json) -> bool:
    return item.get("type") == "session" and item.get("harness") == "llama.app"


def _is_room(item: Json) -> bool:
    return "character_names" in item and "chat_metadata" not in item


def _is_messages(item: Json) -> bool:
    one = item if "role" in item else next(objects_in(item.get("messages")), item)
    return str(one.get("role")) in _ROLES and ("content" in one or "tool_calls" in one)


_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_IN_ZIPS = (("META-INF/container.xml", "an EPUB book"), ("content.xml", "an OpenDocument file"))
KNOWN = (
    KnownFile("a tree of Bonsai", is_one=_is_bonsai),
    KnownFile("a tree of Textile", is_one=_is_textile),
    KnownFile("a tree of wool", is_one=_is_wool),
    KnownFile("a session of the llama.cpp web interface", is_one=_is_llama_app),
    KnownFile("a room of TavernAI", is_one=_is_room),
    KnownFile(
        "a list of messages for OpenAI or Anthropic",
        is_one=_is_messages,
        remedy="take the Loom JSON of its tree, or Markdown with a heading for each speaker",
    ),
    KnownFile(
        "a note with a weave of the Tapestry Loom plugin",
        re.compile(rb"---\s.{0,4000}TapestryLoomWeave", re.DOTALL),
    ),
    KnownFile("a PDF document", re.compile(rb"%PDF-")),
    KnownFile("an RTF document", re.compile(rb"\{\\rtf")),
    KnownFile("an XML document", re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\b")),
    KnownFile("a web page", re.compile(rb"\s*<(?:!doctype html|html)", re.IGNORECASE)),
    KnownFile(
        "a WebP image (if a character card is in it, save that as PNG or JSON)",
        re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
    ),
    KnownFile("an image without a character card", re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8")),
    KnownFile("a database (a grove is opened, not imported)", re.compile(rb"SQLite format 3\0")),
    KnownFile("an old Word document (.doc)", re.compile(rb"\xd0\xcf\x11\xe0")),
)


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
    Importer(
        "chatgpt",
        "ChatGPT export",
        (".zip", ".json"),
        chatgpt.recognises,
        chatgpt.read,
        also=(".html",),
    ),
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
