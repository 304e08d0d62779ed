"""After any row of edits, undos and redos the file holds what memory holds, and so does a new start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loomapp.core.edits import node_edits, node_marks, tree_edits
from loomapp.core.model.change import Change, RowChange, apply
from loomapp.core.model.entities import EdgeSource, IncludedAnnotations, Link, Role, Tag
from loomapp.core.model.tree import Tree
from loomapp.store.checks.grove_verification import verify_grove
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.open import create_grove, open_grove
from tests.kit.chance import examples
from tests.kit.groves import agree, generated, planted
from tests.kit.trees import Hand, counted_id, snapshot

Draw = st.DataObject
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
UNHURRIED = settings(
    max_examples=examples(30),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def write(tree: Tree, hand: Hand, data: Draw) -> Change | None:
    return node_edits.add_node(tree, a_node(tree, data), a_text(data), hand.pen())


def write_from_several(tree: Tree, hand: Hand, data: Draw) -> Change | None:
    others = data.draw(st.lists(st.sampled_from(list(tree.nodes)), max_size=2))
    roles: st.SearchStrategy[Role] = st.sampled_from(["primary", "context", "instruction"])
    sources = tuple(EdgeSource(other, data.draw(roles)) for other in others)
    parent = a_node(tree, data)
    return node_edits.add_node(tree, parent, a_text(data), hand.pen(), sources=(EdgeSource(parent), *sources))


def generate(tree: Tree, hand: Hand, data: Draw) -> Change | None:
    texts = data.draw(st.lists(TEXTS.filter(bool), min_size=1, max_size=3))
    return generated(tree, a_node(tree, data), texts, hand)


def edit(tree: Tree, hand: Hand, data: Draw) -> Change | None:
    node_id = a_node(tree, data)
    if not tree.incoming(node_id):
        return None
    return node_edits.edit_as_sibling(tree, node_id, a_text(data), hand.pen())


def add_version(tree: Tree, hand: Hand, data: Draw) -> Change | None:
    """As an edit in a buffer: a version, and every edge that the original feeds gains it as a source."""
    node_id = a_node(tree, data)
    if not tree.incoming(node_id):
        return None
    change = node_edits.edit_as_sibling(tree, node_id, a_text(data), hand.pen())
    if change is None:
        return None
    version = change.added_nodes()[0]
    rows = list(change.rows[:2])
    more = EdgeSource(version.id)
    rows += (RowChange(e, replace(e, sources=(*e.sources, more))) for e in tree.edges_out(node_id))
    targets = {edge.target_id: version.id for edge in tree.edges_out(node_id) if edge.type == "continuation"}
    path = replace(tree.path, selections={**tree.path.selections, **targets})
    return replace(change, rows=(*rows, RowChange(tree.path, path)))


def move(tree: Tree, hand: Hand, data: Draw) -> Change | None:
    """Another parent; what would make a circle is left alone."""
    node_id, parent_id = a_node(tree, data), a_node(tree, data)
    incoming = tree.incoming(node_id)
    if not incoming or parent_id in tree.descendants(node_id):
        return None
    if data.draw(st.booleans()):
        rows = [RowChange(incoming[0], replace(incoming[0], sources=(EdgeSource(parent_id),)))]
    else:
        fresh = replace(incoming[0], id=counted_id(), sources=(EdgeSource(parent_id),))
        rows = [RowChange(incoming[0], None), RowChange(None, fresh)]
    return Change(tree.loom.id, "Move", hand.pen().now, tuple(rows))


def annotate(tree: Tree, hand: Hand, data: Draw) -> Change | None:
    return node_edits.annotate(tree, a_node(tree, data), a_text(data), hand.pen())


def flag(tree: Tree, hand: Hand, data: Draw) -> Change | None:
    node_id = a_node(tree, data)
    choices: list[Callable[[], Change | None]] = [
        lambda: node_marks.exclude(tree, [node_id], hand.pen()),
        lambda: node_marks.include(tree, [node_id], hand.pen()),
        lambda: node_marks.prune(tree, node_id, hand.pen()),
        lambda: node_marks.restore(tree, node_id, hand.pen()),
        lambda: node_marks.bookmark(tree, node_id, data.draw(st.none() | st.just("label")), hand.pen()),
    ]
    return data.draw(st.sampled_from(choices))()


def summarise(tree: Tree, hand: Hand, data: Draw) -> Change | None:
    node = tree.nodes[a_node(tree, data)]
    after = replace(node, summary=a_text(data))
    return Change(tree.loom.id, "Summary", hand.pen().now, (RowChange(node, after),))


def choose(tree: Tree, hand: Hand, data: Draw) -> Change | None:
    return node_edits.choose_path(tree, a_node(tree, data), hand.pen())


def change_settings(tree: Tree, hand: Hand, data: Draw) -> Change | None:
    loom = replace(tree.loom, system_context=a_text(data))
    return tree_edits.change_loom(tree, "Settings", hand.pen(), loom)


def mark(tree: Tree, hand: Hand, data: Draw) -> Change | None:
    tag = Tag(data.draw(st.sampled_from(["a", "b"])), node_ids=(a_node(tree, data),))
    link = Link(a_node(tree, data), "elsewhere", "x")
    here_tag, here_link = tree.tags.get(tag.key), tree.links.get(link.key)
    rows = (
        RowChange(here_tag, None if here_tag and data.draw(st.booleans()) else tag),
        RowChange(here_link, None if here_link else link),
        RowChange(tree.included_annotations, IncludedAnnotations((a_node(tree, data),))),
    )
    return Change(tree.loom.id, "Marks", hand.pen().now, rows)


STEPS = (
    write,
    write_from_several,
    generate,
    edit,
    add_version,
    move,
    annotate,
    flag,
    summarise,
    choose,
    change_settings,
    mark,
)


def a_node(tree: Tree, data: Draw) -> str:
    return data.draw(st.sampled_from(list(tree.nodes)))


def a_text(data: Draw) -> str:
    return data.draw(TEXTS)


def told_of(grove: Grove) -> list[str]:
    """What verification has to say of the whole grove."""
    verified = verify_grove(grove)
    failed = [f.reason for tree in verified.trees for f in tree.findings if f.verdict == "failed"]
    return [*verified.faults, *(fault for tree in verified.trees for fault in tree.faults), *failed]


@UNHURRIED
@given(data=st.data())
def test_the_file_holds_what_memory_holds_after_every_step(data: Draw) -> None:
    hand = Hand()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "grove.loom"
        grove = create_grove(path)
        tree, _ = planted(grove, hand, length=2, mode="buffer")
        for _ in range(data.draw(st.integers(1, 25))):
            action = data.draw(st.sampled_from(["do", "do", "do", "undo", "undo", "redo", "reopen"]))
            if action == "undo":
                grove.undo(tree)
            elif action == "redo":
                grove.redo(tree)
            elif action == "reopen":
                grove.close()
                grove = open_grove(path)
                tree = grove.load_tree(tree.loom.id)
            elif (change := data.draw(st.sampled_from(STEPS))(tree, hand, data)) is not None:
                grove.commit(tree, change)

            assert agree(grove, tree)
            assert tree.path.leaf_id in tree.nodes
        assert told_of(grove) == []
        grove.close()


@UNHURRIED
@given(data=st.data())
def test_a_change_and_its_inverse_leave_a_tree_as_it_was(data: Draw) -> None:
    hand = Hand()
    tree = tree_edits.new_tree("buffer", "A tree", hand.pen())
    for _ in range(data.draw(st.integers(1, 12))):
        change = data.draw(st.sampled_from(STEPS))(tree, hand, data)
        if change is not None:
            before = snapshot(tree)
            apply(tree, change)
            apply(tree, change.inverse())
            assert snapshot(tree) == before
            apply(tree, change)
