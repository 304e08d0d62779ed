"""The actions of a window as its parts know them: by name, with their keys, in menus, and as buttons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from loomapp.ui.keys.keys import Binding, first_shown, with_key

MENUS = ("File", "Edit", "View", "Go", "Node", "Generate", "Help")


class ActionRow(Protocol):
    """Action as it is listed."""

    @property
    def name(self) -> str: ...

    @property
    def menu(self) -> str: ...


class Actions(Protocol):
    @property
    def by_name(self) -> Mapping[str, QAction]: ...

    @property
    def rows(self) -> Sequence[ActionRow]: ...

    @property
    def bindings(self) -> Sequence[Binding]: ...

    def keys(self, name: str) -> tuple[QKeySequence, ...]: ...

    def key(self, name: str) -> str:
        """Return the first key, as it is named here; or nothing."""

    def key_in_graph(self, name: str) -> str:
        """Return the first key of an action while the graph has the keyboard; or nothing."""

    def set_keys(self, keys: Mapping[str, tuple[str, ...]]) -> None: ...

    def acts_after_click(self, key: QKeySequence) -> bool:
        """Tell whether a key does something in the graph though that was only clicked."""

    def acts_on_node(self, key: QKeySequence) -> bool:
        """Tell whether a key is that of an action on a node, anywhere or in the graph."""

    def node_menu(self) -> QMenu: ...

    def press_in_graph(self, key: str) -> None: ...

    def why_not(self, name: str) -> str:
        """Return what is missing where an action cannot be done now; "" if nobody says."""

    def why_off(self, event: QKeyEvent, *, in_graph: bool) -> str | None:
        """Return what is missing where a key is that of an action that is off; None if it is of none."""

    def refresh(self) -> None:
        """Ask again which are enabled and checked."""

    def fill(self, menu: QMenu, name: str) -> None: ...


ICON_PX = 16


def action_button(actions: Actions, name: str, text: str, parent: QWidget) -> QToolButton:
    """A quiet button that does what an action does; with a text it says that beside its icon."""
    action = actions.by_name[name]
    button = QToolButton(parent)
    button.setObjectName(f"{name}Button")
    button.setAutoRaise(True)
    button.setIconSize(QSize(ICON_PX, ICON_PX))
    button.setAccessibleName(action.text())
    button.setProperty("does", action)
    button.setToolTip(tip_of(action))
    if text:
        button.setText(text)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.clicked.connect(action.trigger)
    button.setEnabled(action.isEnabled())
    action.enabledChanged.connect(button.setEnabled)
    return button


def show_keys(of: QWidget) -> None:
    """Say the keys that the action buttons of a part have now."""
    for button in of.findChildren(QToolButton):
        if isinstance(action := button.property("does"), QAction):
            button.setToolTip(tip_of(action))


def tip_of(action: QAction) -> str:
    return with_key(action.text(), first_shown(action.shortcuts()))
