"""The style sheet of standard widgets, built from roles: menus, buttons, fields, tabs, lists, scroll bars."""

from __future__ import annotations

import re

from loomapp.ui.look import icons, tokens

# What the icons of Qt's own sub-controls are: (icon, role, size in px).
CONTROL_ICONS = {
    "down": ("chevron-down", "text.muted", 16),
    "down-disabled": ("chevron-down", "text.disabled", 16),
    "small-up": ("chevron-up", "text.muted", 12),
    "small-down": ("chevron-down", "text.muted", 12),
    "right": ("chevron-right", "text.muted", 16),
    "check": ("check", "text.on_accent", 14),
    "some": ("minus", "text.on_accent", 14),
    "menu-check": ("check", "accent.base", 14),
    "close": ("x", "text.muted", 14),
}


def style_sheet() -> str:
    """Return the whole sheet for the theme on the screen."""
    sheet = re.sub(r"@([a-z_]+\.[a-z_]+)", lambda m: _colour(m[1]), SHEET)
    return re.sub(r"icon:([a-z-]+)", lambda m: icons.copy(*CONTROL_ICONS[m[1]]).as_posix(), sheet)


def _colour(role: str) -> str:
    value = tokens.colour(role)
    return f"rgba({value.red()}, {value.green()}, {value.blue()}, {value.alphaF():.3f})"


