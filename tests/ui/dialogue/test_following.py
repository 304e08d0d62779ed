"""Streaming text never takes the reader's place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from loomapp.core.generation.drafts import LiveDraft
from loomapp.ui.dialogue.view import DialogueView
from tests.kit.conversations import AGENTS, drafts, long_talk
from tests.kit.desktop import Pointer, shows_all
from tests.kit.dialogue_views import message, shown_view
from tests.kit.find import find


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> DialogueView:
    view = shown_view(qtbot, qapp)
    tree, path = long_talk(60)
    view.show_path(tree, path, AGENTS, {})
    return view


def stream(view: DialogueView, live: LiveDraft, times: int) -> LiveDraft:
    for _ in range(times):
        live = replace(live, draft=replace(live.draft, text=live.draft.text + "and the lamp was lit. "))
        view.drafts_grew([live])
    return live


def pill(view: DialogueView) -> QPushButton:
    return find(view, QPushButton, "newTextPill")


def test_the_end_is_followed_without_a_pill(view: DialogueView) -> None:
    (live,) = drafts("n59", "Father, ")
    view.set_drafts([live])

    stream(view, live, 10)

    assert view.is_end_in_view
    assert not pill(view).isVisible()


def test_who_reads_above_keeps_the_place_and_is_told_of_new_text(view: DialogueView) -> None:
    (live,) = drafts("n59", "Father, ")
    view.set_drafts([live])
    bar = view.verticalScrollBar()
    bar.setValue(bar.value() - 900)
    before = {m.key: m.y() for m in view.shown_messages()}

    stream(view, live, 30)

    assert {m.key: m.y() for m in view.shown_messages()} == before
    assert pill(view).isVisible()


def test_no_pill_lies_on_the_rows_below_words_that_are_read(view: DialogueView) -> None:
    (live,) = drafts("n59", "Father, ")
    beside = [replace(live, key=f"beside{number}") for number in range(6)]
    view.set_drafts([live, *beside])
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() - 150)
    assert not view.is_end_in_view
    assert message(view, "draft0").isVisible()

    live = stream(view, live, 1)
    assert not pill(view).isVisible()

    stream(view, live, 60)
    assert pill(view).isVisible()


def test_the_pill_leads_to_the_end_and_stays_with_it(view: DialogueView, pointer: Pointer) -> None:
    (live,) = drafts("n59", "Father, ")
    view.set_drafts([live])
    view.verticalScrollBar().setValue(0)
    live = stream(view, live, 120)

    pointer.click(pill(view))
    assert view.is_end_in_view
    assert not pill(view).isVisible()
    stream(view, live, 40)

    assert view.is_end_in_view
    assert message(view, "draft0").y() < 0


def test_scrolling_back_lets_go_of_the_end(view: DialogueView, pointer: Pointer) -> None:
    (live,) = drafts("n59", "Father, ")
    view.set_drafts([live])
    live = stream(view, live, 120)
    view.follow_end()

    pointer.wheel(view.viewport(), notches=2)
    before = view.verticalScrollBar().value()
    stream(view, live, 40)

    assert view.verticalScrollBar().value() == before
    assert pill(view).isVisible()


def test_the_pill_goes_when_the_end_is_scrolled_to(view: DialogueView) -> None:
    (live,) = drafts("n59", "Father, ")
    view.set_drafts([live])
    view.verticalScrollBar().setValue(0)
    stream(view, live, 5)
    assert pill(view).isVisible()

    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())

    assert not pill(view).isVisible()


def test_a_very_long_text_is_shown_to_its_last_word_though_laid_out_seldom(
    view: DialogueView, qtbot: QtBot
) -> None:
    (live,) = drafts("n59", "The lamp. " * 2000)
    view.set_drafts([live])

    live = stream(view, live, 50)
    live = replace(live, draft=replace(live.draft, text=live.draft.text + "The last word"))
    view.drafts_grew([live])

    body = message(view, "draft0").body
    qtbot.waitUntil(lambda: body.document().toPlainText().endswith("The last word"))


def test_what_has_not_changed_is_neither_read_nor_made_again(view: DialogueView) -> None:
    tree, path = long_talk(20_000)
    view.show_path(tree, path, AGENTS, {})
    before = view.script
    assert before is not None

    view.show_path(tree, tuple(path), AGENTS, dict.fromkeys(path, "sent"))
    view.set_fates(dict.fromkeys(path, "sent"))

    after = view.script
    assert after is not None
    assert after.keys == before.keys
    assert after.made_count < 40


@pytest.mark.parametrize("mark", ["light", "ring"])
def test_light_and_ring_leave_nothing_behind_when_their_message_moves_or_grows(
    mark: str, view: DialogueView, qtbot: QtBot
) -> None:
    (live,) = drafts("n59", "Father, ")
    view.set_drafts([live])
    view.set_hovered("n59") if mark == "light" else message(view, "n59").setFocus()
    bar = view.verticalScrollBar()

    acts: tuple[Callable[[], object], ...] = (
        lambda: bar.setValue(bar.value() - 30),
        view.follow_end,
        lambda: stream(view, live, 20),
        lambda: view.set_fates({"n59": "excluded"}),
        lambda: bar.setValue(0),
    )
    for act in acts:
        qtbot.waitUntil(lambda: shows_all(view.viewport()))
        act()
    qtbot.waitUntil(lambda: shows_all(view.viewport()))
