"""Laws of Loom JSON: what was written reads back and is written the same, whatever the tree."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loomapp.core.model.hashes import verify
from loomapp.core.tree_json import node_to_json
from loomapp.formats.details import digests
from loomapp.formats.importer import Imported
from loomapp.formats.loom_json import read, write
from tests.kit.chance import examples
from tests.kit.loom_files import BODY, PIXEL, PIXEL_NAME, everything

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
NAMES = TEXTS.filter(bool)
UNSEEN = "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
IDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc"], exclude_characters=UNSEEN),
    min_size=1,
    max_size=12,
)
NUMBERS = st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
UNKNOWN = st.dictionaries(TEXTS.map(lambda name: f"x-{name}"), VALUES, max_size=2)
TIMES = st.datetimes().map(lambda moment: moment.isoformat() + "Z")


def rewritten(imported: Imported) -> str:
    return write(imported.tree, imported.agents, imported.evidence, imported.media)


@st.composite
def content(draw: st.DrawFn) -> Any:
    blocks = st.lists(
        st.builds(lambda text, more: {"type": "text", "text": text, **more}, TEXTS, UNKNOWN)
        | st.builds(lambda ref, alt: {"type": "image", "ref": ref, "altText": alt}, NAMES, TEXTS)
        | st.builds(lambda more: {"type": "audio", **more}, UNKNOWN)
        | st.builds(lambda v: {"type": "tool_use", "id": "t", "name": "n", "input": v}, VALUES)
        | st.builds(lambda text: {"type": "document", "name": "d", "text": text}, TEXTS),
        max_size=3,
    )
    return draw(
        TEXTS
        | st.builds(lambda text, more: {"type": "text", "text": text, **more}, TEXTS, UNKNOWN)
        | st.builds(lambda inner, more: {"type": "mixed", "blocks": inner, **more}, blocks, UNKNOWN)
    )


@st.composite
def files(draw: st.DrawFn) -> dict[str, Any]:
    """A sound tree with every part, unknown keys anywhere they are kept, and ids of any kind that is seen."""
    ids = draw(st.lists(IDS, min_size=1, max_size=7, unique=True))
    nodes: list[dict[str, Any]] = []
    edges: list[dict[str, Any]] = []
    for i, node_id in enumerate(ids):
        node = {
            "id": node_id,
            "content": draw(content()),
            "authorType": draw(st.sampled_from(["human", "model"])),
        }
        node |= draw(UNKNOWN)
        if draw(st.booleans()):
            node["createdAt"] = draw(TIMES)
        if draw(st.booleans()):
            node["metadata"] = {
                "bookmarkLabel": draw(TEXTS),
                "excluded": draw(st.booleans()),
                **draw(UNKNOWN),
            }
        if draw(st.booleans()):
            node["interrupted"] = {"reason": draw(TEXTS), **draw(UNKNOWN)}
        nodes.append(node)
        if i:
            sources: list[Any] = [draw(st.sampled_from(ids[:i]))]
            for other in draw(st.lists(st.sampled_from(ids[:i]), max_size=2)):
                role = draw(st.sampled_from(["primary", "context", "instruction"]))
                sources.append({"nodeId": other, "role": role, **draw(UNKNOWN)})
            kind = draw(st.sampled_from(["continuation", "annotation"]))
            edges.append({"sources": sources, "targetNodeId": node_id, "edgeType": kind, **draw(UNKNOWN)})
    some = st.lists(st.sampled_from(ids), max_size=3, unique=True)
    return {
        "format": "loom-json",
        "version": 1,
        "tree": {
            "mode": draw(st.sampled_from(["dialogue", "buffer"])),
            "title": draw(TEXTS),
            **draw(UNKNOWN),
        },
        "nodes": nodes,
        "edges": edges,
        "agents": [
            {"id": f"{i}", "name": n, **draw(UNKNOWN)}
            for i, n in enumerate(draw(st.lists(NAMES, max_size=2)))
        ],
        "activePath": {
            "leafNodeId": draw(st.sampled_from(ids)),
            "selections": [{"targetNodeId": t, "sourceNodeId": ids[0], **draw(UNKNOWN)} for t in draw(some)],
            **draw(UNKNOWN),
        },
        "includedAnnotations": draw(some),
        "tags": [
            {"name": name, "nodeIds": draw(some), **draw(UNKNOWN)}
            for name in draw(st.lists(NAMES, max_size=2, unique=True))
        ],
        "branchSummaries": [{"nodeId": node_id, **draw(UNKNOWN)} for node_id in draw(some)],
        "contextSummaries": [
            {"anchorNodeId": node_id, "coveredHash": draw(TEXTS), **draw(UNKNOWN)} for node_id in draw(some)
        ],
        "responses": [
            {"nodeId": node_id, "choiceIndex": i, "bodyGzipBase64": BODY, "usage": {"n": i // 2}}
            for i, node_id in enumerate(draw(some))
        ],
        "extra": draw(UNKNOWN),
        **draw(UNKNOWN),
    }


@settings(max_examples=examples(100), deadline=None)
@given(files())
def test_what_was_written_is_read_and_written_the_same(value: dict[str, Any]) -> None:
    first = rewritten(read(json.dumps(value), now=1_000))

    again = read(first)

    assert rewritten(again) == first
    verdicts = {f.verdict for f in verify(again.tree, digests(again.evidence))}
    assert verdicts <= {"ok", "no evidence"}


@settings(max_examples=examples(100), deadline=None)
@given(files())
def test_nothing_a_file_says_is_lost(value: dict[str, Any]) -> None:
    written = json.loads(rewritten(read(json.dumps(value), now=1_000)))

    assert _missing(_spelled_out(value), written) == []


def test_everything_at_once_round_trips() -> None:
    first = rewritten(read(json.dumps(everything()), now=1_000))

    assert rewritten(read(first)) == first
    assert _missing(_spelled_out(everything()), json.loads(first)) == []


def test_a_row_stands_on_its_own_line() -> None:
    text = rewritten(read(json.dumps(everything())))

    node = node_to_json(read(text).tree.nodes["n4"])

    rows = [line.strip().rstrip(",") for line in text.split("\n")]
    assert json.dumps(node, ensure_ascii=False) in rows
    assert text.endswith("}\n")


def test_responses_and_media_are_written_only_when_they_are_given() -> None:
    imported = read(json.dumps(everything()))

    without = json.loads(write(imported.tree, imported.agents))
    with_none = json.loads(write(imported.tree, imported.agents, (), {}))

    assert not {"responses", "media"} & without.keys()
    assert (with_none["responses"], with_none["media"]) == ([], {})
    assert json.loads(write(imported.tree, (), (), {PIXEL_NAME: PIXEL}))["media"] == everything()["media"]


def _spelled_out(value: dict[str, Any]) -> dict[str, Any]:
    """A hand-written file with its short forms written out, and times left to the test above."""
    spelled: dict[str, Any] = json.loads(json.dumps(value))
    for node in spelled["nodes"]:
        node.pop("createdAt", None)
        if isinstance(node["content"], str):
            node["content"] = {"type": "text", "text": node["content"]}
    for edge in spelled["edges"]:
        sources = edge["sources"]
        edge["sources"] = [{"nodeId": s, "role": "primary"} if isinstance(s, str) else s for s in sources]
    if not spelled["tree"].get("title"):
        spelled["tree"].pop("title", None)
    order = [node["id"] for node in spelled["nodes"]]
    spelled["responses"].sort(key=lambda entry: order.index(entry["nodeId"]))
    return spelled


def _missing(wanted: Any, found: Any, place: str = "") -> list[str]:
    """The places where `found` lacks or changes something of `wanted`; more keys are fine."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return [
            fault
            for key, value in wanted.items()
            for fault in (
                _missing(value, found[key], f"{place}.{key}") if key in found else [f"{place}.{key} is gone"]
            )
        ]
    if isinstance(wanted, list) and isinstance(found, list) and len(found) >= len(wanted):
        return [f for i, v in enumerate(wanted) for f in _missing(v, found[i], f"{place}[{i}]")]
    return [] if wanted == found else [f"{place}: {wanted!r} became {found!r}"]


def test_the_words_of_a_trees_own_markers_are_written_only_where_it_has_them() -> None:
    plain, own = everything(), everything()
    own["tree"]["contextSettings"]["dialogueMarker"] = "({n} gone)"
    own["tree"]["contextSettings"]["bufferMarker"] = " \n"

    written = rewritten(read(json.dumps(own)))

    assert "Marker" not in rewritten(read(json.dumps(plain)))
    settings = read(written).tree.loom.context_settings
    assert (settings.dialogue_marker, settings.buffer_marker) == ("({n} gone)", " \n")
    assert rewritten(read(written)) == written