SHEET = """
QToolTip { background: @surface.overlay; color: @text.primary; border: 1px solid @border.normal;
    padding: 5px 8px; font-size: 12px; }
QMainWindow, QDialog { background: @surface.window; }
QMessageBox { background: @surface.overlay; messagebox-text-interaction-flags: 5; }
QMessageBox QLabel#qt_msgbox_label { font-weight: 600; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QMainWindow::separator { background: @border.subtle; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: @accent.base; }
*[surface="canvas"] { background: @surface.canvas; }
*[surface="window"] { background: @surface.window; }
*[surface="panel"] { background: @surface.panel; }
*[surface="overlay"] { background: @surface.overlay; border: 1px solid @border.normal; }
*[surface="raised"] { background: @surface.raised; }
*[surface="selected"] { background: @surface.selected; }
QFrame[line="true"] { background: @border.subtle; border: none; max-height: 1px; min-height: 1px; }
QFrame[line="upright"] { background: @border.normal; border: none; max-width: 1px; min-width: 1px; }

QLabel { background: transparent; }
QLabel[tone="secondary"] { color: @text.secondary; }
QLabel[tone="muted"] { color: @text.muted; }
QLabel[tone="accent"] { color: @accent.base; }
QLabel[tone="error"] { color: @state.error; }
QLabel[tone="warning"] { color: @state.warning; }
QLabel[tone="success"] { color: @state.success; }
QLabel[tone="key"] { color: @text.muted; background: @surface.raised; border: 1px solid @border.normal;
    border-radius: 4px; padding: 1px 5px; }
QLabel[tab="true"] { border-bottom: 2px solid @accent.base; padding: 0 2px; }

QLabel[chip="soft"] { color: @accent.base; background: @surface.selected; border-radius: 4px;
    padding: 2px 10px; }

QPushButton { min-height: 26px; padding: 0 12px; border: 1px solid @border.strong; border-radius: 6px;
    background: transparent; color: @text.primary; outline: none; }
QPushButton:hover { background: @surface.hover; }
QPushButton:pressed, QPushButton:checked { background: @surface.selected; }
QPushButton:focus { border: 2px solid @accent.focus; padding: 0 11px; min-height: 24px; }
QPushButton:disabled { color: @text.disabled; border-color: @border.normal; background: transparent; }
QPushButton[large="true"] { min-height: 30px; padding: 0 14px; font-weight: 500; }
QPushButton[large="true"]:focus { min-height: 28px; padding: 0 13px; }
QPushButton[narrow="true"] { padding: 0 8px; }
QPushButton[narrow="true"]:focus { padding: 0 7px; }
QPushButton[kind="primary"] { background: @accent.fill; color: @text.on_accent; border-color: @accent.fill;
    font-weight: 500; }
QPushButton[kind="primary"]:hover { background: @accent.fill_hover; border-color: @accent.fill_hover; }
QPushButton[kind="primary"]:focus { border-color: @accent.focus; }
QPushButton[kind="primary"]:disabled { background: @surface.hover; color: @text.disabled;
    border-color: @border.normal; }
QPushButton[kind="primary"][resting="true"] { background: transparent; color: @text.muted;
    border-color: @border.normal; }
QPushButton[kind="quiet"] { border-color: transparent; color: @text.secondary; padding: 0 8px; }
QPushButton[kind="quiet"]:hover { color: @text.primary; }
QPushButton[kind="quiet"]:focus { border-color: @accent.focus; padding: 0 7px; }
QPushButton[kind="link"] { border-color: transparent; color: @text.link; padding: 0 4px; font-weight: 500;
    min-height: 22px; }
QPushButton[kind="link"]:hover { text-decoration: underline; background: transparent; }
QPushButton[kind="link"]:focus { border-color: @accent.focus; padding: 0 3px; min-height: 20px; }
QPushButton[flush="true"] { padding: 0 4px 0 0; }
QPushButton[flush="true"]:focus { padding: 0 3px 0 0; }
QPushButton#nodeLink { min-height: 14px; }
QPushButton#nodeLink:focus { min-height: 12px; }
QPushButton#mcpWrites { min-height: 16px; }
QPushButton#mcpWrites:focus { min-height: 14px; }
QPushButton[kind="danger"] { border-color: @state.error; color: @state.error; }
QPushButton[kind="danger"]:hover { background: @state.error_soft; }
QPushButton[kind="danger"]:focus { border-color: @accent.focus; }
QPushButton::menu-indicator { image: url("icon:down"); subcontrol-position: right center; right: 8px; }

QToolButton { min-width: 20px; min-height: 20px; padding: 1px; border: 1px solid transparent;
    border-radius: 6px; background: transparent; color: @text.secondary; outline: none; }
QToolButton:hover { background: @surface.hover; color: @text.primary; }
QToolButton:pressed, QToolButton:checked { background: @surface.selected; color: @text.primary; }
QToolButton:focus { border: 2px solid @accent.focus; padding: 0; }
QToolButton:disabled { color: @text.disabled; }
QToolButton::menu-indicator { image: none; }
QToolButton[outlined="true"] { border: 1px solid @border.strong; background: @surface.raised;
    padding: 1px 8px; min-height: 24px; color: @text.primary; font-weight: 500; }
QToolButton[outlined="true"]:hover { background: @surface.hover; }
QToolButton[outlined="true"]:focus { border: 2px solid @accent.focus; padding: 0 7px; }
QToolButton[head="true"], QToolButton[head="true"]:checked { background: transparent;
    color: @text.secondary; padding: 1px 2px; }
QToolButton[head="true"]:hover { color: @text.primary; }
QToolButton[link="true"] { color: @text.link; font-weight: 500; padding: 1px 5px; }

QScrollArea, QAbstractScrollArea { border: none; }
QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox, QKeySequenceEdit {
    background: @surface.raised; color: @text.primary; border: 1px solid @border.strong; border-radius: 6px;
    selection-background-color: @accent.fill; selection-color: @text.on_accent;
    placeholder-text-color: @text.muted; }
QLineEdit { min-height: 26px; padding: 0 8px; lineedit-clear-button-icon: url("icon:close"); }
QPlainTextEdit, QTextEdit { padding: 4px 6px; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus,
QComboBox:focus { border: 2px solid @accent.focus; }
QLineEdit:focus { min-height: 24px; padding: 0 7px; }
QPlainTextEdit:focus, QTextEdit:focus { padding: 3px 5px; }
QLineEdit:disabled, QPlainTextEdit:disabled, QSpinBox:disabled, QComboBox:disabled {
    color: @text.disabled; border-color: @border.normal; }
QSpinBox[inherited="true"], QDoubleSpinBox[inherited="true"] { color: @text.muted; }
QComboBox[inherited="true"], QLineEdit[inherited="true"] { color: @text.muted; }
QLineEdit[wrong="true"] { border-color: @state.error; }
*[bare="true"], *[bare="true"]:focus { border: none; background: transparent; padding: 0; min-height: 0; }

QComboBox { min-height: 26px; padding: 0 4px 0 10px; }
QComboBox:focus { min-height: 24px; padding: 0 3px 0 9px; }
QComboBox:hover { background: @surface.hover; }
QComboBox::drop-down { border: none; width: 24px; subcontrol-position: right center; }
QComboBox::down-arrow { image: url("icon:down"); width: 16px; height: 16px; }
QComboBox::down-arrow:disabled { image: url("icon:down-disabled"); }
QComboBox QAbstractItemView { background: @surface.overlay; border: 1px solid @border.normal; outline: none;
    padding: 4px; border-radius: 6px; }
QListView[popup="true"] { background: @surface.overlay; border: 1px solid @border.normal; padding: 0; }
QListView[popup="true"]:focus { border-color: @border.normal; }
QSpinBox, QDoubleSpinBox { min-height: 26px; padding: 0 4px 0 8px; }
QSpinBox:focus, QDoubleSpinBox:focus { min-height: 24px; padding: 0 3px 0 7px; }
QAbstractSpinBox QLineEdit, QComboBox QLineEdit, QAbstractSpinBox QLineEdit:focus, QComboBox QLineEdit:focus {
    border: none; background: transparent; padding: 0; min-height: 0; }
QSpinBox::up-button, QDoubleSpinBox::up-button { width: 24px; border: none; subcontrol-position: top right; }
QSpinBox::down-button, QDoubleSpinBox::down-button { width: 24px; border: none;
    subcontrol-position: bottom right; }
QSpinBox::up-button:hover, QSpinBox::down-button:hover, QDoubleSpinBox::up-button:hover,
QDoubleSpinBox::down-button:hover { background: @surface.hover; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: url("icon:small-up"); width: 12px; height: 12px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image: url("icon:small-down"); width: 12px; height: 12px; }

QCheckBox, QRadioButton { spacing: 8px; min-height: 24px; background: transparent; }
QCheckBox::indicator, QRadioButton::indicator { width: 16px; height: 16px; border: 1px solid @border.strong;
    background: @surface.raised; }
QCheckBox::indicator { border-radius: 4px; }
QRadioButton::indicator { border-radius: 8px; }
QCheckBox::indicator:focus, QRadioButton::indicator:focus { border: 2px solid @accent.focus;
    width: 14px; height: 14px; }
QCheckBox::indicator:checked { background: @accent.fill; border-color: @accent.fill;
    image: url("icon:check"); }
QCheckBox::indicator:indeterminate { background: @accent.fill; border-color: @accent.fill;
    image: url("icon:some"); }
QRadioButton::indicator:checked { border: 5px solid @accent.fill; width: 8px; height: 8px; }
QCheckBox::indicator:checked:focus, QCheckBox::indicator:indeterminate:focus { border-color: @accent.focus;
    width: 12px; height: 12px; padding: 1px; background-clip: content; }
QRadioButton::indicator:checked:focus { border: 2px solid @accent.focus; width: 14px; height: 14px;
    background: qradialgradient(cx: 0.5, cy: 0.5, radius: 0.5, fx: 0.5, fy: 0.5, stop: 0.54 @accent.fill,
    stop: 0.62 @surface.raised); }
QCheckBox:focus, QRadioButton:focus { color: @accent.base; text-decoration: underline; }

QMenuBar { background: transparent; spacing: 0; }
QMenuBar::item { padding: 6px 10px; border-radius: 6px; background: transparent; color: @text.primary; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: @surface.hover; }
QMenu { background: @surface.overlay; border: 1px solid @border.normal; border-radius: 10px; padding: 5px; }
QMenu::item { padding: 4px 24px 4px 10px; min-height: 20px; border-radius: 4px; color: @text.primary; }
QMenu::item:selected { background: @surface.selected; }
QMenu::item:disabled { color: @text.disabled; }
QMenu::icon { padding-left: 8px; }
QMenu::separator { height: 1px; background: @border.normal; margin: 4px 8px; }
QMenu::right-arrow { image: url("icon:right"); width: 16px; height: 16px; }
QMenu::indicator { width: 14px; height: 14px; left: 6px; }
QMenu::indicator:checked { image: url("icon:menu-check"); }

QTabWidget::pane { border: none; }
QTabBar { background: transparent; qproperty-drawBase: 0; }
QTabBar::tab { padding: 0 2px; margin: 0 8px; min-height: 32px; background: transparent;
    color: @text.secondary; border: 2px solid transparent; }
QTabBar[compact="true"]::tab { min-height: 26px; }
QTabBar[tight="true"] { font-size: 12px; }
QTabBar[tight="true"]::tab { margin: 0 1px; }
QTabBar[tight="most"] { font-size: 11px; }
QTabBar[tight="most"]::tab { margin: 0; padding: 0 1px; }
QTabBar::tab:hover { color: @text.primary; }
QTabBar::tab:selected { color: @text.primary; border-bottom-color: @accent.base; }
QTabBar::tab:focus { color: @accent.base; border-color: @accent.focus; border-radius: 4px; }
QTabBar::close-button { image: url("icon:close"); }

QListView, QTreeView, QTableView { background: transparent; border: 2px solid transparent; outline: none;
    selection-background-color: @surface.selected; selection-color: @text.primary; }
QListView::item, QTreeView::item { min-height: 26px; border-radius: 6px; padding: 0 4px; }
QListView::item:hover, QTreeView::item:hover { background: @surface.hover; }
QListView::item:selected, QTreeView::item:selected { background: @surface.selected; color: @text.primary; }
QListView:focus, QTreeView:focus, QTableView:focus { border-color: @accent.focus; border-radius: 6px; }
QTableWidget::item { padding: 0 6px; }
QTreeView#outlineView { selection-background-color: transparent; }
QTreeView#outlineView::item, QTreeView#outlineView::item:selected { background: transparent; }
QFrame#connectBox { background: @surface.raised; border: 1px solid @border.normal; border-radius: 8px; }
QFrame#importFile { background: @surface.raised; border: 1px solid @border.normal; border-radius: 8px; }
QTreeView#importTrees { background: @surface.raised; border: 1px solid @border.normal; border-radius: 8px; }
QTreeView#importTrees:focus { border-color: @accent.focus; }
QTreeView#importTrees::item { border-radius: 0; padding: 0 4px; border-bottom: 1px solid @border.subtle; }
QTreeView#importTrees::item:selected { background: @surface.selected; }
QTreeView#importTrees QHeaderView::section:first { padding-left: 29px; }
QPushButton#importReadAs { font-weight: 500; padding: 0 28px 0 12px; }
QPushButton#importReadAs:focus { padding: 0 27px 0 11px; }
QPushButton#importReadAs::menu-indicator { image: url("icon:small-down"); width: 12px; height: 12px; }
QTreeView#importTrees::indicator { width: 14px; height: 14px; border: 1px solid @border.strong;
    border-radius: 4px; background: @surface.raised; }
QTreeView#importTrees::indicator:checked { background: @accent.fill; border-color: @accent.fill;
    image: url("icon:check"); }
QProgressBar#importReadingBar, QProgressBar#importBar { max-height: 6px; min-height: 6px;
    border-radius: 3px; }
QProgressBar#importReadingBar::chunk, QProgressBar#importBar::chunk { background: @accent.fill;
    border-radius: 3px; }
QTreeView#backupList::item { border-radius: 0; padding: 0 5px; }
QTreeView::branch:has-children:closed { image: url("icon:right"); }
QTreeView::branch:has-children:open { image: url("icon:down"); }
QHeaderView { background: transparent; }
QHeaderView::up-arrow { image: url("icon:small-up"); width: 12px; height: 12px; }
QHeaderView::down-arrow { image: url("icon:small-down"); width: 12px; height: 12px; }
QHeaderView::section { background: transparent; color: @text.muted; border: none; padding: 4px 8px;
    border-bottom: 1px solid @border.subtle; }

QScrollBar { background: transparent; border: none; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar:vertical { width: 12px; }
QScrollBar:horizontal { height: 12px; }
QScrollBar::handle { background: @border.normal; border-radius: 3px; margin: 3px; min-height: 32px;
    min-width: 32px; }
QScrollBar::handle:hover, QScrollBar::handle:pressed { background: @border.strong; }
QScrollBar[idle="true"]::handle, QScrollBar[idle="true"]::handle:hover { background: transparent; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QSplitter::handle { background: @border.subtle; }
QSplitter::handle:hover { background: @accent.base; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QDockWidget { titlebar-close-icon: url("icon:close"); color: @text.secondary; }
QDockWidget::title { background: @surface.panel; padding: 6px 12px; }
QStatusBar { background: @surface.window; color: @text.muted; border-top: 1px solid @border.subtle;
    min-height: 22px; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: @text.muted; }
QProgressBar { background: @state.bar_track; border: none; border-radius: 4px; max-height: 8px;
    min-height: 8px; }
QProgressBar::chunk { background: @state.bar_kept; border-radius: 4px; }
QGroupBox { border: none; margin-top: 24px; font-weight: 600; }
QGroupBox::title { subcontrol-origin: margin; left: 0; }
"""
