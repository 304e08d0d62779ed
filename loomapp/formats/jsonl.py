"""JSONL: a tree as Loom JSON has it, one node a line, for programs that read line by line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json
from loomapp.core.model.agent import Agent
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.progress import Progress, unheard
from loomapp.core.sentences import Sentence, sentence, worded
from loomapp.files import MOST_TREE_BYTES
from loomapp.formats import loom_json
from loomapp.formats.foreign_json import byte_lines
from loomapp.formats.importer import Finding, Reading
from loomapp.formats.json_text import Readable, parse
from loomapp.formats.loom_json_importer import found
from loomapp.formats.sources import Source

FORMAT = "loom-jsonl"
VERSION = 1
_ROWS = {"nodes": "node", "edges": "edge", "responses": "response"}  # of Loom JSON, and what a line is called
_LINE_ENDS = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}
_MARK = re.compile(rb'[^\n]*"format"\s*:\s*"loom-jsonl"')


def write(
    tree: Tree,
    agents: Iterable[Agent] = (),
    evidence: Iterable[Evidence] | None = None,
    media: Mapping[str, bytes] | None = None,
) -> str:
    """The tree, one row a line; the same bytes for the same tree."""
    value: Json = json.loads(loom_json.write(tree, agents, evidence, media))
    rows = {name: cast("list[object]", value.pop(name)) for name in _ROWS if name in value}
    images = cast(Json, value.pop("media", {}))
    holds = [name for name, is_there in (("responses", evidence), ("media", media)) if is_there is not None]
    head: Json = {"format": FORMAT, "version": VERSION, "holds": holds}
    head |= {key: item for key, item in value.items() if key not in ("format", "version")}
    lines = [head, *({_ROWS[name]: row} for name, items in rows.items() for row in items)]
    lines += ({"media": {name: data}} for name, data in images.items())
    return "".join(map(_line, lines))


def _line(value: Json) -> str:
    """A value on one line, also for readers that divide lines in Unicode's way."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS) + "\n"


def recognises(source: Source) -> Sentence | None:
    if source.is_single and _MARK.match(source.head(source.names[0]).text):
        return sentence("a first line of “format” “loom-jsonl”")
    return None


def read(source: Source, reading: Reading, progress: Progress = unheard) -> Iterator[Finding]:
    """The tree of the file, read strictly. Raises: InvalidInput, naming the line or the place."""
    name = source.names[0] if source.names else ""
    if not source.is_single or source.size > MOST_TREE_BYTES:
        raise InvalidInput("it is no JSONL of Loomapp")
    with source.open(name) as file:
        rows = _rows(file)
        yield found(loom_json.read(rows, now=reading.now, untitled=""))
    progress(source.size, source.size)


def _rows(file: Readable) -> loom_json.Rows:
    holds: list[object] | None = None
    counts = dict.fromkeys(("node", "edge"), 0)
    responses: list[object] = []
    images: Json = {}
    for number, line in enumerate(byte_lines(file), 1):
        if not line.strip():
            continue
        value = _parsed(line, number)
        if holds is None:
            head = _head(value)
            holds = cast("list[object]", head.pop("holds"))
            yield "format", None, loom_json.FORMAT
            yield "version", None, loom_json.VERSION
            yield from ((key, None, item) for key, item in head.items())
            continue
        [key] = value if len(value) == 1 else [""]
        row = value.get(key)
        if key in counts:
            yield f"{key}s", counts[key], row
            counts[key] += 1
        elif key == "response":
            responses.append(row)
        elif key == "media" and isinstance(row, dict):
            images |= row
        else:
            told = "line {number}: it is no node, edge, response or media"
            raise InvalidInput(worded(told, number=number), line=number)
    if holds is None:
        raise InvalidInput("the file is empty")
    if responses or "responses" in holds:
        yield "responses", None, responses
    if images or "media" in holds:
        yield "media", None, images


def _parsed(line: bytes, number: int) -> Json:
    try:
        value = parse(line)
    except InvalidInput as error:
        raise InvalidInput(worded("line {number}: {why}", number=number, why=error.message)) from error
    if not isinstance(value, dict):
        raise InvalidInput(worded("line {number}: it is no object", number=number))
    return value


def _head(value: Json) -> dict[str, object]:
    if value.get("format") != FORMAT:
        raise InvalidInput('line 1: it is no JSONL of Loomapp, which begins with {"format": "loom-jsonl"')
    if type(value.get("version")) is not int or value["version"] != VERSION:
        raise InvalidInput(worded("line 1: this Loomapp reads version {version} only", version=VERSION))
    holds = value.get("holds")
    kept = {
        key: item for key, item in value.items() if key not in ("format", "version", "holds", *_ROWS, "media")
    }
    return {**kept, "holds": holds if isinstance(holds, list) else []}
