"""Contents of Open WebUI's messages: a text with thoughts and calls of tools folded into it, or output items.

Older versions write all into the text, each thought and call as an element `details`; newer ones leave the
text empty, and write items of an output.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from loomapp.core.json_values import Json
from loomapp.core.model.content import Block, Text, ToolResult, ToolUse, well_formed
from loomapp.formats.foreign_blocks import beside, texts_of
from loomapp.formats.foreign_values import kept, parsed, text_of

INTERPRETER = "code_interpreter"
_END = "</details>"
_DETAILS = re.compile(
    r"<details\b([^<>]*\btype=[\"'](?:reasoning|tool_calls|code_interpreter)[\"'][^<>]*)>"
    r"\s*(?:<summary>[^<]*</summary>)?(.*?)</details>\s*",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([\w-]+)=(?:\"([^\"]*)\"|'([^']*)')")
_CODE = re.compile(r"\s*```[^\n]*\n(.*?)\n?```\s*", re.DOTALL)
_OF_CALL = frozenset({"type", "id", "call_id", "name", "arguments", "result", "done", "status", "content"})


@dataclass(slots=True)
class Unfolded:
    """The blocks of a content, and its thoughts."""

    blocks: list[Block] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    is_changed: bool = False

    def add_text(self, text: str) -> None:
        """Add a text; what is folded into it has its place among the blocks."""
        behind = text.rpartition(_END)[2].lstrip() if _END in text else text  # what begins there never ends
        end = len(text) - len(behind)
        at, said = 0, ""
        for found in _DETAILS.finditer(text, 0, end):
            said += text[at : found.start()]
            at = found.end()
            self.is_changed = True
            about = {name: html.unescape(one or other) for name, one, other in _ATTRIBUTE.findall(found[1])}
            if about.get("type") == "reasoning":
                self.thoughts.append(_unquoted(found[2]))
                continue
            self._put(said)
            said = ""
            self.blocks += _call(about, html.unescape(found[2]), f"call-{len(self.blocks) + 1}")
        self._put(said + text[at:], is_end=True)

    def _put(self, text: str, *, is_end: bool = False) -> None:
        is_beside_calls = any(isinstance(block, ToolUse) for block in self.blocks) or not is_end
        text = text.strip("\n") if is_beside_calls else text
        if text:
            self.blocks.append(Text(text))


def _call(about: dict[str, str], body: str, made: str) -> Iterable[Block]:
    """A call of a tool that is folded into a text, and its answer, if it has one."""
    use_id = about.get("id") or made
    if about.get("type") == INTERPRETER:
        code = _CODE.fullmatch(body)
        yield ToolUse(use_id, INTERPRETER, {"code": well_formed(code[1] if code else body.strip())})
        answer = _printed(parsed(about.get("output", "")))
    else:
        name = about.get("name") or "tool"
        left = {key: parsed(value) for key, value in about.items() if key not in _OF_CALL and value}
        more = beside(kept(left))
        yield ToolUse(well_formed(use_id), well_formed(name), parsed(about.get("arguments", "")), more)
        result = parsed(about["result"]) if "result" in about else body.strip()
        answer = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    if answer:
        yield ToolResult(well_formed(use_id), about.get("name") or INTERPRETER, well_formed(answer))


def of_output(output: Sequence[Json]) -> Unfolded:
    """The blocks and thoughts of output items, in their order."""
    found = Unfolded()
    names = {text_of(one.get("call_id")): text_of(one.get("name"), "tool") for one in output}
    for number, one in enumerate(output, 1):
        use_id = text_of(one.get("call_id")) or text_of(one.get("id")) or f"call-{number}"
        match one.get("type"):
            case "message":
                found.add_text(texts_of(one.get("content")))
            case "reasoning":
                found.thoughts.append(texts_of(one.get("summary")) or texts_of(one.get("content")))
            case "function_call":
                more = beside(kept(one, _OF_CALL))
                name = well_formed(text_of(one.get("name"), "tool"))
                found.blocks.append(ToolUse(well_formed(use_id), name, parsed(one.get("arguments")), more))
            case "function_call_output":
                text = texts_of(one.get("output"))
                name = well_formed(names.get(use_id, "tool"))
                more = beside(kept(one, (*_OF_CALL, "output")))
                found.blocks.append(ToolResult(well_formed(use_id), name, text, more))
            case "open_webui:code_interpreter":
                code = well_formed(text_of(one.get("code")))
                found.blocks.append(ToolUse(well_formed(use_id), INTERPRETER, {"code": code}))
                if printed := _printed(one.get("output")):
                    found.blocks.append(ToolResult(well_formed(use_id), INTERPRETER, printed))
            case str(kind) if kind.endswith("_call"):
                left = kept(one, _OF_CALL)
                found.blocks.append(
                    ToolUse(well_formed(use_id), well_formed(kind.removesuffix("_call")), left)
                )
    return found


def says_the_same(text: str, blocks: Iterable[Block]) -> bool:
    """Tell whether a text holds no other words than the texts among blocks."""
    return "".join(text.split()) == "".join("".join(b.text.split()) for b in blocks if isinstance(b, Text))


def _printed(output: object) -> str:
    """Return what code printed and gave."""
    if not isinstance(output, dict):
        return texts_of(output)
    said = (texts_of(output.get(name)) for name in ("stdout", "result", "stderr"))
    return "\n".join(filter(None, said))


def _unquoted(text: str) -> str:
    """The words of thoughts, which are written as a quotation."""
    lines = html.unescape(text).strip().split("\n")
    return "\n".join(
        line.removeprefix(">").removeprefix(" ") if line.startswith(">") else line for line in lines
    )
