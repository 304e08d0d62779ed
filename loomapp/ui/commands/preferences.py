"""The settings in a window: taken from the file, put to use, changed on their page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from loomapp.core.errors import LoomError
from loomapp.core.settings.setting import Settings
from loomapp.store.files.settings_file import HEADER, SettingsError
from loomapp.ui.commands import on_demand
from loomapp.ui.commands.inspector import sources
from loomapp.ui.commands.spelling import SpellingDesk
from loomapp.ui.commands.trees import empty_tree
from loomapp.ui.keys import effective, usable
from loomapp.ui.look import theme
from loomapp.ui.strings import told, tr
from loomapp.ui.workbench import Workbench

if TYPE_CHECKING:
    from loomapp.ui.settings.page import SettingsPage


class SettingsUse(QObject):
    """The settings as a window uses them, and their page once it was wanted.

    What of the file cannot be used is said on the page if it is there, else in a strip that leads to it. The
    strip says what is so now, and goes when the file is mended.
    """

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._spelling: SpellingDesk | None = None
        self.page: SettingsPage | None = None
        self.usual_count = 0  # of continuations, as the settings said it last
        self._said = ""

    def begin(self, spelling: SpellingDesk) -> None:
        self._spelling = spelling
        preferences = self._bench.work.preferences
        preferences.changed.connect(self.put_to_use)
        preferences.problems_found.connect(self.on_problems_found)
        run = self._bench.frame.run_beside_text
        self._bench.views.dialogue.size_asked.connect(
            lambda by: run(lambda w: w.work.preferences.step("message_size_px", by))
        )
        self.put_to_use(preferences.settings)
        if not preferences.key_complaints:  # else it was told with them
            self.on_problems_found(preferences.every_problem)

    def put_to_use(self, settings: Settings) -> None:
        """Apply the settings that can change while the window is open."""
        app, bench = QApplication.instance(), self._bench
        assert isinstance(app, QApplication), "a window needs an application"
        actions, document = bench.actions, bench.work.document
        own, faults = usable(actions.bindings, settings.key_preset, settings.keys)
        actions.set_keys(effective(actions.bindings, settings.key_preset, own))
        show_keys(bench)
        theme.change(app, theme.choice_of(settings.theme))
        theme.set_text(settings)
        bench.views.dialogue.fit_text()
        bench.views.composer.fit_text()
        bench.views.graph.set_reduced_motion(settings.reduced_motion)
        bench.views.composer.set_enter_sends(settings.enter_sends)
        bench.buffer.put_to_use(settings)
        if self._spelling is not None:
            self._spelling.put_to_use(settings)
        if settings.continuations != self.usual_count:
            self.usual_count = settings.continuations
            bench.views.composer.set_count(settings.continuations)
        if settings.context != document.context_defaults:
            document.context_defaults = settings.context
            bench.display.show_tree_settings_values()
            bench.views.side_parts.outline.set_defaults(settings.context)
            bench.work.preview.refresh()
        bench.work.generator.one_liners.switch(on=settings.one_liners)
        document.ask_above_tokens = settings.ask_above_tokens
        document.buffers_send_system = settings.buffer_mode_system_context
        bench.work.preferences.note_key_problems(faults)
        if self.page is not None:
            self.page.show_settings(settings)

    def on_problems_found(self, problems: tuple[str, ...]) -> None:
        """Show the faults of the settings file; none if all is well."""
        bench, errors, page = self._bench, self._bench.views.text_pane.errors, self.page
        if page is not None:
            page.show_problems(problems)
        is_told = bool(self._said) and self._said in errors.sentences
        on_page = page is not None and page.isVisible()
        errors.drop(self._said)
        self._said = ""
        if problems and (is_told or not on_page):
            self._said = _in_short(problems)
            bench.frame.offer(self._said, tr("Open settings"), partial(show_page, bench))


def use_of(bench: Workbench) -> SettingsUse:
    return bench.parts.one(SettingsUse, partial(SettingsUse, bench))


def _in_short(problems: tuple[str, ...]) -> str:
    words = told(problems[0])
    if len(problems) == 1:
        return words
    return tr("{problem} And {count} more.").format(problem=words, count=len(problems) - 1)


def show_keys(bench: Workbench) -> None:
    """Say the keys that actions have now, wherever one is named."""
    actions = bench.actions
    bench.views.composer.show_keys(actions.keys("generate"), actions.keys("stop"))
    for part in (bench.views.header, bench.views.text_head, bench.buffer):
        part.show_keys()
    for listing in (bench.views.side_parts, bench.views.settings_page):
        listing.show_keys(actions.key)
    if not bench.views.first_page.isHidden():
        empty_tree.show_keys(bench)
    sources.refresh(bench)


def toggle_page(bench: Workbench) -> None:
    """Show the settings in the graph's place, or the graph again."""
    if is_page_shown(bench):
        bench.views.pages.show_graph()
    else:
        show_page(bench)


def show_page(bench: Workbench, words: str = "") -> None:
    """Show the settings, or those that have some words."""
    use = use_of(bench)
    if use.page is None:
        use.page = _page(bench)
        bench.views.pages.addWidget(use.page)
    bench.views.pages.show_instead(use.page)
    use.page.search(words)
    use.page.setFocus()


def is_page_shown(bench: Workbench) -> bool:
    page = use_of(bench).page
    return page is not None and bench.views.pages.currentWidget() is page


def _page(bench: Workbench) -> SettingsPage:
    """Return the page, made when it is first wanted: it has a row for every action."""
    menus = {row.name: tr(row.menu) for row in bench.actions.rows}
    bindings = [(binding, menus[binding.action]) for binding in bench.actions.bindings]
    preferences = bench.work.preferences
    page = on_demand.settings_page.SettingsPage(preferences.path, bindings, bench.views.pages)
    page.show_settings(preferences.settings)
    page.show_problems(preferences.every_problem)
    page.close_asked.connect(bench.views.pages.show_graph)
    page.page_asked.connect(lambda name: bench.actions.by_name[name].trigger())
    page.setting_asked.connect(lambda field, value: _try(bench, partial(preferences.put, field, value)))
    page.keys_asked.connect(lambda name, keys: _try(bench, partial(preferences.put_keys, name, keys)))
    page.key_moved.connect(lambda key, a, b: _try(bench, partial(_move_key, bench, key, a, b)))
    page.keys_reset_asked.connect(lambda: _try(bench, preferences.reset_keys))
    page.file_asked.connect(lambda: _try(bench, partial(_open_file, bench)))
    return page


def _try(bench: Workbench, step: Callable[[], None]) -> None:
    """Take a step that saves; an error is told on the page, which shows the values that still count."""
    try:
        step()
    except LoomError as error:
        page = use_of(bench).page
        assert page is not None, "the page asked"
        page.show_problems((told(error.message),))
        page.show_settings(bench.work.preferences.settings)


def _move_key(bench: Workbench, key: str, owner: str, taker: str) -> None:
    preferences, actions = bench.work.preferences, bench.actions
    preset = preferences.settings.key_preset
    own, _ = usable(actions.bindings, preset, preferences.settings.keys)
    keys = effective(actions.bindings, preset, own)
    preferences.put_keys(owner, tuple(k for k in keys[owner] if k != key))
    preferences.put_keys(taker, (*keys[taker], key))


def _open_file(bench: Workbench) -> None:
    path = bench.work.preferences.path
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(HEADER, encoding="utf-8")
    except OSError as error:
        words = tr("{path} cannot be written ({why}).").format(path=path, why=error.strerror)
        raise SettingsError(words) from error
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
