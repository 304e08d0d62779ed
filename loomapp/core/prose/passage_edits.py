"""Edits of a buffer's text: several passages at once, a passage parted or put together with others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from loomapp.core.edits import node_marks
from loomapp.core.edits.edit_context import EditContext
from loomapp.core.errors import InvalidInput
from loomapp.core.model.change import Change, RowChange
from loomapp.core.model.content import Text
from loomapp.core.model.entities import ActivePath, Edge, EdgeSource, Node
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.paths import piece_table, siblings
from loomapp.core.paths.piece_table import LEFT_OUT, MERGED, SPLIT, Taken
from loomapp.core.paths.resolve import place_on
from loomapp.core.paths.version_groups import Kinship
from loomapp.core.prose.authorship import Author, author_of
from loomapp.core.prose.buffer_text import PendingText
from loomapp.core.prose.passage_change import PassageChange, plain_text_of
from loomapp.core.response_text.body import read_response
from loomapp.core.sentences import worded
from loomapp.core.text.graphemes import start_of


def revise(
    tree: Tree,
    way: Sequence[str],
    typed: Mapping[str, PendingText],
    pen: EditContext,
    ids: Mapping[str, str] = MappingProxyType({}),
) -> Change | None:
    """New versions of several passages, as one Change, on a path that goes through those that are on it; None
    if none of them says anything new.

    Each stands beside its original: it hangs on the same and has the same after it. A passage that was
    emptied stays, as an empty version. Those of one text that follow each other follow each other's versions.
    `ids` are those that their versions are to have, where they were given out before.
    Raises: InvalidInput for what is not plain text.
    """
    revision = PassageChange(tree, way, pen)
    changed = [node_id for node_id in typed if plain_text_of(tree.nodes[node_id]) != typed[node_id].text]
    places = {node_id: place_on(tree, way, node_id) for node_id in changed}
    changed.sort(key=lambda node_id: len(way) if (place := places[node_id]) is None else place)
    for node_id in changed:
        version = revision.add(
            typed[node_id].text,
            revision.sources_of(node_id),
            edited_from=node_id,
            pieces=typed[node_id].pieces,
            excluded=tree.nodes[node_id].metadata.excluded,
            kind=revision.kind_of(node_id),
            node_id=ids.get(node_id, ""),
        )
        revision.follow_too(node_id, version)
        revision.go_through([version], instead_of=[node_id])
    return revision.change("Edit" if len(changed) == 1 else f"Edit {len(changed)} passages")


def split(
    tree: Tree,
    way: Sequence[str],
    node_id: str,
    at: int,
    pen: EditContext,
    evidence: Evidence | None = None,
    *,
    gap: bool = False,
) -> Change | None:
    """Two nodes that together say what one says, parted at a place in code points; what comes after follows
    the second. None where one of the two would be empty.

    The node itself stays, as a version of its first half: nodes never change, and every hash below was made
    with its hash. Both halves are by whoever wrote it, and of a model rest on the response that it rests on
    (`evidence`): nobody changed a character, so nobody but the model wrote them, and a half without its
    response could no longer be proved. Who split it is said by the change log. Which characters they are is
    kept as their pieces, so colours need no guess. With a `gap` there is an empty passage between them.

    Raises: InvalidInput for what is not plain text.
    """
    node = tree.nodes[node_id]
    text = plain_text_of(node)
    at = start_of(text, max(0, min(at, len(text))))
    if not 0 < at < len(text):
        return None
    revision = PassageChange(tree, way, pen)
    author, response = author_of(node), rests_on(node, evidence)
    excluded = node.metadata.excluded
    first = revision.add(
        text[:at],
        revision.sources_of(node_id),
        edited_from=node_id,
        pieces=(Taken(node_id, 0, at),),
        author=author,
        evidence=response,
        excluded=excluded,
        part=SPLIT,
        kind=revision.kind_of(node_id),
    )
    between = [revision.add("", (EdgeSource(first),), edited_from=None, pieces=())] if gap else []
    second = revision.add(
        text[at:],
        (EdgeSource((first, *between)[-1]),),
        edited_from=node_id,
        pieces=(Taken(node_id, at, len(text)),),
        author=author,
        evidence=response,
        interrupted=node.interrupted,
        excluded=excluded,
        part=SPLIT,
    )
    revision.follow_too(node_id, second)
    revision.go_through([first, *between, second], instead_of=[node_id])
    return revision.change("Fill in") if gap else revision.change("Split", "split")


def version_up_to(tree: Tree, way: Sequence[str], at: int) -> str | None:
    """The version of the last node of a way that says its first characters, as it is sent; None if none."""
    node = tree.nodes[way[-1]]
    for version_id in siblings.versions(tree, way, len(way) - 1):
        version = tree.nodes[version_id]
        is_alike = version.metadata.excluded == node.metadata.excluded
        if version.edited_from == node.id and is_alike and version.content == Text(node.text[:at]):
            return version_id
    return None


def leave_out_end(tree: Tree, way: Sequence[str], at: int, pen: EditContext) -> Change:
    """A version of the last node of a way that says its first characters, by whoever wrote it. What is read
    stays, here and on the other ways on.
    """
    node = tree.nodes[way[-1]]
    revision = PassageChange(tree, way, pen)
    version = revision.add(
        plain_text_of(node)[:at],
        revision.sources_of(node.id),
        edited_from=node.id,
        pieces=(Taken(node.id, 0, at),),
        author=author_of(node),
        excluded=node.metadata.excluded,
        kind=revision.kind_of(node.id),
        extra={LEFT_OUT: True},
    )
    revision.follow_too(node.id, version)
    change = revision.change("Leave out spaces", "split")
    assert change is not None, "it adds a version"
    edges = [row.after for row in change.rows if isinstance(row.after, Edge) and row.before is not None]
    gained = {edge.target_id: node.id for edge in edges if edge.type == "continuation"}
    if len(revision.sources_of(version)) > 1:
        gained[version] = way[-2]
    path = replace(tree.path, selections={**gained, **tree.path.selections})
    rows = [row for row in change.rows if not isinstance(row.row, ActivePath)]
    read = [] if path == tree.path else [RowChange(tree.path, path)]
    return replace(change, rows=(*rows, *read))


def take_up_to(
    tree: Tree,
    way: Sequence[str],
    node_id: str,
    at: int,
    pen: EditContext,
    evidence: Evidence | None = None,
    *,
    back: ActivePath | None = None,
) -> Change | None:
    """The way goes on with the first characters of a node that continues its end: that is split there, and
    its first half is read, as one step. None where all of it or nothing is taken. Undo reads `back`, else
    what is read now. Raises: InvalidInput for what is not plain text.
    """
    change = split(tree, [*way, node_id], node_id, at, pen, evidence)
    if change is None:
        return None
    [first, _] = change.added_nodes()
    rows = [row for row in change.rows if not isinstance(row.row, ActivePath)]
    [moved] = [row.after for row in change.rows if isinstance(row.after, ActivePath)]
    read = RowChange(back or tree.path, replace(moved, leaf_id=first.id))
    return replace(change, rows=(*rows, read))


def chain_at(tree: Tree, way: Sequence[str], place: int) -> range:
    """The places of the longest chain around one on a path in which each is the only way on from the one
    before; an empty root is no part of one, nor is anything but plain text.
    """
    start = end = place
    while start > 0 and _hangs_alone(tree, way, start) and _is_mergeable(tree, way[start - 1]):
        start -= 1
    while end + 1 < len(way) and _hangs_alone(tree, way, end + 1) and _is_mergeable(tree, way[end + 1]):
        end += 1
    return range(start, end + 1)


def merge(
    tree: Tree,
    way: Sequence[str],
    places: range,
    pen: EditContext,
    evidence: Mapping[str, Evidence] | None = None,
) -> Change | None:
    """One node that says what a chain of nodes on a path says. None for fewer than two.

    The chain stays beside it as it was: the node is a version of the last of them, so that all that comes
    after, on every branch, follows both; and it hangs where the first hangs. It is by whoever wrote all of
    it, a model only if all of it stands so in one answer (`evidence`, by node); else by the person who put it
    together. Its pieces say who wrote which characters.

    Raises: InvalidInput where the text goes on in other ways between them, or for what is not plain text.
    """
    chain = [way[place] for place in places]
    if len(chain) < 2:
        return None
    texts = [plain_text_of(tree.nodes[node_id]) for node_id in chain]
    for place in places[1:]:
        if not _hangs_alone(tree, way, place):
            raise InvalidInput(
                worded(
                    "The text goes on in other ways before {node}; delete those, or merge what follows.",
                    node=tree.nodes[way[place]].local_id,
                )
            )
    revision = PassageChange(tree, way, pen)
    text = "".join(texts)
    author, response = _one_author([tree.nodes[node_id] for node_id in chain], text, evidence or {})
    merged = revision.add(
        text,
        revision.sources_of(chain[0]),
        edited_from=chain[-1],
        pieces=piece_table.joined(
            Taken(node_id, 0, len(text)) for node_id, text in zip(chain, texts, strict=True) if text
        ),
        author=author,
        evidence=response,
        interrupted=tree.nodes[chain[-1]].interrupted if response else None,
        excluded=all(tree.nodes[node_id].metadata.excluded for node_id in chain),
        part=MERGED,
        kind=revision.kind_of(chain[0]),
    )
    for node_id in chain[:-1]:
        revision.note_too(node_id, merged)
    revision.follow_too(chain[-1], merged)
    revision.go_through([merged], instead_of=chain)
    return revision.change("Merge")


def keep_path(tree: Tree, way: Sequence[str], pen: EditContext) -> Change | None:
    """Prune every branch that leaves a path, as one Change; None if none does. Nothing is deleted.

    Versions of its passages stay: they are this text as it was, not another way on.
    """
    stems = Kinship(tree)
    own = {stems.of(node_id) for node_id in way}
    kept = dict.fromkeys(way)
    waiting = list(way)
    for place, node_id in enumerate(way):
        if place == 0 or tree.nodes[node_id].edited_from is not None or tree.edits_of(node_id):
            waiting += (i for i in siblings.versions(tree, way, place) if i not in kept)
    doomed: dict[str, None] = {}
    while waiting:
        node_id = waiting.pop()
        kept[node_id] = None
        for child in tree.living_children(node_id):
            if child in kept:
                continue
            if stems.of(child) in own:
                waiting.append(child)
            else:
                doomed[child] = None
    change = node_marks.prune_branches(tree, doomed, pen)
    return None if change is None else replace(change, label="Keep this path")


def _hangs_alone(tree: Tree, way: Sequence[str], place: int) -> bool:
    return siblings.siblings(tree, way, place).count == 1


def _is_mergeable(tree: Tree, node_id: str) -> bool:
    if tree.is_empty_root(node_id):
        return False
    try:
        plain_text_of(tree.nodes[node_id])
    except InvalidInput:
        return False
    return True


def rests_on(node: Node, evidence: Evidence | None) -> tuple[Evidence, int] | None:
    """The response that a model's node rests on, and which choice it is there."""
    if evidence is None or node.author_type != "model" or node.id not in evidence.choices:
        return None
    return evidence, evidence.choices[node.id]


def _one_author(
    nodes: Sequence[Node], text: str, evidence: Mapping[str, Evidence]
) -> tuple[Author | None, tuple[Evidence, int] | None]:
    """Return the one author of all these nodes, and the one answer that has their whole `text` in one piece;
    None for the person who merges.
    """
    if len({author_of(node) for node in nodes}) > 1:
        return None, None
    if nodes[0].author_type == "human":
        return author_of(nodes[0]), None
    answers = [rests_on(node, evidence.get(node.id)) for node in nodes]
    known = {(one[0].id, one[1]) for one in answers if one is not None}
    if answers[0] is None or None in answers or len(known) > 1:
        return None, None
    response, index = answers[0]
    said = read_response(response)
    if said is None or index not in said.choices or text not in said.choices[index].text:
        return None, None
    return author_of(nodes[0]), answers[0]
