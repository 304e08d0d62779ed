"""Events heard at the native window, before any widget: first sight, Tab, Space, held keys, side buttons."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QMainWindow, QWidget
from shiboken6 import isValid

from loomapp.ui.commands import panes
from loomapp.ui.commands.graph.branches import mean
from loomapp.ui.keys import ARROWS
from loomapp.ui.strings import tr
from loomapp.ui.widgets.keyboard import HELD, is_bare_enter, is_to_an_end, is_word_key
from loomapp.ui.widgets.page import Page
from loomapp.ui.workbench import Views, Workbench


class ClickedButton(QObject):
    """The button of a window that has the keyboard by a click: a click is not meant to take it from words."""

    def __init__(self, window: QMainWindow, write: Callable[[QKeyEvent], None]) -> None:
        super().__init__(window)
        self._window, self._write = window, write
        self._button: QAbstractButton | None = None
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self.on_focus_changed)

    def on_focus_changed(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Watch a button as long as it has the keyboard, if the pointer gave it."""
        if self._button is not None and isValid(self._button):
            self._button.removeEventFilter(self)
        self._button = None
        is_click = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        if is_click and isinstance(now, QAbstractButton) and self._window.isAncestorOf(now):
            self._button = now
            now.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Write a space instead of a second press; Enter presses nothing twice either."""
        is_press = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress
        if watched is not self._button or not is_press:
            return False
        assert isinstance(event, QKeyEvent)
        if event.key() == Qt.Key.Key_Space and not event.modifiers() & HELD:
            self._write(event)
            return True
        return is_bare_enter(event)


def take(bench: Workbench, event: QKeyEvent) -> bool:
    """Take a key that came back from all that has the keyboard; False if it means nothing here either."""
    if is_asking_on_page(bench, event):
        words = tr("Nothing was asked: the keyboard is on a page. {way} leads to the text.")
        bench.frame.note(words.format(way=bench.actions.key("focusText") or tr("Go to the text")))
        return True
    if is_deleting_in_outline(bench, event):
        if not event.isAutoRepeat():
            delete_in_outline(bench)
        return True
    why_off = bench.actions.why_off(event, in_graph=bench.views.graph.hasFocus())
    if why_off is not None:
        if event.key() != Qt.Key.Key_Escape:  # pressed out of habit: where nothing is to end, nothing is said
            bench.frame.note(why_off or tr("This cannot be done now."))
        return True
    if is_word_key(event) and is_on_page(QApplication.focusWidget(), QAbstractButton):
        words = tr("Nothing was written: the keyboard is on a button of this page. {way} leads to the text.")
        bench.frame.note(words.format(way=bench.actions.key("focusText") or tr("Go to the text")))
        return True
    if is_word_key(event) or is_to_an_end(event):
        panes.write_on(bench, event)
        return True
    button = QApplication.focusWidget()
    if is_bare_enter(event) and not event.isAutoRepeat() and isinstance(button, QAbstractButton):
        button.click()  # as on desktops where Qt does it
        return True
    return False


def is_deleting_in_outline(bench: Workbench, event: QKeyEvent) -> bool:
    """Tell whether a key is that by which the graph deletes, while the outline has the keyboard."""
    is_key = bench.actions.is_key_of(event, ("prune",), in_graph=True) and not is_word_key(event)
    return is_key and bench.views.side_parts.outline.hasFocus()


def delete_in_outline(bench: Workbench) -> None:
    """Delete the message of the current row with its branch, as on its card, or say why that is not done."""
    outline, delete = bench.views.side_parts.outline, bench.actions.by_name["prune"]
    row = outline.rows.row(outline.currentIndex())
    if row is None or not row.is_node:
        bench.frame.note(tr("Nothing was deleted: this row is not one message. Go to a message first."))
        return
    mean(bench, row.node_id)
    bench.actions.refresh()
    if delete.isEnabled():
        delete.trigger()
    else:
        bench.frame.note(tr(bench.actions.why_not("prune")) or tr("This cannot be done now."))


PRESSES = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick)
MEANINGS = {Qt.MouseButton.BackButton: "visitBack", Qt.MouseButton.ForwardButton: "visitForward"}


class NativeEvents(QObject):
    """Listener at the native window: a filter on the application would see every event of every widget."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is not self._window:
            return self.hears(event)
        if event.type() == QEvent.Type.Show:
            self._window.windowHandle().installEventFilter(self)
        return False

    def hears(self, event: QEvent) -> bool:
        """Take an event; False lets it go its way."""
        raise NotImplementedError


