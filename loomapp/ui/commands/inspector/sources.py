"""Sources panel in a window: edges as they are, the coming one as it is wished."""

from __future__ import annotations

from collections.abc import Iterable

from loomapp.core.edits import node_edits, node_marks
from loomapp.core.model.entities import Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.navigation import NodeSource, arrivals, uses
from loomapp.ui.graph.scene.card_faces import author_name, author_tint, words
from loomapp.ui.inspector.node.sources_panel import SourceAct, SourceFacts, SourceList
from loomapp.ui.strings import tr
from loomapp.ui.widgets.words.outcome_words import FateWords
from loomapp.ui.workbench import Workbench

TEXT_CHARACTERS = 240
ICONS = {
    "primary": "arrow-right",
    "context": "layers",
    "instruction": "sticky-note",
    "annotation": "message-square",
}


def wire(bench: Workbench) -> None:
    panel = bench.views.inspector.sources
    panel.set_source(lambda: shown(bench))
    panel.act_asked.connect(lambda _, node_id, act: bench.frame.run_command(lambda w: do(w, node_id, act)))
    bench.work.preview.pending.changed.connect(lambda: refresh(bench))


def refresh(bench: Workbench) -> None:
    """Show the sources and the number on their tab anew."""
    tree, current = bench.work.document.tree, bench.work.document.current_id
    edge = tree.incoming(current)[:1]
    beside = sum(source.role != "primary" for one in edge for source in one.sources)
    bench.views.inspector.show_source_count(beside + len(bench.work.preview.pending.roles))
    bench.views.inspector.sources.refresh()


def show_sources(bench: Workbench) -> None:
    """Show the sources of the current node, and of the next generation, under the graph."""
    bench.frame.bring_inspector()
    bench.views.inspector.show_sources()


def shown(bench: Workbench) -> tuple[SourceList, ...]:
    """The lists of the panel: the coming generation first if anything is attached, else last."""
    tree, node = bench.work.document.tree, _current(bench)
    coming = _coming(bench, node)
    lists = [_incoming(bench, tree, node)]
    used = uses(tree, node.id)
    if used:
        rows = tuple(_row(bench, one, _use_words(one)) for one in used)
        lists.append(SourceList("uses", tr("What it is used for"), "", rows))
    return (coming, *lists) if len(coming.rows) > 1 else (*lists, coming)


def _incoming(bench: Workbench, tree: Tree, node: Node) -> SourceList:
    found = arrivals(tree, node.id)
    title = tr("What led to {node}").format(node=node.local_id)
    if found:
        sentence = tr("This is how it was made, and stays. It can be left out, or attached again.")
        rows = tuple(_row(bench, one, _part_words(one), _acts(bench, one)) for one in found)
        return SourceList("edge", title, sentence if len(found) > 1 else "", rows)
    if node.id == tree.root_id:
        return SourceList("edge", title, tr("Nothing: the tree starts here."))
    loose = tr("Nothing: it stands by itself, to be used as context or instruction.")
    return SourceList("edge", title, loose)


def _coming(bench: Workbench, node: Node) -> SourceList:
    """Return the sources of the next generation."""
    tree, pending = bench.work.document.tree, bench.work.preview.pending
    rows = [_row(bench, NodeSource(node.id, "primary"), tr("Continues"))]
    sources = bench.work.preview.sources_from(node.id)
    for node_id in sources.context_ids:
        acts = (
            SourceAct("instruct", tr("As instruction"), tr("Goes along in the system context instead")),
            _detach(),
        )
        rows.append(_row(bench, NodeSource(node_id, "context"), tr("Context"), acts))
    for node_id in sources.instruction_ids:
        acts = (
            SourceAct(
                "inform", tr("As context"), tr("Goes along as material instead, before what is continued")
            ),
            _detach(),
        )
        rows.append(_row(bench, NodeSource(node_id, "instruction"), tr("Instruction"), acts))
    title = tr("Sources of the next answer")
    keys = [key for name in ("attachContext", "attachInstruction") if (key := bench.actions.key(name))]
    hint = tr("Drag a card onto another to attach more.")
    if keys:
        both = tr("{one} or {other}").format(one=keys[0], other=keys[-1]) if keys[1:] else keys[0]
        hint = tr("Drag a card onto another, or press {keys}, to attach more.").format(keys=both)
    if node.id in pending.roles.keys() - {*sources.context_ids, *sources.instruction_ids}:
        hint = tr("{node} is attached, but nothing is attached to itself.").format(node=node.local_id)
    return SourceList("coming", title, "" if tree.is_empty_root(node.id) else hint, tuple(rows))


