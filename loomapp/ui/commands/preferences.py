"""The settings in a window: taken from the file, put to use, changed on their page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from loomapp.core.errors import LoomError
from loomapp.core.settings import Settings
from loomapp.store.files.settings_file import HEADER, SettingsError
from loomapp.ui import late
from loomapp.ui.actions.keys import effective, usable
from loomapp.ui.commands import empty_tree
from loomapp.ui.commands.inspector import sources
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr

if TYPE_CHECKING:
    from loomapp.ui.settings.page import SettingsPage
    from loomapp.ui.window.main_window import MainWindow


def settle(window: MainWindow) -> None:
    """Put the settings to use, and follow them."""
    preferences = window.preferences
    preferences.changed.connect(partial(put_to_use, window))
    notice = Notice(window)
    preferences.problems_found.connect(notice.on_problems_found)
    put_to_use(window, preferences.settings)
    if not preferences.key_complaints:  # else it was told with them
        notice.on_problems_found(preferences.every_problem)


class Notice(QObject):
    """What of the settings file cannot be used: on the page if it is there, else in a strip that leads to it.
    The strip says what is so now, and goes when the file is mended.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._said = ""

    def on_problems_found(self, problems: tuple[str, ...]) -> None:
        """These are left; none if all is well."""
        window, errors = self._window, self._window.text_pane.errors
        page = window.app_settings
        if page is not None:
            page.show_problems(problems)
        is_told = bool(self._said) and errors.text == self._said
        on_page = page is not None and page.isVisible()
        self._said = ""
        if problems and (is_told or not on_page):
            self._said = _in_short(problems)
            window.next_steps.offer(self._said, tr("Open settings"), partial(show_page, window))
        elif is_told:
            errors.clear()


def _in_short(problems: tuple[str, ...]) -> str:
    words = told(problems[0])
    if len(problems) == 1:
        return words
    return tr("{problem} And {count} more.").format(problem=words, count=len(problems) - 1)


def put_to_use(window: MainWindow, settings: Settings) -> None:
    """What can change while the window is open."""
    app = QApplication.instance()
    assert isinstance(app, QApplication), "a window needs an application"
    actions = window.actions_set
    own, faults = usable(actions.bindings, settings.key_preset, settings.keys)
    actions.set_keys(effective(actions.bindings, settings.key_preset, own))
    show_keys(window)
    theme.change(app, theme.choice_of(settings.theme))
    window.graph.set_reduced_motion(settings.reduced_motion)
    window.composer.set_enter_sends(settings.enter_sends)
    window.buffer.put_to_use(settings)
    window.spelling.put_to_use(settings)
    if settings.continuations != window.usual_count:
        window.usual_count = settings.continuations
        window.composer.set_count(settings.continuations)
    if settings.context != window.document.context_defaults:
        window.document.context_defaults = settings.context
        window.show_tree_settings_values()
        window.preview.refresh()
    window.document.buffers_send_system = settings.buffer_mode_system_context
    window.preferences.note_key_problems(faults)
    if window.app_settings is not None:
        window.app_settings.show_settings(settings)


def show_keys(window: MainWindow) -> None:
    """Say the keys that actions have now, wherever one is named."""
    actions = window.actions_set
    window.composer.show_keys(actions.keys("generate"), actions.keys("stop"))
    for part in (window.header, window.text_head, window.buffer):
        part.show_keys()
    for listing in (window.side_parts, window.settings_page):
        listing.show_keys(actions.key)
    if not window.first_page.isHidden():
        empty_tree.show_keys(window)
    sources.refresh(window)


def toggle_page(window: MainWindow) -> None:
    """The settings in the graph's place, or the graph again."""
    if window.app_settings is not None and window.pages.currentWidget() is window.app_settings:
        window.pages.show_graph()
    else:
        show_page(window)


def show_page(window: MainWindow, words: str = "") -> None:
    """The settings, or of them what has some words."""
    if window.app_settings is None:
        window.app_settings = _page(window)
        window.pages.addWidget(window.app_settings)
    window.pages.show_instead(window.app_settings)
    window.app_settings.search(words)
    window.app_settings.setFocus()


def _page(window: MainWindow) -> SettingsPage:
    """Made when it is first wanted: it has a row for every action."""
    menus = {row.name: tr(row.menu) for row in window.actions_set.rows}
    bindings = [(binding, menus[binding.action]) for binding in window.actions_set.bindings]
    preferences = window.preferences
    page = late.settings_page.SettingsPage(preferences.path, bindings, window.pages)
    page.show_settings(preferences.settings)
    page.show_problems(preferences.every_problem)
    page.close_asked.connect(window.pages.show_graph)
    page.page_asked.connect(lambda name: window.actions_set.by_name[name].trigger())
    page.setting_asked.connect(lambda field, value: _try(window, partial(preferences.put, field, value)))
    page.keys_asked.connect(lambda name, keys: _try(window, partial(preferences.put_keys, name, keys)))
    page.key_moved.connect(lambda key, a, b: _try(window, partial(_move_key, window, key, a, b)))
    page.keys_reset_asked.connect(lambda: _try(window, preferences.reset_keys))
    page.file_asked.connect(lambda: _try(window, partial(_open_file, window)))
    return page


def _try(window: MainWindow, step: Callable[[], None]) -> None:
    """What cannot be saved is told on the page, which shows what counts still."""
    try:
        step()
    except LoomError as error:
        page = window.app_settings
        assert page is not None, "the page asked"
        page.show_problems((told(error.message),))
        page.show_settings(window.preferences.settings)


def _move_key(window: MainWindow, key: str, owner: str, taker: str) -> None:
    preferences, actions = window.preferences, window.actions_set
    preset = preferences.settings.key_preset
    own, _ = usable(actions.bindings, preset, preferences.settings.keys)
    keys = effective(actions.bindings, preset, own)
    preferences.put_keys(owner, tuple(k for k in keys[owner] if k != key))
    preferences.put_keys(taker, (*keys[taker], key))


def _open_file(window: MainWindow) -> None:
    path = window.preferences.path
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(HEADER, encoding="utf-8")
    except OSError as error:
        words = tr("{path} cannot be written ({why}).").format(path=path, why=error.strerror)
        raise SettingsError(words) from error
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
