"""The graph view: one canvas of cards on which a tree is panned, zoomed, walked and acted on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QContextMenuEvent,
    QCursor,
    QHelpEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from loomapp.core.generation.drafts import LiveDraft
from loomapp.core.layout.cards import ReferenceKind
from loomapp.core.model.agent import Agent
from loomapp.core.model.change import Change
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import NodeSequence, node_sequence
from loomapp.ui.graph.crumbs import HEIGHT_PX, Crumbs
from loomapp.ui.graph.input.pointer import Target
from loomapp.ui.graph.painting import edges, overlay
from loomapp.ui.graph.painting.card_signs import Bracket, paint_sharing
from loomapp.ui.graph.painting.edges import paint_reference
from loomapp.ui.graph.painting.painter import PAD
from loomapp.ui.graph.scene.background_layout import Ahead
from loomapp.ui.graph.scene.spatial_index import ReferenceLine
from loomapp.ui.graph.walkable_canvas import WalkingCanvas
from loomapp.ui.media.pictures import Thumbnails
from loomapp.ui.widgets.labels import plain_tip
from loomapp.ui.widgets.spoken import speak_as


class GraphView(WalkingCanvas):
    """Shows the values it is given and says what the user did. It knows no document and changes no tree."""

    plus_clicked = Signal(str, bool)  # node id, whether to follow (Shift)
    menu_asked = Signal(str, QPoint)  # node id, or empty for the desk; global position
    tool_clicked = Signal(str, str)  # node id, edit | bookmark | exclude | note | more | restore
    hovered = Signal(str)  # node id, or empty
    attach_asked = Signal(str, str, QPoint)  # node id, the node it was put down on, where on the screen
    shortened_asked = Signal(str, QRect)  # node id, and where on the screen its chip is
    bracket_clicked = Signal(str)  # node id of the last card under it
    reparent_asked = Signal(str, str)  # node id, and that of the node it is to hang under

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("graphView")
        self.setAccessibleName(self.tr("Graph of the tree"))
        speak_as(self, QAccessible.Role.Canvas)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._crumbs: Crumbs | None = None
        self._ahead: Ahead | None = None
        self._hand.bracket = self.bracket_rect
        self._hand.hover_changed.connect(self.on_hover_changed)
        self._hand.pressed.connect(self.on_pressed)
        self._hand.activated.connect(self.on_activated)
        self._hand.panned.connect(self.pan)
        self._hand.carried.connect(self.reparent_asked)
        self._hand.put_down.connect(self.on_put_down)
        self.look_changed.connect(self._hand.let_go)

    # Values to show.

    def expect(self, ahead: Ahead) -> None:
        """Take what was made ahead of the tree that is shown next, so that showing it is a matter of a
        moment.
        """
        self._ahead = ahead

    def show_tree(self, tree: Tree, agents: Mapping[str, Agent] | Iterable[Agent]) -> None:
        self._hand.unpin()
        self._hand.let_go()
        self._flight.stop()
        self._linked = ""
        self._scene.show(tree, agents.values() if isinstance(agents, Mapping) else agents)
        self._placed, self._kept, self._is_new = False, None, True
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead.fits(tree, self._scene):
            self._reposition(partial(self._scene.take_over, ahead.scene, ahead.folds))
        self._refresh()

    def patch(self, change: Change) -> None:
        """The tree has just been moved by a change. What the user looks at stays where it is."""
        self._scene.patch(change)
        self._choose_no_hidden()
        self._refresh()

    def _choose_no_hidden(self) -> None:
        """Take nodes without a card out of the selection: who acts on one sees on what."""
        seen = frozenset(node_id for node_id in self._scene.chosen if not self._scene.hides(node_id))
        if seen != self._scene.chosen:
            self.choose(seen)

    def set_agents(self, agents: Mapping[str, Agent] | Iterable[Agent]) -> None:
        chosen = agents.values() if isinstance(agents, Mapping) else agents
        self._scene.set_agents(chosen)
        self._refresh()

    def set_path(self, path: NodeSequence | Iterable[str]) -> None:
        self._scene.set_path(path if isinstance(path, NodeSequence) else node_sequence(path))
        self._minimap_due = True
        self._refresh()

    def set_fates(self, fates: Mapping[str, str]) -> None:
        """Take the fate of each node in the coming context: sent, excluded, pruned, truncated, …."""
        self._scene.set_fates(fates)
        if not self._stop.key:
            self._describe_current()
        self._refresh()

    def set_bracket(self, bracket: Bracket | None) -> None:
        """Show over the cards that a summary stands for how many they are; None: none does."""
        if bracket != self._painter.bracket:
            self._painter.bracket = bracket
            self.viewport().update()

    def bracket_rect(self) -> QRectF:
        """Return where the pill of the bracket was painted; empty if it is not in sight."""
        return self._painter.bracket_pill

    def set_coming(self, roles: Mapping[str, ReferenceKind]) -> None:
        """Take the sources attached to the coming generation, by node id: lines lead from them to the current
        card.
        """
        self._scene.set_coming(roles)
        self._refresh()

    def set_thumbnails(self, thumbnails: Thumbnails) -> None:
        self._scene.set_thumbnails(thumbnails)
        thumbnails.came.connect(self.on_image_came)

    def on_image_came(self, _ref: str) -> None:
        self._scene.forget_sights()
        self.viewport().update()

    def add_crumbs(self) -> Crumbs:
        """Return a row of places above the canvas, to be filled by the caller."""
        self._crumbs = Crumbs(self)
        self._crumbs.add_zoom(self._zoom_bar)
        self.setViewportMargins(0, HEIGHT_PX, 0, 0)
        return self._crumbs

    def set_drafts(self, drafts: Iterable[LiveDraft]) -> None:
        """Show all drafts that live now; each has a card under the node it continues."""
        self._scene.set_drafts(drafts)
        self._refresh()

    def set_read_draft(self, key: str) -> None:
        """Take, of several drafts, the one that is read: the path seems to go on there."""
        self._scene.set_read_draft(key)
        self._refresh()

    def drafts_grew(self, drafts: Iterable[LiveDraft]) -> None:
        """Show more text of drafts: their cards alone are painted again."""
        for draft in drafts:
            row = self._scene.draft_grew(draft)
            if row is not None and not self._scene.stale:
                self.viewport().update(self._painted_rect(row).toAlignedRect().adjusted(-PAD, -PAD, PAD, PAD))

    def set_show_pruned(self, show: bool) -> None:
        self._scene.set_show_pruned(show)
        self._choose_no_hidden()
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self._crumbs is not None:
            self._crumbs.setGeometry(0, 0, self.width(), HEIGHT_PX)
        super().resizeEvent(event)

    # What can be asked.

    def node_ids(self) -> list[str]:
        """Return the nodes that have a card of their own, column by column."""
        self._settle()
        return self._scene.node_ids()

    def node_rect(self, node_id: str) -> QRect:
        """A card's place in the viewport, in logical px; empty if it is not drawn. Draft keys work too."""
        self._settle()
        row = self._scene.row_of(node_id)
        if row is None:
            return QRect()
        rect = self._card_rect(row)
        return rect.toRect() if rect.intersects(QRectF(self.viewport().rect())) else QRect()

    def plus_rect(self, node_id: str) -> QRect:
        """Return the rectangle of a card's + once the pointer is there; empty if it has none or is
        not drawn.
        """
        self._settle()
        row = self._scene.row_of(node_id)
        if row is None or self.node_rect(node_id).isEmpty():
            return QRect()
        return self._hand.controls(row).plus.toRect()

    def chip_rect(self, node_id: str) -> QRect:
        """Return the rectangle of the chip that says what of a node is sent shortened; empty if it has
        none.
        """
        self._settle()
        row = self._scene.row_of(node_id)
        chip = None if row is None else self._hand.controls(row).chip
        return QRect() if chip is None else chip.toRect()

    def chip_rect_on_screen(self, node_id: str) -> QRect:
        rect = self.chip_rect(node_id)
        return QRect(self.viewport().mapToGlobal(rect.topLeft()), rect.size())

    def tool_rect(self, node_id: str, tool: str) -> QRect:
        """Return the rectangle of a card's tool once the pointer is there: edit, bookmark, exclude, note,
        more; of a draft's card that of an act: retry, stop, key, dismiss.
        """
        self._settle()
        row = self._scene.row_of(node_id)
        if row is None:
            return QRect()
        shown = self._hand.controls(row)
        return (shown.acts | shown.tools).get(tool, QRectF()).toRect()

    @property
    def hovered_node_id(self) -> str:
        """Return the node under the pointer, or empty."""
        self._settle()
        return self.node_at(self._hand.hover)

    # Painting over the cards.

    def paint_over(self, painter: QPainter) -> None:
        self.paint_ring(painter)
        self.paint_marks(painter)
        row, bracket = self._hand.hover.row, self._painter.bracket
        is_painted = not self._painter.bracket_pill.isEmpty()
        if bracket is not None and is_painted and self._hand.hover.part == "bracket":
            paint_sharing(painter, bracket, self._scene, self._camera, self._seen_drift)
        if row is not None and self._hand.hover.part == "edge":
            line = self._hand.hover.line
            if line is None:
                edges.paint_hovered(painter, self._scene, self._camera, row, self._seen_drift)
            else:
                ratio = self.viewport().devicePixelRatioF()
                paint_reference(painter, self._scene, self._camera, line, ratio, hovered=True)
            for end in (row, self._scene.index.parent(row) if line is None else line.source):
                overlay.paint_hover(painter, self._painted_rect(end), self._camera.zoom, accent=True)
        elif row is not None and row < len(self._scene.index):
            self._paint_hover(painter, row)

    def pointer_came(self, point: QPointF) -> None:
        self._hand.meet(point)

    def on_glided(self, left: float) -> None:
        """Cards are nearer to their places; what the pointer came to on the way may have slipped away."""
        super().on_glided(left)
        if not self._drift and self._hand.hover.row is not None:
            self.on_camera_rested()

    def _paint_hover(self, painter: QPainter, row: int) -> None:
        face = self._scene.face(row)
        if face.kind not in {"failed", "waiting", "start"} and face.outline != "current":
            overlay.paint_hover(
                painter, self._painted_rect(row), self._camera.zoom, accent=face.outline == "path"
            )
            self.paint_fold_again(painter, row)
        excluded, bookmarked = self._marks(row)
        overlay.paint_controls(
            painter, self._hand.controls(row), self._hand.hover.part, excluded=excluded, bookmarked=bookmarked
        )

    def _marks(self, row: int) -> tuple[bool, bool]:
        tree = self._scene.tree
        node = tree.nodes.get(self._scene.key(row)) if tree is not None else None
        return (node.metadata.excluded, node.metadata.bookmarked) if node is not None else (False, False)

    # The pointer.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.hide_ring()
        self.letters.click()
        self._hand.press(event)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hand.move(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._hand.release(event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._hand.double_press(event)

    def on_put_down(self, node_id: str, onto_id: str, at: QPointF) -> None:
        self.attach_asked.emit(node_id, onto_id, self.viewport().mapToGlobal(at.toPoint()))

    def on_hover_changed(self, before: Target, now: Target) -> None:
        if before.row != now.row or "edge" in {before.part, now.part}:
            self.hovered.emit("" if now.part == "edge" else self.node_at(now))
        self._painter.hovered = now.row if now.part == "card" else None
        self._painter.hovered_chip = now.row if now.part == "shortened" else None
        if {"edge", "bracket"} & {before.part, now.part}:
            self.viewport().update()
        for row in {before.row, now.row}:
            if row is not None and row < len(self._scene.index):
                self.viewport().update(self._hand.reach(row).toAlignedRect().adjusted(-PAD, -PAD, PAD, PAD))

    def on_pressed(self, target: Target, shift: bool) -> None:
        self._stop.stand_on("")
        bracket = self._painter.bracket
        if target.part == "bracket" and bracket is not None:
            self.bracket_clicked.emit(bracket.anchor_id)
        if target.row is None:
            return
        key = self._scene.key(target.row)
        if self._scene.is_draft(target.row):
            self.letters.lose_card()  # what they would do is done to the message above it
            self._stand_on_draft(key)
            if target.part == "card":
                self.draft_chosen.emit(key)
            else:
                self.draft_asked.emit(key, target.part)
        elif target.part == "plus":
            self.plus_clicked.emit(key, shift)
        elif target.part in {"fold", "unfold"}:
            self._turn_fold(key)
        elif target.part == "shortened":
            self.shortened_asked.emit(key, self.chip_rect_on_screen(key))
        elif target.part == "edge":
            self._jump(target.row, target.line)
        elif target.part == "card":
            self._choose(key)
        else:
            self.tool_clicked.emit(key, target.part)

    def on_activated(self, target: Target) -> None:
        node_id = self.node_at(target)
        if node_id:
            self.node_activated.emit(node_id)

    def _turn_fold(self, node_id: str) -> None:
        """Fold or unfold; if the current card is folded away, the folded one becomes current, as in
        any tree.
        """
        had = self._current_row() is not None
        self.turn_fold(node_id)
        self._settle()
        if had and self._current_row() is None:
            self._choose(node_id)

    def _jump(self, row: int, line: ReferenceLine | None) -> None:
        """Go to the end of an edge that is further from the pointer."""
        pointer = QPointF(self.viewport().mapFromGlobal(QCursor.pos()))
        end = edges.far_end(self._scene, self.camera, row, line, pointer)
        if not self._scene.is_draft(end):
            key = self._scene.key(end)
            self._fly(self._camera.centred_on(self._scene.box(end)))
            self._choose(key)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The menu of the card under the pointer, or with the key that of the current one."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            if self._stop.key:
                self._stop.open_menu(self._keyboard_place())
            else:
                self.menu_asked.emit(self._scene.current or "", self._keyboard_place())
            return
        self.menu_asked.emit(self.node_at(self._hand.target_at(QPointF(event.pos()))), event.globalPos())

    def viewportEvent(self, event: QEvent) -> bool:
        """Pinching, leaving, and tooltips of the tools; the rest as ever."""
        if isinstance(event, QNativeGestureEvent):
            self.nativeGestureEvent(event)
            return True
        if event.type() == QEvent.Type.Leave:
            self._hand.let_go()
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._show_tip(event)
            return True
        return super().viewportEvent(event)

    def _show_tip(self, event: QHelpEvent) -> None:
        target = self._hand.target_at(QPointF(event.pos()))
        if target.row is None or target.part == "card":
            QToolTip.hideText()
            return
        if target.part == "edge":
            kind = "" if target.line is None else target.line.kind
            QToolTip.showText(event.globalPos(), plain_tip(edges.tip(kind)), self.viewport())
            return
        excluded, bookmarked = self._marks(target.row)
        text = overlay.tip(target.part, excluded=excluded, bookmarked=bookmarked)
        QToolTip.showText(event.globalPos(), text, self.viewport())