def _detach() -> SourceAct:
    return SourceAct("detach", tr("Remove"), tr("Send it no longer with what comes next"))


def _acts(bench: Workbench, one: NodeSource) -> tuple[SourceAct, ...]:
    """An edge is what a node was made of: what can change is whether its sources are sent from now on."""
    node = bench.work.document.tree.nodes.get(one.node_id)
    if node is None or bench.work.document.grove.read_only:
        return ()
    found: list[SourceAct] = []
    if not one.is_taken:
        found.append(SourceAct("take", tr("Use this source"), tr("The path goes through it from now on")))
    if one.part in ("context", "instruction"):
        role = tr("context") if one.part == "context" else tr("instruction")
        tip = tr("Goes along with the next generation too, as {role}").format(role=role)
        if node.id not in bench.work.preview.pending.roles:
            found.append(SourceAct(f"again_{one.part}", tr("Attach again"), tip))
    if node.metadata.excluded:
        found.append(SourceAct("include", tr("Include"), tr("Is sent again")))
    elif not bench.work.document.tree.is_empty_root(node.id):
        found.append(SourceAct("exclude", tr("Exclude"), tr("Is left out of every context")))
    return tuple(found)


def do(bench: Workbench, node_id: str, act: str) -> None:
    """Do the act that a button of a row asks for."""
    document, pending = bench.work.document, bench.work.preview.pending
    match act:
        case "exclude":
            document.edit([node_id], node_marks.exclude, keeps_current=True)
        case "include":
            document.edit([node_id], node_marks.include, keeps_current=True)
        case "detach":
            pending.detach(node_id)
        case "instruct" | "again_instruction":
            pending.attach([node_id], "instruction")
        case "inform" | "again_context":
            pending.attach([node_id], "context")
        case "take":
            selections = {**document.tree.path.selections, document.current_id: node_id}
            leaf = document.tree.path.leaf_id
            document.commit(
                node_edits.choose_path(document.tree, leaf, document.pen(), selections), keeps_current=True
            )


def _row(bench: Workbench, one: NodeSource, part: str, acts: Iterable[SourceAct] = ()) -> SourceFacts:
    tree, agents = bench.work.document.tree, bench.work.document.agents.by_id()
    node = tree.nodes.get(one.node_id)
    icon = ICONS[one.part]
    if node is None:
        gone = FateWords(tr("Not in this tree"), "circle-alert")
        return SourceFacts("", icon, part, "", "", one.node_id[:8], "", gone)
    if tree.is_empty_root(node.id):
        text = tr("Start of the tree")
    else:
        text = " ".join(words(node.content, node.text)[:TEXT_CHARACTERS].split())
    return SourceFacts(
        node.id,
        icon,
        part,
        author_name(node, agents),
        author_tint(node.author_type, node.author_agent_id, agents),
        node.local_id,
        text,
        bench.display.fate_words_of(node.id),
        tuple(acts),
        is_struck=node.metadata.excluded,
    )


def _part_words(one: NodeSource) -> str:
    if one.part == "primary":
        if one.is_taken:
            return tr("Continues")
        return tr("Other version") if one.is_version else tr("Not taken")
    return {"context": tr("Context"), "instruction": tr("Instruction"), "annotation": tr("Note on")}[one.part]


def _use_words(one: NodeSource) -> str:
    return tr("Context of") if one.part == "context" else tr("Instructs")


def _current(bench: Workbench) -> Node:
    return bench.work.document.tree.nodes[bench.work.document.current_id]
