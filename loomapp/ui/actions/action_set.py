"""The QActions of one window, made from the registry, and the menus they stand in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QWidget

from loomapp.core.action_table import REPEATED_BY_HELD_KEY
from loomapp.ui.actions.action import Action
from loomapp.ui.actions.registry import ACTIONS, bindings
from loomapp.ui.keys import IN_GRAPH, first_shown, is_one_of, on_this_system
from loomapp.ui.strings import tr
from loomapp.ui.widgets.labels import plain_tip
from loomapp.ui.widgets.page import Menu
from loomapp.ui.workbench import Command, Workbench

# What letters do in the graph after a click there; others are words.
AFTER_CLICK = frozenset({"bookmark", "exclude", "excludeBranch", "pinPreview", "fold", "hoist", "unhoist"})
# By which scripts and tests of others find these; the names of keys in the settings stay as they are.
OBJECT_NAMES = {"compactBranch": "compactBranchAction", "summariseHere": "summariseUpToAction"}


class Host(Protocol):
    """The window that the actions are for; its workbench is there once its parts are built."""

    @property
    def bench(self) -> Workbench: ...

    def run_command(self, command: Command) -> None:
        """Run a command that reads or moves the text."""

    def run_beside_text(self, command: Command) -> None: ...


class ActionSet:
    rows = ACTIONS
    bindings = bindings()

    def __init__(self, window: QMainWindow, graph: QWidget, host: Host) -> None:
        self._window, self._host = window, host
        self.by_name: dict[str, QAction] = {}
        self._in_graph: dict[str, QAction] = {}
        self._of_rows: list[tuple[Action, tuple[QAction, ...]]] = []
        self._shown: dict[str, tuple[bool, str]] = {}  # whether each is enabled, and what is missing if not
        for row in ACTIONS:
            action = self._made(row, row.entry.keys, Qt.ShortcutContext.WindowShortcut)
            action.setObjectName(OBJECT_NAMES.get(row.name, row.name))
            window.addAction(action)
            self.by_name[row.name] = action
            if row.entry.graph_keys:
                bare = self._made(row, row.entry.graph_keys, Qt.ShortcutContext.WidgetShortcut)
                graph.addAction(bare)
                self._in_graph[row.name] = bare
            both = action, self._in_graph.get(row.name)
            self._of_rows.append((row, tuple(one for one in both if one is not None)))

    def set_keys(self, keys: Mapping[str, tuple[str, ...]]) -> None:
        for name, action in self.by_name.items():
            action.setShortcuts([QKeySequence(key) for key in keys.get(name, ())])
        for name, action in self._in_graph.items():
            action.setShortcuts([QKeySequence(key) for key in keys.get(name + IN_GRAPH, ())])

    def keys(self, name: str) -> tuple[QKeySequence, ...]:
        return tuple(self.by_name[name].shortcuts())

    def key(self, name: str) -> str:
        """The first of them, as it is named here; or nothing. Whoever says a key in words asks here."""
        return first_shown(self.keys(name))

    def key_in_graph(self, name: str) -> str:
        """The first key of an action while the graph has the keyboard, as it is named here; or nothing."""
        return first_shown(self._in_graph[name].shortcuts())

    def acts_after_click(self, key: QKeySequence) -> bool:
        """Return True if a key acts in the graph after a mere click: a few letters, and all keys that are no
        letters.
        """
        is_letter = key.toString().rpartition("+")[2].isalpha()
        return any(
            key in action.shortcuts() and action.isEnabled() and (name in AFTER_CLICK or not is_letter)
            for name, action in self._in_graph.items()
        )

    def acts_on_node(self, key: QKeySequence) -> bool:
        """Return True for a key of an action on a node, anywhere or in the graph."""
        of_nodes = (action for row, actions in self._of_rows if row.on_node for action in actions)
        return any(key in action.shortcuts() for action in of_nodes)

    def press_in_graph(self, key: str) -> None:
        """Act on a key that the graph itself holds back."""
        for action in self._in_graph.values():
            if QKeySequence(key) in action.shortcuts():
                action.trigger()

    def _made(self, row: Action, keys: tuple[str, ...], context: Qt.ShortcutContext) -> QAction:
        action = QAction(tr(row.text), self._window)
        action.setShortcuts([QKeySequence(on_this_system(key)) for key in keys])
        action.setShortcutContext(context)
        action.setAutoRepeat(row.name in REPEATED_BY_HELD_KEY)
        action.setCheckable(row.checked is not None)
        run = partial(self._host.run_beside_text if row.leaves_text else self._host.run_command, row.run)
        is_bare = context is Qt.ShortcutContext.WidgetShortcut
        action.triggered.connect(partial(_run_unless_menu_is_open, run) if is_bare else run)
        fill = row.fill
        if fill is not None:
            menu = Menu(self._window)
            menu.setObjectName(f"{row.name}Menu")
            menu.setToolTipsVisible(True)
            menu.aboutToShow.connect(lambda: fill(self._host.bench, menu))
            action.setMenu(menu)
        return action

    def why_not(self, name: str) -> str:
        """Return what is missing where an action cannot be done now; "" if nobody says."""
        return next(row.why_not(self._host.bench) for row in self.rows if row.name == name)

    def why_off(self, event: QKeyEvent, *, in_graph: bool) -> str | None:
        """Return what is missing where a key is that of an action that is off, in the graph one of its own
        keys too; None if it is the key of no such action.
        """
        for row in self.rows:
            is_off = not self.by_name[row.name].isEnabled()
            if is_off and self.is_key_of(event, (row.name,), in_graph=in_graph):
                return tr(row.why_not(self._host.bench))
        return None

    def is_key_of(self, event: QKeyEvent, names: Sequence[str], *, in_graph: bool) -> bool:
        """Tell whether a key is one of some actions, in the graph one of their own keys there too."""
        bare = [self._in_graph[name] for name in names if in_graph and name in self._in_graph]
        keys = [
            key for action in (*(self.by_name[name] for name in names), *bare) for key in action.shortcuts()
        ]
        return is_one_of(event, keys)

    def refresh(self) -> None:
        """Ask every row again whether it is enabled and checked."""
        bench = self._host.bench
        known: dict[Callable[[Workbench], bool], bool] = {}  # several rows ask the same
        for row, actions in self._of_rows:
            if row.enabled is not None:
                test = row.enabled.test
                if test not in known:
                    known[test] = test(bench)
                is_enabled = known[test]
                why_not = "" if is_enabled else tr(row.why_not(bench))
                shown = is_enabled, why_not
                if self._shown.get(row.name) != shown:  # Qt would compare again, and takes longer
                    self._shown[row.name] = shown
                    for action in actions:
                        action.setEnabled(is_enabled)
                        action.setToolTip(plain_tip(why_not))
            if row.named is not None:
                for action in actions:
                    action.setText(tr(row.named(bench)))
            if row.checked is not None:
                is_checked = row.checked(bench)
                for action in actions:
                    action.setChecked(is_checked)

    def fill(self, menu: QMenu, name: str) -> None:
        """Put the rows of one menu into it."""
        menu.setToolTipsVisible(True)  # they say why something cannot be done now
        menu.aboutToShow.connect(self.refresh)  # some are named by what has the keyboard
        inner: dict[str, QMenu] = {}
        for row in ACTIONS:
            if row.menu == name:
                if row.entry.new_group:
                    menu.addSeparator()
                submenu = row.entry.submenu
                if submenu and submenu not in inner:
                    inner[submenu] = Menu(tr(submenu), menu)
                    menu.addMenu(inner[submenu])
                inner.get(submenu, menu).addAction(self.by_name[row.name])

    def node_menu(self) -> QMenu:
        """Return the menu of a card; it shows the rows that apply now."""
        menu = Menu(self._window)
        menu.setObjectName("nodeMenu")
        menu.setToolTipsVisible(True)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.by_name["generate"])
        menu.addAction(self.by_name["generateSiblings"])
        menu.addSeparator()
        applying = [row for row in ACTIONS if row.on_node and self.by_name[row.name].isEnabled()]
        applying.sort(key=lambda row: row.menu != "Node")
        for row in applying:
            if not row.destructive:
                if row.entry.new_group:
                    menu.addSeparator()
                menu.addAction(self.by_name[row.name])
        harsh = [self.by_name[row.name] for row in applying if row.destructive]
        if harsh:
            menu.addSeparator()
            inner = Menu(tr("Delete"), menu)
            inner.addActions(harsh)
            menu.addMenu(inner)
        return menu


def _run_unless_menu_is_open(run: Callable[[], object]) -> None:
    """Run what a bare key of the graph is the key of; letters in an open menu are the menu's, although Qt
    leaves the focus where it was.
    """
    if QApplication.activePopupWidget() is None:
        run()
