"""The node inspector: everything known of one node, its text, its usage, and whether it verifies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QDateTime, QPoint, Qt, Signal
from PySide6.QtWidgets import QPushButton, QStackedWidget, QWidget

from loomapp.core.economy.calls import CacheChange, NodeUsage, TokenTotals
from loomapp.core.edits.node_marks import tags_of
from loomapp.core.loom_commands.trace import WAITS, TraceEntry, entries_of
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import AttachedDocument, Text, blocks_of, images_of
from loomapp.core.model.entities import Node
from loomapp.core.model.hashes import Finding
from loomapp.core.model.tree import Tree
from loomapp.core.times import iso_time
from loomapp.ui import figures
from loomapp.ui.inspector.node.memory_panel import MemoryPanel
from loomapp.ui.look import theme
from loomapp.ui.media.pictures import Picture, Thumbnails
from loomapp.ui.strings import tr
from loomapp.ui.widgets.buttons import push_button
from loomapp.ui.widgets.chip import AgentMark, Chip
from loomapp.ui.widgets.labels import IconLabel, PlainView, label, set_tip
from loomapp.ui.widgets.layouts import Flow, Scrolled, SideBySide, fill, vertical
from loomapp.ui.widgets.rows import FactList, VerdictRow, exact_field, value_label
from loomapp.ui.widgets.words import amounts
from loomapp.ui.widgets.words.context_words import own_words
from loomapp.ui.widgets.words.outcome_words import FateWords


def usage_facts(usage: NodeUsage | None, window: int | None) -> list[tuple[str, str]]:
    """Return names and words of what a call used; `window` is that of its model, if it is known."""
    if usage is None:
        return []
    return [
        (tr("Tokens in"), _sent(usage, window)),
        (tr("Tokens out"), _count(usage.call.output_tokens)),
        (tr("Cache"), _cache(usage)),
        (tr("Cache missed"), _missed(usage)),
        *([] if usage.totals is None else [(tr("This path so far"), _totals(usage.totals))]),
    ]


def _totals(totals: TokenTotals) -> str:
    return tr("{sent} tokens in, {received} out, in {calls}").format(
        sent=figures.number(totals.input_tokens),
        received=figures.number(totals.output_tokens),
        calls=tr("1 call") if totals.calls == 1 else tr("{count} calls").format(count=totals.calls),
    )


def _sent(usage: NodeUsage, window: int | None) -> str:
    said, share = _count(usage.call.input_tokens), None if window is None else usage.window_share(window)
    if share is None or window is None:
        return said
    words = tr("{tokens}, {percent} % of the {window} of its window")
    percent, size = figures.number(int(share * 100 + 0.5)), figures.number(window)
    return words.format(tokens=said, percent=percent, window=size)


def _count(count: int | None) -> str:
    return tr("not reported") if count is None else amounts.tokens(count)


def _cache(usage: NodeUsage) -> str:
    read, written = usage.call.cached_tokens, usage.call.cache_written_tokens
    said = [
        "" if read is None else tr("{count} read").format(count=figures.number(read)),
        "" if not written else tr("{count} written").format(count=figures.number(written)),
    ]
    return ", ".join(filter(None, said))


def _missed(usage: NodeUsage) -> str:
    """Return what changed since the call before, where the cache was missed, else ""."""
    if not usage.is_cache_missed:
        return ""
    words: dict[CacheChange, str] = {
        "system": tr("the system context changed"),
        "summary": tr("another summary was used"),
        "exclusion": tr("other messages were excluded"),
        "shortened": tr("other parts were shortened"),
    }
    return ", ".join(words[one] for one in usage.changed) or tr("nothing that was sent before changed")


HIGHEST_IMAGE_PX = 96
MOST_COMMANDS, LONGEST_COMMAND = 60, 200  # of a run; characters of one


class NodeInspector(QWidget):
    """Facts of one node, or words on what will be here. What holds them is made with the first node."""

    node_clicked = Signal(str)  # a parent, or what it was edited from
    image_chosen = Signal(object)  # Image: it is to be shown large
    tag_wanted = Signal()  # another tag on this node
    tag_removed = Signal(str)  # name of a tag that is to go

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("nodeInspector")
        self.setAccessibleName(tr("Node"))
        hint = tr("Select a node: its text, author, hash and links stand here.")
        self._empty = label(hint, "ui", "muted", wrap=True, name="nodeInspectorEmpty")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._empty.setContentsMargins(12, 12, 12, 12)
        self.memory = MemoryPanel(self)
        self.memory.hide()  # until there is a place for it
        self._known: object = None
        self._thumbnails: Thumbnails | None = None
        self._can_write = False
        self._body: QWidget | None = None
        self._fate_words: FateWords | None = None
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self._empty)
        column = vertical(self)
        column.addWidget(self._pages)

    def show_node(
        self,
        tree: Tree,
        node: Node | None,
        agents: Mapping[str, Agent],
        finding: Finding | None = None,
        usage: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Show a node, what verification says of it, and what its call used; None: what will be here."""
        if node is None:
            self._pages.setCurrentWidget(self._empty)
            return
        if self._body is None:
            self._body = self._build_body()
            self._pages.addWidget(self._body)
            self._show_fate()
        self._pages.setCurrentWidget(self._body)
        agent = agents.get(node.author_agent_id or "")
        self._mark.show_agent(agent)
        human = node.author_type == "human"
        self._name.setText(agent.name if agent else own_words() if human else tr("Unknown model"))
        self._local_id.setText(node.local_id)
        when = QDateTime.fromMSecsSinceEpoch(node.created_at)
        self._when.setText(when.toString("yyyy-MM-dd HH:mm:ss"))
        self._when.setToolTip(iso_time(node.created_at))
        self._text.show_text(node.text)
        self._show_facts(tree, node, usage)
        self._verdict.show_finding(finding, is_model=not human)

    def show_fate(self, fate: FateWords) -> None:
        self._fate_words = fate
        self._show_fate()

    def _show_fate(self) -> None:
        fate = self._fate_words
        if fate is not None and self._body is not None:
            self._fate.setText(fate.words)
            self._fate_icon.show_icon(fate.icon, "text.muted" if fate.is_out else "accent.base")

    # What there is to know

    def _show_facts(self, tree: Tree, node: Node, usage: Sequence[tuple[str, str]]) -> None:
        """Show them, unless nothing changed: a selection in them stays."""
        tags = [tag.name for tag in tags_of(tree, node.id)]
        around = (tree.incoming(node.id), tree.annotation_edges_into(node.id), tree.children(node.id))
        if (known := (node, *around, tags, *usage)) != self._known:
            self._known = known
            self._show_flags(node, tags)
            self._facts.show_facts([*self._node_facts(tree, node), *usage, *self._own_names(node)])

    def _node_facts(self, tree: Tree, node: Node) -> list[tuple[str, str | QWidget]]:
        parents = (i for edge in tree.incoming(node.id) for i in edge.with_role("primary"))
        notes_on = (s.node_id for edge in tree.annotation_edges_into(node.id) for s in edge.sources)
        sources = (s for edge in tree.incoming(node.id) for s in edge.sources if s.role != "primary")
        blocks = blocks_of(node.content)
        documents = [block.name for block in blocks if isinstance(block, AttachedDocument)]
        return [
            (tr("Interrupted"), node.interrupted.reason if node.interrupted else ""),
            (tr("Bookmark"), node.metadata.bookmark_label or ""),
            (tr("Parents"), self._nodes(tree, parents) or ""),
            (tr("A note on"), self._nodes(tree, notes_on) or ""),
            (tr("Sources"), self._nodes(tree, (s.node_id for s in sources)) or ""),
            (tr("Edited from"), self._nodes(tree, filter(None, [node.edited_from])) or ""),
            (tr("Children"), figures.number(len(tree.children(node.id)))),
            (tr("Characters"), figures.number(len(node.text))),
            (tr("Images"), self._images(node) or ""),
            (tr("Files"), ", ".join(documents)),
            (tr("Commands"), _commands(node) or ""),
            (tr("Kind"), "" if isinstance(node.content, Text) else type(node.content).__name__.lower()),
        ]

    @staticmethod
    def _own_names(node: Node) -> list[tuple[str, str | QWidget]]:
        return [
            (tr("Hash"), exact_field(node.content_hash, tr("Hash")) if node.content_hash else tr("none")),
            (tr("Id"), exact_field(node.id, tr("Id"))),
        ]

    def set_thumbnails(self, thumbnails: Thumbnails) -> None:
        self._thumbnails, self._known = thumbnails, None

    def _images(self, node: Node) -> QWidget | None:
        """Return the images of a node, small, each a button that shows it large."""
        images = images_of(node.content)
        if not images or self._thumbnails is None:
            return None
        holder = QWidget()
        row = Flow(holder, gap_px=4)
        for image in images:
            picture = Picture(image, self._thumbnails, holder, highest_px=HIGHEST_IMAGE_PX)
            picture.clicked.connect(partial(self.image_chosen.emit, image))
            row.addWidget(picture)
        return holder

    def _nodes(self, tree: Tree, node_ids: Iterable[str]) -> QWidget | None:
        """Return links to nodes, by their short ids; None for none."""
        links = [self._link(tree, node_id) for node_id in dict.fromkeys(node_ids)]
        if not links:
            return None
        holder = QWidget()
        row = Flow(holder, gap_px=4)
        for link in links:
            row.addWidget(link)
        return holder

    def _link(self, tree: Tree, node_id: str) -> QWidget:
        node = tree.nodes.get(node_id)
        if node is None:
            return label(tr("{id} (not in this tree)").format(id=node_id), "small", "muted", wrap=True)
        link = push_button("nodeLink", node.local_id, kind="link")
        theme.set_look(link, flush=True)
        link.setAccessibleName(tr("Go to {name}").format(name=node.local_id))
        set_tip(link, node.text[:300])
        link.clicked.connect(lambda: self.node_clicked.emit(node_id))
        return link

    def _show_flags(self, node: Node, tags: Iterable[str]) -> None:
        while (item := self._flags.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        flags = (
            (node.interrupted is not None, "circle-pause", tr("interrupted")),
            (node.metadata.excluded, "eye-off", tr("excluded")),
            (node.metadata.pruned, "leaf", tr("deleted")),
            (node.metadata.bookmarked, "bookmark", tr("bookmarked")),
            (node.edited_from is not None, "pencil", tr("edited")),
        )
        for shown, icon, words in flags:
            if shown:
                self._flags.addWidget(Chip(icon, words))
        for name in tags:
            chip = Chip("hash", name, removable=self._can_write)
            chip.removed.connect(partial(self.tag_removed.emit, name))
            self._flags.addWidget(chip)
        if self._can_write:
            self._flags.addWidget(self._tag_button())

    def _tag_button(self) -> QPushButton:
        button = push_button("tagNodeButton", tr("Tag…"), kind="link")
        theme.set_look(button, flush=True)
        button.setAccessibleName(tr("Tag this message"))
        button.clicked.connect(self.tag_wanted)
        return button

    def refresh_memory(self) -> None:
        """Show the memories of agents anew, and the way to them if there are any."""
        if self._body is None:
            return
        self.memory.refresh()
        agents = self.memory.agents
        words = tr("Memory of {agent}").format(agent=agents[0].name) if len(agents) == 1 else ""
        self._memory_link.setText(words or tr("Memory of agents"))
        self._memory_link.setVisible(bool(agents))

    def on_memory_link(self) -> None:
        self._area.verticalScrollBar().setValue(self.memory.mapTo(self._sides, QPoint()).y())

    def set_can_write(self, can_write: bool) -> None:
        self._can_write, self._known = can_write, None

    # Building

    def _build_body(self) -> QWidget:
        self._text = PlainView(tr("Text of the node"), type_name="ui")
        self._text.setObjectName("nodeText")
        self._facts = FactList()
        self._verdict = VerdictRow("nodeVerdict")
        self._mark = AgentMark()
        self._name = label("", "ui_strong", name="nodeAuthor")
        self._local_id = label("", "mono", "secondary", name="nodeLocalId")
        theme.set_look(self._local_id, tone="key")
        self._when = label("", "small", "muted", name="nodeTime")
        self._fate_icon = IconLabel("minus", "text.muted", 14)
        self._fate = label("", "small", "secondary", name="nodeFate")
        for words in (self._local_id, self._when):
            words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        head = Flow(gap_px=8)
        fill(head, self._mark, self._name, self._local_id, self._when, self._fate_icon, self._fate)
        self._flags = Flow(gap_px=6)
        side = QWidget()
        left = vertical(side, (12, 10, 12, 10), spacing=8)
        self._memory_link = push_button("showMemoryButton", tr("Memory of agents"), kind="link")
        self._memory_link.clicked.connect(self.on_memory_link)
        self._memory_link.hide()
        fill(head, self._memory_link)
        fill(left, head, self._flags)
        left.addWidget(self._text, 1)
        self._sides = SideBySide(side, self._build_details())
        self._area = Scrolled(self._sides, "nodeDetails")
        return self._area

    def _build_details(self) -> QWidget:
        details = QWidget()
        column = vertical(details, (12, 10, 12, 10), spacing=12)
        fill(column, self._verdict, self._facts, self.memory)
        column.addStretch(1)
        self.memory.show()
        return details


def _sign(entry: TraceEntry) -> str:
    if entry.result == WAITS:
        return "…"
    return "✓" if entry.code is None else "✗"


def _commands(node: Node) -> QWidget | None:
    """Return what a loom-aware agent did before this answer, a line each; None for most."""
    entries = [entry for entry in entries_of(node) if entry.is_command]
    if not entries:
        return None
    lines = [
        f"{_sign(one)} {' '.join(one.line[:LONGEST_COMMAND].split())}" for one in entries[:MOST_COMMANDS]
    ]
    if len(entries) > MOST_COMMANDS:
        lines.append(tr("and {count} more").format(count=figures.number(len(entries) - MOST_COMMANDS)))
    found = value_label("\n".join(lines), tr("Commands"))
    found.setObjectName("nodeCommands")
    found.setFont(theme.font("mono"))
    return found
