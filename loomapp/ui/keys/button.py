"""A button for an action: its icon or word, its name, its key in the tip, and whether it can be used."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton, QWidget

from loomapp.ui.keys.actions import Actions
from loomapp.ui.keys.keys import first_shown, with_key

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
