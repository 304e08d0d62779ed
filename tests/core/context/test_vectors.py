"""The worked cases that came with the rules."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from loomapp.core.context.assembly import assemble, to_json
from loomapp.core.context.messages import Message, TextPart
from loomapp.core.context.provider_rules import ProviderRules, fit_messages
from loomapp.core.context.request import ContextRequest
from loomapp.core.errors import AssemblyError
from loomapp.core.model.entities import ContextSettings
from loomapp.formats import loom_json

VECTORS = Path(__file__).parents[2] / "data" / "vectors"


def cases(name: str) -> list[Any]:
    """The cases of one file, each named."""
    values = json.loads((VECTORS / name).read_text(encoding="utf-8"))["cases"]
    return [pytest.param(value, id=value["name"]) for value in values]


@pytest.mark.parametrize("case", cases("assembly.json"))
def test_an_assembly_case_comes_out_as_it_was_worked_out(case: dict[str, Any]) -> None:
    request = request_from(case["arguments"])
    tree = loom_json.read(json.dumps(case["tree"]), lenient=True).tree
    expected = case["expected"]

    if "error" in expected:
        with pytest.raises(AssemblyError) as caught:
            assemble(tree, request)
        found = {"code": caught.value.code, **caught.value.details}
        assert {key: found.get(key) for key in expected["error"]} == expected["error"]
        return
    printed = printed_with_texts(to_json(assemble(tree, request)))

    assert narrowed(printed, expected) == expected


@pytest.mark.parametrize("case", cases("provider-rules.json"))
def test_a_provider_case_comes_out_as_it_was_worked_out(case: dict[str, Any]) -> None:
    messages = [Message(m["role"], (TextPart(m["content"]),)) for m in case["messages"]]
    rules = ProviderRules(
        first_must_be_user=case["rules"]["require_first_user"], prefill=case["rules"]["prefill"]
    )

    fitted = fit_messages(rules, None, messages, truncated=case["truncated"])

    texts = [{"role": message.role, "content": message.text} for message in fitted.messages]
    assert texts == case["expected"]["messages"]
    assert list(fitted.adjustments) == case["expected"]["adjustments"]


def request_from(arguments: list[str]) -> ContextRequest:
    """The request that a command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--at")
    parser.add_argument("--window", type=int)
    parser.add_argument("--provider-rules")
    parser.add_argument("--system-prompt")
    parser.add_argument("--working-buffer", default="")
    for name in ("--context", "--instruction", "--include-annotation", "--select"):
        parser.add_argument(name, action="append", default=[])
    given = parser.parse_args(arguments)
    return ContextRequest(
        at=given.at,
        window=given.window,
        provider_rules=given.provider_rules,
        system_prompt=given.system_prompt,
        working_buffer=given.working_buffer,
        context_ids=tuple(given.context),
        instruction_ids=tuple(given.instruction),
        included_annotations=tuple(given.include_annotation),
        selections=dict(pair.split("=") for pair in given.select),
        overrides=ContextSettings(),
    )


def printed_with_texts(printed: dict[str, Any]) -> dict[str, Any]:
    """The same with each message as its text: parts joined by blank lines, an image as its placeholder."""
    messages = [
        {"role": message["role"], "text": "\n\n".join(map(part_text, message["parts"]))}
        for message in printed.get("messages", [])
    ]
    return {**printed, "messages": messages}


def part_text(part: dict[str, Any]) -> str:
    """What a part says."""
    return str(part["text"]) if part["type"] == "text" else f"[image: {part['altText']}]"


def narrowed(value: Any, shape: Any) -> Any:
    """`value` with only the fields that `shape` has, at every depth."""
    if isinstance(shape, dict) and isinstance(value, dict):
        return {key: narrowed(value.get(key), shape[key]) for key in shape}
    if isinstance(shape, list) and isinstance(value, list) and len(shape) == len(value):
        return [narrowed(*pair) for pair in zip(value, shape, strict=True)]
    return value
