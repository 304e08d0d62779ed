"""Lists that stay short, of nodes too: the fields asked for, texts cut, and of many results a preview."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias, TypeVar

from loomapp.core.dataclass import dataclass
from loomapp.core.economy.branch_summaries import read_branch
from loomapp.core.json_values import Json
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths import navigation
from loomapp.core.text.token_counts import estimate
from loomapp.core.times import iso_time
from loomapp.core.tree_json import node_to_json
from loomapp.mcp.arguments import Arguments, Parameter, ToolError, short
from loomapp.mcp.served_grove import Environment

Reply: TypeAlias = "Json | list[Json] | str"  # an object, a list, or a text that is told as it is
T = TypeVar("T")

CUT = "..."
FIELDS_TOLD = 20  # of those that there are not
TEXTS = {"title", "text", "summary", "reasoning", "excerpt", "line", "result"}  # keys whose values are cut
OPTIONS = (
    Parameter("brief", "only id, title and author", "boolean"),
    Parameter("fields", "only these fields, in this order", "array"),
    Parameter("max_text_length", "cut longer texts; 0: never", "integer", default=0, least=0),
    Parameter("compact", "shorten a long list to a preview", "boolean", default=True),
)


@dataclass(frozen=True, slots=True)
class Form:
    """The form in which items of a list are told: brief fields, usual ones, and all there are."""

    items: str  # in the plural, as a hint calls them
    id_name: str
    brief: tuple[str, ...]
    usual: tuple[str, ...]
    valid: tuple[str, ...]


def listed(
    found: Sequence[T],
    total: int,
    form: Form,
    row: Callable[[T, Sequence[str]], Json],
    arguments: Arguments,
    environment: Environment,
) -> Reply:
    """Tell what was found, `total` in all. More than the threshold is a preview unless that is not wanted.

    Raises: ToolError for fields that there are not.
    """
    fields = _fields(form, arguments)
    is_compacted = arguments.flag("compact") and len(found) > environment.threshold
    shown = found[: environment.preview] if is_compacted else found
    most = arguments.number("max_text_length")
    rows = [_cut(row(item, fields), most) for item in shown]
    if not is_compacted:
        return rows
    return {
        "compacted": True,
        "total_count": total,
        "preview": rows,
        "preview_count": len(rows),
        "hint": f"Showing {len(rows)} of {total} {form.items}. Use show({form.id_name}) for full details "
        "or add filters to narrow results.",
    }


def _fields(form: Form, arguments: Arguments) -> Sequence[str]:
    if arguments.flag("brief"):
        return form.brief
    asked = tuple(dict.fromkeys(arguments.texts("fields")))
    unknown = sorted(set(asked) - set(form.valid))
    if unknown:
        more = f" and {len(unknown) - FIELDS_TOLD} more" if len(unknown) > FIELDS_TOLD else ""
        told = [short(name) for name in unknown[:FIELDS_TOLD]]
        raise ToolError(f"Invalid field(s): {told}{more}. Valid fields: {sorted(set(form.valid))}")
    return asked or form.usual


def _cut(row: Json, most: int) -> Json:
    """The row with long texts cut; 0 cuts none."""
    return {name: _cut_value(name, value, most) for name, value in row.items()} if most else row


def _cut_value(name: str, value: object, most: int) -> object:
    match value:
        case str() if name in TEXTS and len(value) > most:
            return value[:most] + CUT
        case dict():
            return {key: _cut_value(key, inner, most) for key, inner in value.items()}
        case list():
            return [_cut_value(name, inner, most) for inner in value]
    return value


TITLE_LENGTH = 60
HUMAN = "human"
FLAGS = ("head", "bookmarked", "excluded", "pruned", "interrupted")
MINIMAL = (
    "id",
    "title",
    "author",
    "depth",
    "flags",
    "child_count",
    "annotation_count",
    "tokens",
    "created_at",
)
FULL = (  # the keys of a node in Loom JSON
    "id",
    "localId",
    "content",
    "summary",
    "authorAgentId",
    "authorType",
    "role",
    "contentHash",
    "parentHashes",
    "createdAt",
    "editedFrom",
    "interrupted",
    "metadata",
    "reasoning",
    "trace",
)
BRIEF = ("id", "title", "author")


class NodeRows:
    """The rows of nodes of one tree, as it is now."""

    def __init__(self, tree: Tree, author_names: Mapping[str, str]) -> None:
        self.tree = tree
        self._names = author_names
        self._depths: dict[str, int] = {tree.root_id: 0}

    def row(self, node_id: str, fields: Collection[str]) -> Json:
        full = node_to_json(self.tree.nodes[node_id]) if not set(fields) <= set(MINIMAL) else {}
        minimal = self.minimal(node_id) if not set(fields).isdisjoint(MINIMAL) else {}
        return {name: minimal[name] if name in minimal else full.get(name) for name in fields}

    def minimal(self, node_id: str) -> Json:
        """The fields that lists tell of a node unless asked for others."""
        tree, node = self.tree, self.tree.nodes[node_id]
        notes = [i for i in tree.notes(node_id) if i in tree.nodes and not tree.nodes[i].metadata.pruned]
        return {
            "id": node.id,
            "title": self.title(node),
            "author": self.author(node),
            "depth": self.depth(node_id),
            "flags": list(self.flags(node)),
            "child_count": len(tree.living_children(node_id)),
            "annotation_count": len(notes),
            "tokens": estimate(node.text),
            "created_at": iso_time(node.created_at),
        }

    def brief(self, node_id: str) -> Json:
        node = self.tree.nodes[node_id]
        return {"id": node.id, "title": self.title(node), "author": self.author(node)}

    def title(self, node: Node) -> str:
        """Its branch title, else its summary, else its first line; at most 60 characters."""
        row = self.tree.branch_summaries.get(node.id)
        named = self.tree.loom.title if node.id == self.tree.root_id else row and read_branch(row).title
        said = next((text for text in (named, node.summary) if text and text.strip()), node.text)
        return next((line.strip() for line in said.splitlines() if line.strip()), "")[:TITLE_LENGTH]

    def author(self, node: Node) -> str:
        """`human`, or the name of the agent."""
        if node.author_type == "human":
            return HUMAN
        return self._names.get(node.author_agent_id or "") or node.author_agent_id or node.author_type

    def is_by(self, node: Node, author: str) -> bool:
        """True if a node is by whoever is named: `human`, `model`, an agent's name or id, in any case."""
        wanted = author.strip().casefold()
        agent_id = node.author_agent_id or ""
        named = (node.author_type, self._names.get(agent_id, ""), agent_id)
        return wanted in {name.casefold() for name in named if name}

    def flags(self, node: Node) -> tuple[str, ...]:
        metadata = node.metadata
        is_head = node.id == self.tree.root_id or node.id in self.tree.branch_summaries
        held = (
            is_head,
            metadata.bookmarked,
            metadata.excluded,
            metadata.pruned,
            node.interrupted is not None,
        )
        return tuple(name for name, holds in zip(FLAGS, held, strict=True) if holds)

    def depth(self, node_id: str) -> int:
        """Count the nodes before a node on its path; a note is one deeper than what it is on."""
        known, way, seen = self._depths, [], set[str]()
        current: str | None = node_id
        while current is not None and current not in known and current not in seen:
            way.append(current)
            seen.add(current)
            current = self.tree.plain_parents.get(current) or navigation.parent(self.tree, current)
        depth = known[current] if current is not None and current in known else -1
        for step in reversed(way):
            depth += 1
            known[step] = depth
        return known[node_id]