TABS = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)


class TabOrder(NativeEvents):
    """Finds the next stop when Tab is pressed: parts come and go.

    Qt asks for the next one also while a part with the keyboard is hidden or taken apart. That is Qt's own
    affair: nobody may look at such parts.
    """

    def __init__(self, views: Views) -> None:
        super().__init__(views.window)
        self._views = views
        self._is_pressed = False

    def hears(self, event: QEvent) -> bool:
        """Note that the key is pressed, or an arrow on a button: it leads to the next stop likewise."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            on_button = isinstance(self._window.focusWidget(), QAbstractButton)
            self._is_pressed = event.key() in TABS or (on_button and event.key() in ARROWS)
        return False

    def take_press(self) -> bool:
        """Return True once for each press of the key."""
        was_pressed, self._is_pressed = self._is_pressed, False
        return was_pressed

    def next_stop(self, focused: QWidget | None, *, forward: bool) -> QWidget | None:
        """Return the widget to which Tab leads from another, round and round; None if that is
        nowhere else.
        """
        stops = self.stops()
        if not stops or (len(stops) == 1 and stops[0] is focused):
            return None
        # A click can put the keyboard where Tab does not stop; Qt knows what is near.
        if focused not in stops:
            return None if focused is not None else stops[0 if forward else -1]
        return stops[(stops.index(focused) + (1 if forward else -1)) % len(stops)]

    def stops(self) -> list[QWidget]:
        """Return every stop: the header, the side bar, what is in the middle, the inspector, the text."""
        panes = self._panes()
        found: list[list[QWidget]] = [[] for _ in panes]
        for widget in self._parts():
            pane = next((i for i, (whole, _) in enumerate(panes) if _holds(whole, widget)), None)
            if pane is not None and _is_stop(widget, self._window):
                found[pane].append(widget)
        for stops, (_, as_they_stand) in zip(found, panes, strict=True):
            stops.sort(key=self._place if as_they_stand else self._place_in_parts)
        return [widget for stops in found for widget in stops]

    def _panes(self) -> list[tuple[QWidget, bool]]:
        """Panes in their order, inner ones before those around them; and whether their stops go as they stand
        in the window, rather than part by part: of what is scrolled, no row comes between others."""
        w = self._views
        return [
            (w.palette_box, True),
            (w.header, True),
            (w.banner, True),
            (w.side_bar, True),
            (w.graph, True),
            (w.pages, False),
            (w.inspector, True),
            (w.text_head, True),
            (w.text_pane, False),
            (w.window, False),
        ]

    def _parts(self) -> list[QWidget]:
        """Everything in the window.

        Not by nextInFocusChain: the binding makes what it returns belong to what was asked, and with a
        part that goes it would take the graph's viewport for gone, and crash where that is used next.
        """
        return self._window.findChildren(QWidget)

    def _place(self, widget: QWidget) -> tuple[int, int]:
        """Line and column, in px; what is not quite level is in one line all the same."""
        middle = widget.mapTo(self._window, QPoint(0, min(widget.height(), 24) // 2))
        return middle.y() // 12, middle.x()

    def _place_in_parts(self, widget: QWidget) -> tuple[int, ...]:
        """Line and column of each part around it within the next larger one, and its own."""
        found: list[int] = []
        part: QWidget | None = widget
        while part is not None and part is not self._window:
            found[:0] = ((part.y() + min(part.height(), 24) // 2) // 12, part.x())
            part = part.parentWidget()
        return tuple(found)


def _holds(pane: QWidget, widget: QWidget) -> bool:
    return pane is widget or pane.isAncestorOf(widget)


def _is_stop(widget: QWidget, window: QWidget) -> bool:
    takes_tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return takes_tab and widget.focusProxy() is None and widget.isEnabled() and widget.isVisibleTo(window)


def give_keyboard_to_text(bench: Workbench) -> None:
    """Give the keyboard to the text where Qt gave it on because the part that had it went or was disabled:
    on the graph it would act on cards, and on a button of the text Space would press it.
    """
    pane, now = bench.views.text_pane, bench.views.window.focusWidget()
    is_button = isinstance(now, QAbstractButton) and pane.isAncestorOf(now)
    if not (is_button or now is bench.views.graph) or pane.page is not None:
        return
    if pane.isVisible():
        pane.focus_text()
    else:
        bench.views.graph.letters.click()


ASKING_ACTIONS = ("generate", "generateSiblings", "generateAll", "fillIn")


class HeldKeys(NativeEvents):
    """Lets a key that is held down ask a model once: X tells each repeat as a release and a press of the same
    moment, and Qt does not always put the two together.
    """

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._released = (0, -1)  # the key that was let go last, and when

    def hears(self, event: QEvent) -> bool:
        """Take what is such a repeat of a key that asks, also as a shortcut."""
        if not isinstance(event, QKeyEvent):
            return False
        if event.type() == QEvent.Type.KeyRelease:
            self._released = (event.key(), event.timestamp())
            return False
        is_repeat = (event.key(), event.timestamp()) == self._released and self._asks(event)
        if is_repeat:
            event.accept()
        return is_repeat

    def _asks(self, event: QKeyEvent) -> bool:
        in_graph = self._bench.views.graph.hasFocus()
        return self._bench.actions.is_key_of(event, ASKING_ACTIONS, in_graph=in_graph)


def is_asking_on_page(bench: Workbench, event: QKeyEvent) -> bool:
    """Tell whether a key would ask a model while a page has the keyboard: what would be sent may be covered
    by it, and the key is not meant for what stands there.
    """
    on_page = is_on_page(QApplication.focusWidget(), QWidget)
    return on_page and bench.actions.is_key_of(event, ASKING_ACTIONS, in_graph=False)


def is_on_page(focused: QWidget | None, kind: type[QWidget]) -> bool:
    """Tell whether what has the keyboard is of this kind and stands on a page."""
    part = focused if isinstance(focused, kind) else None
    while part is not None and not isinstance(part, Page):
        part = part.parentWidget()
    return part is not None


class PageKeys(QObject):
    """Keeps keys that would ask a model from being the window's while a page has the keyboard."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        bench.views.window.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Take such a key before it is a shortcut; it comes back as a press that no part of the page took."""
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        is_kept = is_asking_on_page(self._bench, event)
        if is_kept:
            event.accept()
        return is_kept


