"""Loom JSON of a tree besides its nodes and edges: path, inclusions, tags, links, summaries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from loomapp.core.encoding.tree_json import (
    branch_summary_from_json,
    context_summary_from_json,
    link_from_json,
    tag_from_json,
)
from loomapp.core.json_values import Json, JsonReader
from loomapp.core.model.entities import (
    ActivePath,
    BranchSummary,
    ContextSummary,
    IncludedAnnotations,
    Link,
    Tag,
)
from loomapp.core.model.tree import Tree
from loomapp.formats import soundness


@dataclass(frozen=True, slots=True)
class Details:
    """The smaller rows of a tree as a file lists them; `leaf_id` is empty where it gives none."""

    leaf_id: str
    selections: Mapping[str, str]
    selection_keys: Mapping[str, Json]  # unknown keys of selections, by their target
    path_extra: Json
    included: tuple[str, ...]
    tags: tuple[Tag, ...]
    links: tuple[Link, ...]
    branch_summaries: tuple[BranchSummary, ...]
    context_summaries: tuple[ContextSummary, ...]


def read_details(file: JsonReader) -> Details:
    """Raises: InvalidInput with the place of what is not of its type."""
    path = file.inner("activePath")
    leaf_id = path.optional_text("leafNodeId") or ""
    selections, selection_keys = _selections(path)
    return Details(
        leaf_id=leaf_id,
        selections=selections,
        selection_keys=selection_keys,
        path_extra=path.rest,
        included=file.texts("includedAnnotations"),
        tags=file.each("tags", tag_from_json),
        links=file.each("links", link_from_json),
        branch_summaries=file.each("branchSummaries", branch_summary_from_json),
        context_summaries=file.each("contextSummaries", context_summary_from_json),
    )


def check_details(details: Details, tree: Tree) -> None:
    """Raises: InvalidInput where a detail names a node that is not there, or is there twice."""
    lists: dict[str, Iterable[Tag | Link | BranchSummary | ContextSummary]] = {
        "tags": details.tags,
        "links": details.links,
        "branchSummaries": details.branch_summaries,
        "contextSummaries": details.context_summaries,
    }
    for name, rows in lists.items():
        soundness.check_unique([row.key.replace("\0", " → ") for row in rows], f"{name}[{{}}]", "name")
    soundness.check_unique(details.included, "includedAnnotations[{}]", "value")
    included = [(f"includedAnnotations[{i}]", node_id) for i, node_id in enumerate(details.included)]
    soundness.check_known([*included, *_references(details)], tree.nodes)


def put_details(details: Details, tree: Tree) -> None:
    """Into a tree that has its nodes and edges. Without a leaf the path is the root."""
    tree.path = ActivePath(details.leaf_id or tree.root_id, details.selections, details.path_extra)
    tree.included_annotations = IncludedAnnotations(details.included)
    tree.tags = {tag.key: tag for tag in details.tags}
    tree.links = {link.key: link for link in details.links}
    tree.branch_summaries = {summary.key: summary for summary in details.branch_summaries}
    tree.context_summaries = {summary.key: summary for summary in details.context_summaries}


def _selections(path: JsonReader) -> tuple[dict[str, str], dict[str, Json]]:
    selections: dict[str, str] = {}
    unknown: dict[str, Json] = {}
    for i, value in enumerate(path.items("selections")):
        item = JsonReader(value, f"activePath.selections[{i}]")
        target_id, source_id = item.name("targetNodeId"), item.name("sourceNodeId")
        if target_id in selections:
            raise item.wrong("targetNodeId", target_id, "has two selections")
        selections[target_id] = source_id
        if item.rest:
            unknown[target_id] = item.rest
    return selections, unknown


def _references(details: Details) -> Iterable[tuple[str, str]]:
    """The places that name a node; not selections, which are ignored off the path wherever they point."""
    if details.leaf_id:
        yield "activePath.leafNodeId", details.leaf_id
    for i, tag in enumerate(details.tags):
        yield from ((f"tags[{i}].nodeIds[{j}]", node_id) for j, node_id in enumerate(tag.node_ids))
    for i, link in enumerate(details.links):
        yield f"links[{i}].fromNodeId", link.from_node_id
    for i, branch in enumerate(details.branch_summaries):
        yield f"branchSummaries[{i}].nodeId", branch.node_id
    for i, context in enumerate(details.context_summaries):
        yield f"contextSummaries[{i}].anchorNodeId", context.anchor_node_id


def selection_to_json(target_id: str, source_id: str, keys: Mapping[str, object]) -> Json:
    """A chosen source, with the unknown keys its file gave it."""
    unknown = cast(Json, keys.get(target_id, {}))
    return {"targetNodeId": target_id, "sourceNodeId": source_id, **unknown}
