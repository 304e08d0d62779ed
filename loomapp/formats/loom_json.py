"""Loom JSON 1: one tree in one file, complete, and easy to write by hand.

Reading is strict: one line names the place of the first fault and nothing is half read. `lenient` reading,
for looking at a tree without keeping it, lets the damage of a tree through (circles, double ways in, missing
ends, hashes that are none), but no damage of the file.

A tree's `extra` holds what a file says beyond the tree's rows, each only if there is any: `extra` its extra
object, `keys` the unknown keys at the top level, `selectionKeys` unknown keys of the path's selections.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import IO, TypeAlias, cast

from loomapp.core.economy.coverage import made_hashes
from loomapp.core.edits.tree_edits import title_from
from loomapp.core.errors import InvalidInput
from loomapp.core.json_values import Json, JsonReader
from loomapp.core.model.agent import Agent, agent_from_json, agent_to_json
from loomapp.core.model.content import Image, Mixed
from loomapp.core.model.entities import ActivePath, Edge, LoomTree, Node
from loomapp.core.model.hashes import digest_of_words
from loomapp.core.model.new_tree import FirstRows
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths.navigation import deepest_leaf
from loomapp.core.sentences import worded
from loomapp.core.times import Milliseconds
from loomapp.core.tree_json import (
    edge_from_json,
    edge_to_json,
    link_to_json,
    loom_from_json,
    loom_to_json,
    node_from_json,
    node_to_json,
    tag_to_json,
)
from loomapp.files import open_regular
from loomapp.formats import soundness
from loomapp.formats.details import (
    bytes_from_base64,
    check_details,
    digests,
    put_details,
    read_details,
    responses_from_json,
    responses_to_json,
    selection_to_json,
    summaries_to_json,
    together,
)
from loomapp.formats.importer import Imported
from loomapp.formats.json_text import NotInOrder, count, parse, read_items

FORMAT = "loom-json"
VERSION = 1
MOST_NODES = 1_000_000  # of one file: as many as the program shows
SHA256 = re.compile(r"[0-9a-fA-F]{64}")


# Reading


# The keys of a file with their values; of `nodes` and `edges` one row after the other, with its number.
Rows: TypeAlias = Iterator[tuple[str, int | None, object]]


def read(
    source: bytes | str | Path | Rows,
    *,
    lenient: bool = False,
    now: Milliseconds = 0,
    tree_id: str = "",
    untitled: str = "Loom Tree 1",
) -> Imported:
    """The tree in a Loom JSON text or file, or of its rows.

    `now` stands for times that are missing, `tree_id` and `untitled` for an id and a title the file does not
    give; without `tree_id` an id is made of what it says, the same for the same file. A file that is named is
    read part by part; one with more than MOST_NODES is refused before that.
    Raises: InvalidInput, whose message is one line and names the place; OSError for an unreadable file.
    """
    if isinstance(source, Path):
        _check_size(source)
    file, loom, nodes, edges = _taken_apart(source, now)
    edges = soundness.with_edge_ids(edges, rename_doubles=lenient)
    soundness.check_unique([node.id for node in nodes], "nodes[{}].id", "id")
    soundness.check_unique([edge.id for edge in edges], "edges[{}].id", "id")
    agents = _agents(file, nodes)
    root_id = loom.root_id or soundness.root_of(nodes, edges)
    tree_id = loom.id or tree_id or ("" if lenient else f"{FORMAT}-{digest_of_words('', nodes, edges)}")
    loom = replace(loom, id=tree_id, root_id=root_id)
    entries, node_ids = file.items("responses"), (node.id for node in nodes)
    evidence = responses_from_json(entries, node_ids, loom.id, lenient=lenient)
    if not lenient:
        _check_ids(loom, nodes, edges, agents)
        order = _sound(loom, nodes, edges)
        author_ids, agents = soundness.authors(nodes, agents)
        nodes = soundness.completed(nodes, edges, order, author_ids, digests(evidence))
    else:
        nodes = soundness.with_local_ids(nodes)
    tree = _tree(loom, nodes, edges, untitled)
    details = read_details(file, loom.id, lenient=lenient)
    if not lenient:
        check_details(details, tree)
    put_details(details, tree)
    if not (lenient or details.leaf_id):
        tree.path = replace(tree.path, leaf_id=deepest_leaf(tree, tree.root_id, tree.path))
    if details.unhashed:
        tree.context_summaries = made_hashes(tree, details.unhashed)
    media = _media(file)
    file.take("seal")  # of an evidence file: it holds for that file, not for what becomes of the tree
    tree.extra = _beyond(file, details.selection_keys)
    evidence = together(evidence, details.evidence)
    rows, warnings = FirstRows.of(tree), tuple(_oddities(tree, agents))
    return Imported(rows, tuple(agents), evidence, media, warnings)


def _taken_apart(
    source: bytes | str | Path | Rows, now: Milliseconds
) -> tuple[JsonReader, LoomTree, list[Node], list[Edge]]:
    """The rows of a file, and a reader of all else: row by row, so that no large file is in memory as JSON.

    Where anything is wrong the whole text is read at once: that names the first fault, and its line.
    """
    nodes: list[Node] | None = None
    edges: list[Edge] | None = None
    if isinstance(source, bytes | str | Path):
        try:
            with _bytes_of(source) as file:
                value, nodes, edges = _row_by_row(read_items(file, ("nodes", "edges")), now)
        except (NotInOrder, InvalidInput):
            with _bytes_of(source) as file:
                value = parse(file.read())
    else:
        value, nodes, edges = _row_by_row(source, now)
    reader = _opened(value)
    loom = loom_from_json(reader.take("tree", {}), "tree", now=now)
    if nodes is None or edges is None:
        nodes = list(reader.each("nodes", lambda item, place: node_from_json(item, place, now=now)))
        edges = list(reader.each("edges", lambda item, place: edge_from_json(item, place, now=now)))
    return reader, loom, nodes, edges


def _check_size(path: Path) -> None:
    with open_regular(path) as file:
        if file.read(1) == b"\0":
            raise InvalidInput("it begins with a zero byte, as no text does; choose a Loom JSON file")
        file.seek(0)
        nodes = count(file, b'"authorType"')  # within a text the quotes would be escaped
    if nodes > MOST_NODES:
        text = worded(
            "nodes: there are {nodes}; Loomapp reads up to {most} from one file, so divide the tree",
            nodes=f"{nodes:,}",
            most=f"{MOST_NODES:,}",
        )
        raise InvalidInput(text, place="nodes", limit=MOST_NODES)


def _bytes_of(source: bytes | str | Path) -> IO[bytes]:
    if isinstance(source, Path):
        return open_regular(source)
    return BytesIO(source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass"))


def _row_by_row(rows: Rows, now: Milliseconds) -> tuple[object, list[Node], list[Edge]]:
    """Raises: NotInOrder or InvalidInput at the first fault that is met, which need not be the first."""
    keys: Json = {}
    nodes: list[Node] = []
    edges: list[Edge] = []
    for key, number, value in rows:
        if number is None:
            keys[key] = value
        elif key == "nodes":
            nodes.append(node_from_json(value, f"nodes[{number}]", now=now))
        else:
            edges.append(edge_from_json(value, f"edges[{number}]", now=now))
    return keys, nodes, edges


def _opened(value: object) -> JsonReader:
    if not isinstance(value, dict) or "format" not in value:
        raise InvalidInput(
            'format: is missing; a Loom JSON file begins with {"format": "loom-json"', place="format"
        )
    file = JsonReader(value, "")
    file.one_of("format", (FORMAT,))
    version = file.take("version")
    if type(version) is not int or version != VERSION:
        wanted = f"is not a version this Loomapp reads; it reads version {VERSION}"
        raise file.wrong("version", version, wanted)
    return file


def _agents(file: JsonReader, nodes: Sequence[Node]) -> list[Agent]:
    """The agents a file lists; one without a type is of the type its nodes say."""
    types = {node.author_agent_id: node.author_type for node in reversed(nodes)}

    def typed(value: object, place: str) -> Agent:
        if isinstance(value, dict) and value.get("type") is None and value.get("id") in types:
            value = {**value, "type": types[value["id"]]}
        return agent_from_json(value, place)

    agents = list(file.each("agents", typed))
    soundness.check_unique([agent.id for agent in agents], "agents[{}].id", "id")
    return agents


def _check_ids(loom: LoomTree, nodes: Sequence[Node], edges: Sequence[Edge], agents: Sequence[Agent]) -> None:
    """Raises: InvalidInput where an id could not be shown on one line as what it is."""
    soundness.check_shown("tree", "id", [loom.id])
    soundness.check_shown("nodes", "id", (node.id for node in nodes))
    soundness.check_shown("nodes", "localId", (node.local_id for node in nodes))
    soundness.check_shown("nodes", "authorAgentId", (node.author_agent_id for node in nodes))
    soundness.check_shown("edges", "id", (edge.id for edge in edges))
    soundness.check_shown("agents", "id", (agent.id for agent in agents))


def _sound(loom: LoomTree, nodes: Sequence[Node], edges: Sequence[Edge]) -> list[str]:
    """The node ids, parents first. Raises: InvalidInput where the tree is damaged."""
    if not nodes:
        raise InvalidInput("nodes: is empty; a tree has at least its root", place="nodes")
    soundness.check_edges(edges, {node.id for node in nodes})
    order = soundness.parents_first(nodes, edges)
    soundness.check_root(loom, nodes, edges)
    soundness.check_unique([node.local_id.upper() for node in nodes], "nodes[{}].localId", "localId")
    for i, node in enumerate(nodes):
        if node.content_hash and not SHA256.fullmatch(node.content_hash):
            raise _no_hash(f"nodes[{i}].contentHash")
        for j, parent_hash in enumerate(node.parent_hashes):
            if not SHA256.fullmatch(parent_hash):
                raise _no_hash(f"nodes[{i}].parentHashes[{j}]")
    return order


def _no_hash(place: str) -> InvalidInput:
    return InvalidInput(worded("{place}: is not a SHA-256 in hexadecimal", place=place), place=place)


def _tree(loom: LoomTree, nodes: Sequence[Node], edges: Sequence[Edge], untitled: str) -> Tree:
    first_text = next((node.text for node in nodes if node.id == loom.root_id), "")
    return Tree(
        replace(loom, title=loom.title or title_from(first_text) or untitled), nodes=nodes, edges=edges
    )


def _media(file: JsonReader) -> dict[str, bytes]:
    media: dict[str, bytes] = {}
    for name, value in file.mapping("media").items():
        place = f"media.{name}"
        if not isinstance(value, str):
            raise InvalidInput(worded("{place}: is not a text in base64", place=place), place=place)
        data = bytes_from_base64(value, place)
        if hashlib.sha256(data).hexdigest() != name:
            raise InvalidInput(worded("{place}: its bytes have another SHA-256", place=place), place=place)
        media[name] = data
    return media


def _beyond(file: JsonReader, selection_keys: Mapping[str, Json]) -> Json:
    """A tree's `extra`, see the module's docstring. Takes what is left of the file, so it comes last."""
    extra = file.mapping("extra")
    beyond: Json = {"extra": extra, "keys": file.rest, "selectionKeys": selection_keys}
    return {name: value for name, value in beyond.items() if value}


def _oddities(tree: Tree, agents: Iterable[Agent]) -> Iterable[str]:
    types = {agent.id: agent for agent in agents}
    for i, node in enumerate(tree.nodes.values()):
        agent = types.get(node.author_agent_id or "")
        if agent is not None and agent.type != node.author_type:
            says = f"nodes[{i}]: authorType is {node.author_type}"
            yield f"{says}, but its author “{agent.name}” is a {agent.type}"


# Writing


def write(
    tree: Tree,
    agents: Iterable[Agent] = (),
    evidence: Iterable[Evidence] | None = None,
    media: Mapping[str, bytes] | None = None,
) -> str:
    """The tree as Loom JSON, one row a line, ending in a line break; the same bytes for the same tree.

    `agents` are written in their order. `responses` and `media` are written if they are given, even if empty.
    """
    kept = None if evidence is None else tuple(evidence)
    beyond = {name: cast(Json, tree.extra.get(name, {})) for name in ("extra", "keys", "selectionKeys")}
    value: Json = {
        "format": FORMAT,
        "version": VERSION,
        "tree": loom_to_json(tree.loom),
        "agents": [agent_to_json(agent) for agent in agents],
        "nodes": [node_to_json(node) for node in tree.nodes.values()],
        "edges": [edge_to_json(edge) for edge in tree.edges.values()],
        "activePath": _path_to_json(tree.path, beyond["selectionKeys"]),
        "includedAnnotations": list(tree.included_annotations.node_ids),
        **summaries_to_json(tree, kept or ()),
        "tags": [tag_to_json(tag) for tag in tree.tags.values()],
        "links": [link_to_json(link) for link in tree.links.values()],
    }
    if kept is not None:
        value["responses"] = responses_to_json(kept, tree.nodes)
    if media is not None:
        value["media"] = {name: base64.b64encode(data).decode("ascii") for name, data in media.items()}
    value["extra"] = beyond["extra"]
    # A key that was unknown to an older version may be the name of rows by now: those count.
    return _text(value | {name: item for name, item in beyond["keys"].items() if name not in value})


def media_refs(tree: Tree) -> tuple[str, ...]:
    """The media its nodes show, each once, in the order of the nodes."""
    refs: dict[str, None] = {}
    for node in tree.nodes.values():
        blocks = node.content.blocks if isinstance(node.content, Mixed) else (node.content,)
        refs |= {block.ref: None for block in blocks if isinstance(block, Image)}
    return tuple(refs)


def _path_to_json(path: ActivePath, selection_keys: Json) -> Json:
    selections = [selection_to_json(*ends, selection_keys) for ends in path.selections.items()]
    return {"leafNodeId": path.leaf_id, "selections": selections, **path.extra}


def _text(value: Json) -> str:
    """JSON with one top-level key a line and one item a line in lists and in media."""
    return "{" + ",\n ".join(f"{_dumps(key)}: {_lines(key, item)}" for key, item in value.items()) + "}\n"


def _lines(key: str, item: object) -> str:
    if isinstance(item, list) and item:
        return "[\n  " + ",\n  ".join(map(_dumps, item)) + "]"
    if isinstance(item, dict) and item and key == "media":
        return "{\n  " + ",\n  ".join(f"{_dumps(k)}: {_dumps(v)}" for k, v in item.items()) + "}"
    return _dumps(item)


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
