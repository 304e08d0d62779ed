"""Retry by a person: what is asked again for a node, beside it or below it, or why nothing can be."""

from __future__ import annotations

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput
from loomapp.core.generation.answers import Sources
from loomapp.core.model.entities import AuthorType
from loomapp.core.model.tree import Tree
from loomapp.core.paths import navigation
from loomapp.core.paths.path import Path
from loomapp.core.prose.path_choice import path_reading

BEGINNING = "This is where the tree starts. Choose a message, then ask again for that."
EMPTY_ROOT = "The tree is still empty: write the first message, then Generate."
NOTE = "A note is not answered: retry the message that it is on."
NOTHING_BEFORE = "Nothing comes before this: there is nothing that could be asked again."
PRUNED = "This message is deleted: restore it first, then retry."
PARENT_PRUNED = "What comes before this is deleted: restore that first, then retry."
CONTINUED_PRUNED = "What this would continue is deleted: restore it first, then generate."


@dataclass(frozen=True, slots=True)
class SiblingRetry:
    """More answers like a node: siblings of it, asked from the sources that it hangs on."""

    sources: Sources


@dataclass(frozen=True, slots=True)
class Below:
    """Answers to a node itself."""

    node_id: str


def asked_again(tree: Tree, read: Path, node_id: str) -> SiblingRetry | Below:
    """Return what Retry asks for a node, on the path that is read or beside it.

    What a model wrote gets siblings, also where a person edited it since; a person's message gets answers,
    and a person's passage in a buffer is gone on from.

    Raises: InvalidInput with the reason if there is nothing to ask; AssemblyError for a damaged path.
    """
    if why := why_not(tree, node_id):
        raise InvalidInput(why)
    if _gets_answers(tree, node_id):
        return Below(node_id)
    edge = tree.incoming(node_id)[0]
    above = path_reading(tree, read, node_id).node_ids[-2]
    if tree.nodes[above].metadata.pruned:
        raise InvalidInput(PARENT_PRUNED)
    return SiblingRetry(Sources(above, edge.with_role("context"), edge.with_role("instruction")))


def why_not(tree: Tree, node_id: str) -> str:
    """Return why Retry has nothing to ask for a node, for people; "" if it has."""
    node = tree.nodes.get(node_id)
    if node is None or tree.is_empty_root(node_id):
        return BEGINNING if tree.children(tree.root_id) else EMPTY_ROOT
    if tree.annotation_edges_into(node_id):
        return NOTE
    if _gets_answers(tree, node_id):
        return PRUNED if node.metadata.pruned else ""
    if not tree.incoming(node_id):
        return NOTHING_BEFORE
    above = navigation.parent(tree, node_id)
    return PARENT_PRUNED if above is not None and tree.nodes[above].metadata.pruned else ""


def why_not_continued(tree: Tree, node_id: str) -> str:
    """Return why nothing can be asked below a node, for people; "" if it can: nobody would see what comes."""
    return "" if navigation.lives(tree, node_id) else CONTINUED_PRUNED


def gets_answers(tree: Tree, node_id: str) -> bool:
    """Return True if Retry asks for answers to a node itself, where it has anything to ask."""
    return not why_not(tree, node_id) and _gets_answers(tree, node_id)


def _gets_answers(tree: Tree, node_id: str) -> bool:
    return _first_author(tree, node_id) != "model"


def _first_author(tree: Tree, node_id: str) -> AuthorType:
    """Return the author of the text that a node goes back to by edits."""
    return tree.nodes.get(tree.family(node_id), tree.nodes[node_id]).author_type