def guard_requests(bench: Workbench) -> None:
    """Let no key ask a model that is held down, or meant for a page."""
    HeldKeys(bench)
    PageKeys(bench)


PAINTED_MS = 30  # after the first event that asks for it; a window manager sends several
SEEN_MS = 30  # after it was painted, which itself takes longer than that


class FirstSight(NativeEvents):
    """The first time that a window is seen: `seen` comes once it was painted, and laid out for its screen."""

    seen = Signal()

    def hears(self, event: QEvent) -> bool:
        """Tell of the first paint, and listen no more."""
        if event.type() == QEvent.Type.Expose:
            self._window.windowHandle().removeEventFilter(self)
            QTimer.singleShot(PAINTED_MS, self, self.on_painted)
        return False

    def on_painted(self) -> None:
        """Let what is painted come to the screen before anything else is begun."""
        QTimer.singleShot(SEEN_MS, self, self.seen.emit)


class SideButtons(NativeEvents):
    """Side buttons of a mouse: back and forward through what was visited, wherever the pointer is."""

    def __init__(self, window: QWidget, actions: Mapping[str, QAction]) -> None:
        super().__init__(window)
        self._actions = {button: actions[name] for button, name in MEANINGS.items()}

    def hears(self, event: QEvent) -> bool:
        if event.type() in PRESSES and isinstance(event, QMouseEvent):
            action = self._actions.get(event.button())
            if action is not None:
                action.trigger()
                return True
        return False
