"""The dialogue view: read with a real pointer, edited in place, never moved under the reader.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont, QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPlainTextEdit, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.core.context.assembly import assemble
from loomapp.core.context.outcomes import NO_ROOM, Fates, ShownFates
from loomapp.core.context.request import ContextRequest
from loomapp.core.errors import LoomError
from loomapp.core.generation.drafts import Awaited, Draft, LiveDraft, Wait
from loomapp.core.generation.provider import ProviderError
from loomapp.core.model.change import Change, RowChange, apply
from loomapp.core.model.content import Image, Mixed, Text
from loomapp.core.model.entities import Interrupted, Metadata
from loomapp.core.model.tree import Tree
from loomapp.core.paths.resolve import resolve
from loomapp.core.text.token_counts import estimate
from loomapp.ui.dialogue.empty import SuggestionButton
from loomapp.ui.dialogue.message.editor import MessageEditor
from loomapp.ui.dialogue.message.foot_rows import OptionRow
from loomapp.ui.dialogue.message.message import MessageView
from loomapp.ui.dialogue.script.entries import Entry
from loomapp.ui.dialogue.view import DialogueView
from loomapp.ui.look import theme
from loomapp.ui.widgets.buttons import SiblingPager
from loomapp.ui.widgets.error_strip import ErrorStrip
from tests.kit.conversations import (
    AGENTS,
    CLAUDE,
    LETTER_PATH,
    SMOL,
    YOU,
    drafts,
    grow,
    letter,
    long_talk,
    node,
)
from tests.kit.desktop import Pointer, show_active
from tests.kit.dialogue_views import Heard, message, shown_view
from tests.kit.find import find


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> DialogueView:
    return shown_view(qtbot, qapp)


def read(
    view: DialogueView,
    tree: Tree,
    path: tuple[str, ...] = LETTER_PATH,
    fates: Mapping[str, str] | None = None,
) -> None:
    view.show_path(tree, path, AGENTS, fates or {})


def pager(view: DialogueView, key: str) -> SiblingPager:
    return find(message(view, key), SiblingPager, "siblingPager")


def test_the_path_is_read_from_top_to_bottom_without_its_empty_root(view: DialogueView) -> None:
    read(view, letter())

    assert view.shown_keys() == ("ask", "second", "thanks")
    tops = [message(view, key).y() for key in view.shown_keys()]
    assert tops == sorted(tops)
    assert message(view, "ask").body.document().toPlainText() == "Write her reply. Keep the lamp in it."
    assert message(view, "second").accessibleName() == "Smol 360M, 2 of 3"


def test_the_pager_asks_for_the_siblings(view: DialogueView, pointer: Pointer) -> None:
    read(view, letter())
    chosen = Heard(view.sibling_chosen)

    pointer.click(pager(view, "second").after_button)
    pointer.click(pager(view, "second").before_button)

    assert pager(view, "second").text == "2/3"
    assert chosen.values == ["third", "first"]
    assert message(view, "ask").findChild(SiblingPager) is None


def test_the_wheel_over_the_pager_turns_it_and_elsewhere_scrolls(
    view: DialogueView, pointer: Pointer
) -> None:
    tree, path = long_talk(40)
    read(view, tree, path)
    scrolled = view.verticalScrollBar().value()
    pointer.wheel(message(view, "n39").body, notches=2)
    assert view.verticalScrollBar().value() < scrolled

    read(view, letter())
    chosen = Heard(view.sibling_chosen)
    pointer.wheel(pager(view, "second"), notches=-1)

    assert chosen.values == ["third"]


def test_siblings_by_keyboard_alone(view: DialogueView, pointer: Pointer) -> None:
    read(view, letter())
    chosen = Heard(view.sibling_chosen)
    view.setFocus()

    pointer.key("Tab", "Down", "Right")

    assert isinstance(QApplication.focusWidget(), MessageView)
    assert chosen.values == ["third"]


def test_the_tools_come_with_the_pointer_and_ask(view: DialogueView, pointer: Pointer) -> None:
    read(view, letter())
    retried, marked = Heard(view.retry_asked), Heard(view.bookmark_asked)
    pointer.move(view, QPoint(60, 630))
    assert not [b for b in view.findChildren(QToolButton, "retryButton") if b.isVisible()]

    pointer.move(message(view, "second"), QPoint(120, 12))
    pointer.click(find(message(view, "second"), QToolButton, "retryButton"))
    pointer.click(find(message(view, "second"), QToolButton, "bookmarkButton"))

    assert retried.values == ["second"]
    assert marked.values == ["second"]


def test_a_message_is_edited_in_its_place(view: DialogueView, pointer: Pointer, qtbot: QtBot) -> None:
    read(view, letter())
    asked, committed = Heard(view.edit_asked), Heard(view.edit_committed)
    pointer.move(message(view, "ask"), QPoint(120, 12))

    pointer.click(find(message(view, "ask"), QToolButton, "editButton"))
    field = find(message(view, "ask"), QPlainTextEdit, "messageEditorField")
    qtbot.waitUntil(field.hasFocus)
    pointer.type_ascii(" Now!")
    pointer.key("ctrl+Return")

    assert asked.values == ["ask"]
    assert committed.values == [("ask", "Write her *reply*. Keep the lamp in it. Now!")]
    assert not message(view, "ask").is_editing


def test_escape_leaves_a_message_as_it_was(
    view: DialogueView, pointer: Pointer, qtbot: QtBot, qapp: QApplication
) -> None:
    read(view, letter())
    committed = Heard(view.edit_committed)
    view.open_editor("ask")
    qtbot.waitUntil(find(message(view, "ask"), QPlainTextEdit, "messageEditorField").hasFocus)

    pointer.type_ascii("x")
    stops = list[QWidget | None]()
    qapp.focusChanged.connect(lambda _before, now: stops.append(now))
    pointer.key("Escape")

    assert committed.values == []
    assert not message(view, "ask").is_editing
    assert set(stops) <= {None, message(view, "ask")}, "each stop is spoken"


def test_opening_and_saving_an_editor_without_a_change_writes_nothing(
    view: DialogueView, pointer: Pointer
) -> None:
    tree = grow("dialogue", (node("a", "10\u00a0000 lamps"), ""))
    read(view, tree, ("a",))
    committed = Heard(view.edit_committed)

    view.open_editor("a")
    pointer.click(find(message(view, "a"), QPushButton, "saveEditButton"))

    assert committed.values == []


def test_an_editor_of_the_first_message_stays_where_all_just_fitted(view: DialogueView, qtbot: QtBot) -> None:
    said = (node("a", "Why?"), ""), (node("b", "Answer. " * 40), "a"), (node("c", "So?"), "b")
    tree = grow("dialogue", *said, (node("d", "Answer. " * 30), "c"))
    view.resize(372, 900)
    read(view, tree, ("a", "b", "c", "d"))
    last = message(view, "d")
    chrome_px = view.height() - view.viewport().height()
    view.resize(view.width(), last.y() + last.height() + chrome_px + 40)
    top = message(view, "a").y()

    view.open_editor("a")
    qtbot.waitUntil(lambda: view.verticalScrollBar().isVisible())

    assert message(view, "a").y() == top


def test_an_editor_survives_scrolling_away(view: DialogueView) -> None:
    tree, path = long_talk(200)
    read(view, tree, path)
    view.open_editor("n199")
    find(message(view, "n199"), QPlainTextEdit, "messageEditorField").setPlainText("half a thought")

    view.verticalScrollBar().setValue(0)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())

    field = find(message(view, "n199"), QPlainTextEdit, "messageEditorField")
    assert field.toPlainText() == "half a thought"


def test_what_is_dragged_over_is_copied_exactly(view: DialogueView, pointer: Pointer) -> None:
    text = "One 10\u00a0000 lamps\nTwo <think> & a<b"
    read(view, grow("dialogue", (node("a", text), "")), ("a",))
    body = message(view, "a").body

    end = QPoint(body.width() - 3, body.height() - 6)
    pointer.drag((body, QPoint(0, 8)), (body, end))
    pointer.key("ctrl+c")

    assert QGuiApplication.clipboard().text() == text


def test_the_menu_copies_the_message_as_it_is_stored(
    view: DialogueView, pointer: Pointer, qtbot: QtBot
) -> None:
    read(view, letter())

    pointer.click(message(view, "ask").body, button=3)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    pointer.key("Down", "Return")

    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)
    assert QGuiApplication.clipboard().text() == "Write her *reply*. Keep the lamp in it."


def test_a_link_is_asked_about_and_not_followed(view: DialogueView, pointer: Pointer) -> None:
    read(view, grow("dialogue", (node("a", "[here](https://example.org/x)"), "")), ("a",))
    asked = Heard(view.link_asked)

    pointer.click(message(view, "a").body, QPoint(10, 12))

    assert asked.values == ["https://example.org/x"]
    assert message(view, "a").body.document().toPlainText() == "here"


def test_ctrl_click_on_words_picks_the_node(view: DialogueView, pointer: Pointer) -> None:
    read(view, letter())
    picked = Heard(view.node_clicked)

    pointer.click(message(view, "second").body, QPoint(10, 12), modifiers=["ctrl"])

    assert picked.values == ["second"]


def test_an_excluded_message_is_one_struck_line_with_a_way_back(view: DialogueView, pointer: Pointer) -> None:
    tree = letter()
    read(view, tree, fates={"second": "excluded"})
    asked = Heard(view.exclude_asked)
    folded = message(view, "second").height()

    pointer.click(find(message(view, "second"), QPushButton, "includeButton"))
    pointer.click(find(message(view, "second"), QPushButton, "expandButton"))

    assert asked.values == ["second"]
    assert message(view, "second").body.isVisible()
    assert message(view, "second").height() >= folded
    view.set_fates({"second": "sent"})
    assert not find(message(view, "second"), QPushButton, "includeButton").isVisible()


def test_a_message_without_room_says_how_large_it_is(view: DialogueView) -> None:
    read(view, letter())
    plain = message(view, "ask").height()

    view.set_fates({"ask": "truncated"})

    assert message(view, "ask").foot.words == ("No room: 10 tokens",)
    assert message(view, "ask").height() > plain


def test_a_message_without_room_is_as_large_as_the_coming_context_counts_it(view: DialogueView) -> None:
    tree = letter()
    read(view, tree)
    path = resolve(tree, "ask")
    fates = Fates(path, bytes([NO_ROOM]) * len(path.node_ids), {})

    view.set_fates(ShownFates(tree.nodes, path, fates, tokens_of={"ask": 37}.get))

    assert message(view, "ask").foot.words == ("No room: 37 tokens",)


def test_an_answer_that_was_cut_says_so_and_can_be_continued_until_a_model_has_gone_on(
    view: DialogueView, pointer: Pointer
) -> None:
    tree = letter()
    read(view, tree)
    asked = Heard(view.draft_asked)
    fates = ShownFates(tree.nodes, resolve(tree, "thanks"), None, cut_answers={"second": 160})

    view.set_fates(fates)
    way_on = find(message(view, "second"), QPushButton, "continueCutButton")
    assert "once" in way_on.toolTip()
    pointer.click(way_on)
    said = message(view, "second").foot.words, message(view, "second").accessibleDescription()[:18]
    view.set_drafts([LiveDraft("d", "second", SMOL.id, Draft(0))])

    assert said == (("cut at 160 tokens",), "cut at 160 tokens.")
    assert asked.values == [("second", "continue")]
    assert not way_on.isVisible()
    assert message(view, "second").foot.words == ("cut at 160 tokens",)
    view.set_fates({})
    assert message(view, "second").foot.words == ()


def test_a_message_with_an_image_is_as_large_as_the_report_says() -> None:
    blocks = (Image("0" * 64, "image/png", alt_text="harbour.png"), Text("What is this?"))
    ask = replace(node("ask", ""), content=Mixed(blocks))
    report = assemble(grow("dialogue", (node("root", ""), ""), (ask, "root")), ContextRequest("ask")).report

    entry = Entry("ask", "What is this?", None, ask)

    assert entry.tokens == report.after_tokens > estimate("What is this?")


def test_an_image_after_words_stands_among_them_by_its_name(view: DialogueView) -> None:
    """As it is sent: words, the image, words; one that comes first is above them anyway."""
    cat = Image("0" * 64, "image/png", alt_text="cat.png")
    blocks = (cat, Text("Look:"), cat, Text("What is it?"), Image("1" * 64, "image/png"))
    tree = grow("dialogue", (replace(node("a", ""), content=Mixed(blocks)), ""))

    read(view, tree, ("a",))

    shown = message(view, "a")
    assert shown.body.document().toPlainText().split("\n") == [
        "Look:", "[image: cat.png]", "What is it?", "[image]",
    ]  # fmt: skip
    sent = assemble(tree, ContextRequest("a")).messages[0].parts
    assert [getattr(part, "text", getattr(part, "alt_text", "")) for part in sent] == [
        "cat.png", "Look:", "cat.png", "What is it?", "A",
    ]  # fmt: skip


def test_a_text_that_was_cut_short_says_why_and_goes_on_or_is_asked_for_again(
    view: DialogueView, pointer: Pointer
) -> None:
    broken = replace(node("a", "Dear", SMOL), interrupted=Interrupted("timeout"))
    read(view, grow("dialogue", (node("q", "A letter?"), ""), (broken, "q")), ("q", "a"))
    asked = Heard(view.draft_asked)

    foot = message(view, "a").foot
    pointer.click(find(foot, QPushButton, "continueCutButton"))
    pointer.click(find(foot, QPushButton, "retryCutButton"))

    assert foot.words == ("Cut short: no answer in time",)
    assert asked.values == [("a", "continue"), ("a", "again")]


def test_the_first_draft_is_shown_and_the_others_are_rows(view: DialogueView, pointer: Pointer) -> None:
    read(view, letter())
    chosen = Heard(view.draft_chosen)

    view.set_drafts(drafts("thanks", "Father, the oil", "You will want", "Nothing"))
    assert view.shown_keys()[-1] == "draft0"
    rows = message(view, "draft0").findChildren(OptionRow)
    assert [row.key for row in rows] == ["draft1", "draft2"]
    waiting = LiveDraft("draft2", "thanks", SMOL.id, Draft(2, awaited=Awaited(12, 2291, 7161)))
    view.drafts_grew([waiting])
    assert rows[1].accessibleName().endswith(": Reading 7,161 tokens (32 %) · 12 s")
    assert rows[1]._option is not None
    assert not rows[1]._option.grows, "no caret behind words that are not its own"
    pointer.click(rows[0])

    assert view.shown_keys()[-1] == "draft1"
    assert chosen.values == ["draft1"]
    shown = message(view, "draft1").body.document().toPlainText()
    assert shown == "You will want"

    several = drafts("thanks", *"abcdefghij")
    view.set_drafts([several[0], replace(several[1], agent_id=CLAUDE.id), *several[2:]])
    foot = message(view, view.shown_keys()[-1]).foot
    assert find(foot, QLabel, "moreSiblings").text().startswith("2 more")
    named = [row.accessibleName().partition(": ")[2] for row in foot.findChildren(OptionRow)]
    assert f"{SMOL.name} · c" in named


def test_rows_beside_an_answer_far_down_are_those_next_to_it(view: DialogueView) -> None:
    answers = [(node(f"a{i}", f"Answer {i}", SMOL), "q") for i in range(24)]
    tree = grow("dialogue", (node("q", "Why?", YOU), ""), *answers)

    view.show_path(tree, ["q", "a16"], AGENTS, {})

    foot = message(view, "a16").foot
    assert [row.key for row in foot.findChildren(OptionRow)] == [f"a{i}" for i in range(17, 24)]
    assert find(foot, QLabel, "moreSiblings").text().startswith("16 more")


def test_siblings_of_the_last_answer_stay_as_rows(view: DialogueView, pointer: Pointer) -> None:
    read(view, letter(), ("root", "ask", "second"))
    chosen = Heard(view.sibling_chosen)

    rows = [row for row in message(view, "second").findChildren(OptionRow) if row.isVisible()]
    pointer.click(rows[1])

    assert [row.key for row in rows] == ["first", "third"]
    assert chosen.values == ["third"]


def test_a_retry_streams_as_a_row_beside_the_shown_answer(view: DialogueView) -> None:
    read(view, letter())

    view.set_drafts(drafts("ask", "Once more"))

    assert view.shown_keys() == ("ask", "second", "thanks")
    assert [row.key for row in message(view, "second").findChildren(OptionRow) if row.isVisible()] == [
        "draft0"
    ]
    assert pager(view, "second").text == "2/4"

    view.set_drafts([replace(live, later=("second",)) for live in drafts("ask", "Before", "it")])
    assert pager(view, "second").text == "4/5", "it was asked for after these, and kept before them"
    rows = [row for row in message(view, "second").findChildren(OptionRow) if row.isVisible()]
    assert [row.key for row in rows] == ["draft0", "draft1", "third"]
    view.show_draft("draft1")
    assert pager(view, "draft1").text == "3/5"


def test_what_failed_is_no_sibling_and_can_be_read(view: DialogueView, pointer: Pointer) -> None:
    read(view, letter())
    error = ProviderError("serverError", "The server stopped answering. Try again.", status=500)
    failed = [LiveDraft(key, "ask", "smol", Draft(0, error=error)) for key in ("d:0", "e:0")]
    view.set_drafts([*failed, LiveDraft("f", "ask", "smol", Draft(0, "Once more"))])
    chosen = Heard(view.draft_chosen)

    assert pager(view, "second").text == "2/4"
    rows = [row for row in message(view, "second").findChildren(OptionRow) if row.isVisible()]
    assert [row.accessibleName().partition(":")[0] for row in rows] == [
        *["Show what failed"] * 2,
        "Show 4 of 4",
    ]
    assert "500 · The server stopped" in rows[0].accessibleName()
    pointer.click(rows[1])

    assert chosen.values == ["e:0"]
    assert pager(view, "e:0").text == "failed"
    assert pager(view, "e:0").before_button.isEnabled()
    assert "of" not in message(view, "e:0").accessibleName()


def test_what_failed_makes_room_for_the_path_it_covers(view: DialogueView, pointer: Pointer) -> None:
    read(view, letter())
    error = LoomError("The server stopped answering. Try again.")
    view.set_drafts([LiveDraft("d", "ask", "smol", Draft(0, error=error))])
    whole = view.shown_keys()
    view.show_draft("d")
    assert view.shown_keys()[-1] == "d"
    view.reveal("ask")
    assert view.shown_keys()[-1] == "d", "what stands above it is in view"

    view.reveal("thanks")
    assert view.shown_keys() == whole, "a card of the path was clicked, or a message was written there"

    view.show_draft("d")
    rows = [row for row in message(view, "d").findChildren(OptionRow) if row.isVisible()]
    pointer.click(next(row for row in rows if row.key == "second"))
    assert view.shown_keys() == whole, "the sibling that the path goes through"


def test_a_failed_draft_says_what_happened_and_offers_a_retry(view: DialogueView, pointer: Pointer) -> None:
    read(view, letter())
    asked: list[tuple[str, str]] = []
    view.draft_asked.connect(lambda key, act: asked.append((key, act)))
    error = LoomError("The server stopped answering. Try again.")

    view.set_drafts([LiveDraft("d", "thanks", "smol", Draft(0, "Father", error=error))])
    strip = find(message(view, "d"), ErrorStrip, "messageError")
    pointer.click(find(strip, QPushButton, "errorAct_retry"))

    assert strip.text == error.message
    assert message(view, "d").body.document().toPlainText() == "Father"
    assert asked == [("d", "retry")]
    pointer.click(find(strip, QToolButton, "errorClose"))
    assert asked[1:] == [("d", "dismiss")]
    refused = ProviderError(
        "invalidRequest", "Refused.", status=400, said="n is out\nof range", requestId="r7"
    )
    failed = [LiveDraft(key, "thanks", "smol", Draft(0, error=refused)) for key in ("d", "r:0", "r:1")]
    view.set_drafts(failed)
    strip = find(message(view, "d"), ErrorStrip, "messageError")
    every = find(strip, QPushButton, "errorAct_dismiss_all")
    pointer.click(every)
    assert strip.text == "Refused.\n400 · “n is out of range” · r7"
    assert (every.text(), asked[2:]) == ("Dismiss all 3", [("d", "dismiss_all")])
    rows = [row for row in message(view, "d").findChildren(OptionRow) if row.isVisible()]
    assert [row.accessibleName() for row in rows if row.key.startswith("r:")] == [
        "Show what failed: 2 × 400 · Refused."
    ]


def test_a_draft_that_waits_says_why_and_can_be_hurried_or_stopped(
    view: DialogueView, pointer: Pointer
) -> None:
    read(view, letter())
    asked: list[tuple[str, str]] = []
    view.draft_asked.connect(lambda key, act: asked.append((key, act)))
    waiting = LiveDraft(
        "d", "thanks", "smol", Draft(0, waits=Wait("Smol wants a pause.", 12, said="429 · “3”"))
    )

    view.set_drafts([waiting])
    strip = find(message(view, "d"), ErrorStrip, "messageError")
    assert strip.text == "Loomapp retries in 12\u00a0s: Smol wants a pause.\n429 · “3”"
    pointer.click(find(strip, QPushButton, "errorAct_retry"))
    pointer.click(find(strip, QPushButton, "errorAct_stop"))
    assert asked == [("d", "retry"), ("d", "stop")]

    silent = Wait("Nothing came for 95 s.", silent_s=95)
    view.drafts_grew([replace(waiting, draft=Draft(0, "Father, the", waits=silent))])
    assert strip.text == "Nothing came for 95 s."
    view.drafts_grew([replace(waiting, draft=Draft(0, "Father, the oil"))])
    assert strip.isHidden()


def grow_draft(view: DialogueView, live: LiveDraft, times: int) -> LiveDraft:
    for _ in range(times):
        live = replace(live, draft=replace(live.draft, text=live.draft.text + "and the lamp was lit again. "))
        view.drafts_grew([live])
    return live


def test_growing_text_does_not_move_what_is_read_above(view: DialogueView) -> None:
    tree, path = long_talk(60)
    read(view, tree, path)
    (live,) = drafts("n59", "Father, ")
    view.set_drafts([live])
    bar = view.verticalScrollBar()
    bar.setValue(bar.value() - 900)
    before = {m.key: m.y() for m in view.findChildren(MessageView) if m.isVisible()}

    grow_draft(view, live, 60)

    after = {m.key: m.y() for m in view.findChildren(MessageView) if m.isVisible()}
    assert after == before


@pytest.mark.slow
def test_the_end_is_followed_until_the_head_of_the_draft_would_leave(view: DialogueView) -> None:
    tree, path = long_talk(60)
    read(view, tree, path)
    (live,) = drafts("n59", "Father, ")
    view.set_drafts([live])

    live = grow_draft(view, live, 20)
    bar = view.verticalScrollBar()
    assert bar.value() == bar.maximum()
    grow_draft(view, live, 100)

    assert 0 <= message(view, "draft0").y() < 60
    assert bar.value() < bar.maximum()


def test_drafts_that_become_nodes_stay_where_they_were_read(view: DialogueView) -> None:
    tree, path = long_talk(30)
    read(view, tree, path)
    (live,) = drafts("n29", "Father, ")
    view.set_drafts([live])
    grow_draft(view, live, 8)
    top = message(view, "draft0").y()

    made = node("made", "Father, " + "and the lamp was lit again. " * 8, SMOL)
    tree.put_node(made)
    tree.put_edge(grow("dialogue", (node("n29", ""), ""), (made, "n29")).edges["edge-made"])
    view.set_drafts([])
    read(view, tree, (*path, "made"))

    assert message(view, "made").y() == top


def test_three_drafts_that_become_nodes_at_once_stay_where_they_were_read(view: DialogueView) -> None:
    tree, path = long_talk(30)
    read(view, tree, path)
    view.set_drafts(drafts("n29", "Father, " * 30, "No. ", "Well. "))
    top = message(view, "draft0").y()

    for key, text in (("made0", "Father, " * 30), ("made1", "No. "), ("made2", "Well. ")):
        tree.put_node(node(key, text, SMOL))
        made = grow("dialogue", (node("n29", ""), ""), (node(key, ""), "n29"))
        tree.put_edge(made.edges[f"edge-{key}"])
    view.show_path(tree, (*path, "made0"), AGENTS, {}, ())

    assert message(view, "made0").y() == top


def test_the_message_that_is_read_stays_where_those_above_it_come_out_or_are_put_away(
    view: DialogueView,
) -> None:
    tree, path = long_talk(60)
    read(view, tree, path)
    view.set_covered("n30", shown=False)
    view.reveal("n40")
    y = message(view, "n40").y()

    view.set_covered("", shown=False)
    y_among_all = message(view, "n40").y()
    view.set_covered("n30", shown=False)

    assert (y_among_all, message(view, "n40").y()) == (y, y)
    view.reveal("n10")
    view.set_covered("n30", shown=False)
    assert view.row_key_of(view.shown_messages()[0]) == "n31"


def test_choosing_a_sibling_keeps_the_place(view: DialogueView) -> None:
    tree, path = long_talk(60)
    tree.put_node(node("other", "Something else. " * 20, CLAUDE))
    tree.put_edge(grow("dialogue", (node("n39", ""), ""), (node("other", ""), "n39")).edges["edge-other"])
    read(view, tree, path)
    view.reveal("n40")
    top = message(view, "n40").y()

    read(view, tree, (*path[:40], "other"))

    assert message(view, "other").y() == top


def test_a_text_met_in_a_narrow_view_is_as_high_as_it_needs_in_a_wide_one(
    view: DialogueView, qtbot: QtBot
) -> None:
    tree, path = long_talk(6)
    read(view, tree, path)
    wide = message(view, "n5").height()
    unlaid = DialogueView()  # as when a window is made: tall later, a strip now
    qtbot.addWidget(unlaid)
    unlaid.resize(100, 30)
    read(unlaid, tree, path)

    unlaid.resize(view.size())
    show_active(qtbot, unlaid)

    assert message(unlaid, "n5").height() == wide


def test_what_is_chosen_by_keyboard_keeps_the_keyboard(view: DialogueView, pointer: Pointer) -> None:
    tree = letter()
    view.sibling_chosen.connect(lambda node_id: read(view, tree, ("root", "ask", node_id)))
    read(view, tree, ("root", "ask", "second"))
    message(view, "second").setFocus()

    pointer.key("Right")

    assert message(view, "third").hasFocus()


def test_a_view_that_becomes_larger_leaves_no_gap_below(view: DialogueView) -> None:
    tree, path = long_talk(30)
    view.resize(428, 160)
    read(view, tree, path)
    view.reveal("n28")
    read(view, tree, path)

    view.resize(428, 900)

    assert message(view, "n29").geometry().bottom() >= view.viewport().height() - 1


def test_a_view_that_becomes_smaller_still_shows_the_end(view: DialogueView) -> None:
    tree, path = long_talk(30)
    read(view, tree, path)

    view.resize(428, 500)

    assert message(view, "n29").geometry().bottom() < view.viewport().height()


def test_a_shorter_sibling_leaves_the_pager_under_the_pointer(view: DialogueView, pointer: Pointer) -> None:
    tree, path = long_talk(30)
    tree.put_node(node("short", "No.", CLAUDE))
    tree.put_edge(grow("dialogue", (node("n28", ""), ""), (node("short", ""), "n28")).edges["edge-short"])
    read(view, tree, path)
    top = message(view, "n29").y()

    read(view, tree, (*path[:29], "short"))
    assert message(view, "short").y() == top
    read(view, tree, path)

    assert message(view, "n29").y() == top


def test_scrolling_through_a_long_path_meets_every_message_once_and_in_order(view: DialogueView) -> None:
    tree, path = long_talk(300)
    read(view, tree, path)
    bar = view.verticalScrollBar()
    bar.setValue(0)
    met: list[str] = []

    for _ in range(2000):
        shown = sorted((m for m in view.findChildren(MessageView) if m.isVisible()), key=QWidget.y)
        assert all(a.y() + a.height() == b.y() for a, b in pairwise(shown))
        met += [m.key for m in shown if m.key not in met[-30:]]
        if bar.value() >= bar.maximum():
            break
        bar.setValue(bar.value() + 400)

    assert met == list(path)
    assert message(view, "n299").geometry().bottom() < view.viewport().height()


@pytest.mark.slow
def test_twenty_thousand_messages_make_few_widgets(view: DialogueView) -> None:
    tree, path = long_talk(20_000)

    read(view, tree, path)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)

    assert len(view.findChildren(MessageView)) < 40
    assert any(m.isVisible() for m in view.findChildren(MessageView))


def test_a_change_of_the_tree_is_shown_at_once(view: DialogueView) -> None:
    tree = letter()
    read(view, tree)
    before = tree.nodes["second"]
    after = replace(before, metadata=Metadata(bookmarked=True))
    change = Change("tree", "Bookmark", 1, (RowChange(before, after),))

    apply(tree, change)
    view.patch(change)

    entry = message(view, "second").entry
    assert entry is not None
    assert entry.node == after


def test_nodes_that_leave_the_tree_leave_the_view(view: DialogueView) -> None:
    tree = letter()
    read(view, tree)
    rows = (RowChange(tree.edges["edge-thanks"], None), RowChange(tree.nodes["thanks"], None))
    change = Change("tree", "Undo", 1, rows)

    apply(tree, change)
    view.patch(change)

    assert view.shown_keys() == ("ask", "second")


def test_an_empty_path_offers_three_ways_to_begin(view: DialogueView, pointer: Pointer) -> None:
    read(view, grow("dialogue", (node("root", ""), "")), ("root",))
    chosen = Heard(view.suggestion_chosen)

    buttons = view.findChildren(SuggestionButton)
    pointer.click(buttons[1])

    assert len(buttons) == 3
    assert chosen.values == [buttons[1].line]
    read(view, letter())
    assert not any(button.isVisible() for button in buttons)


def test_window_keys_pass_through_a_text_that_has_the_keyboard(view: DialogueView, pointer: Pointer) -> None:
    from PySide6.QtGui import QAction

    read(view, letter())
    heard: list[str] = []
    for key in ("Ctrl+Z", "Alt+Left", "Alt+Up", "Ctrl+D"):
        action = QAction(key, view)
        action.setShortcut(key)
        action.triggered.connect(lambda _=False, k=key: heard.append(k))
        view.addAction(action)
    pointer.click(message(view, "second").body, QPoint(10, 12))

    pointer.key("ctrl+z", "alt+Left", "alt+Up", "ctrl+d")

    assert heard == ["Ctrl+Z", "Alt+Left", "Alt+Up", "Ctrl+D"]


def test_another_theme_keeps_the_size_of_every_text(view: DialogueView, qapp: QApplication) -> None:
    tree, path = long_talk(30)
    read(view, tree, path)
    qapp.processEvents()
    before = {m.key: m.geometry() for m in view.findChildren(MessageView) if m.isVisible()}

    theme.apply(qapp, "light")
    qapp.processEvents()

    after = {m.key: m.geometry() for m in view.findChildren(MessageView) if m.isVisible()}
    fonts = {message(view, key).body.document().defaultFont().pixelSize() for key in after}
    assert after == before
    assert fonts == {theme.px("type.dialogue.px")}
    block = message(view, "n29").body.document().begin()
    style = block.begin().fragment().charFormat()
    assert style.foreground().color() == theme.colour("text.primary")


def test_another_font_around_them_leaves_the_texts_alone(view: DialogueView, qapp: QApplication) -> None:
    read(view, letter())
    sheet = qapp.styleSheet()
    qapp.setStyleSheet("")  # with one, Qt hands no fonts down; the first theme comes without
    other = QFont(view.font())
    other.setPixelSize(31)

    view.setFont(other)
    size = message(view, "ask").body.document().defaultFont().pixelSize()
    qapp.setStyleSheet(sheet)

    assert size == theme.px("type.dialogue.px")


def test_every_control_has_a_name(view: DialogueView, pointer: Pointer) -> None:
    read(view, letter(), fates={"ask": "excluded"})
    view.set_drafts(drafts("thanks", "a", "b"))
    pointer.move(message(view, "second"), QPoint(120, 12))

    controls = [w for w in view.findChildren(QWidget) if w.focusPolicy() & Qt.FocusPolicy.TabFocus]
    nameless = [w for w in controls if not w.objectName() or not w.accessibleName()]

    assert controls
    assert nameless == []


def test_an_edit_is_not_saved_while_an_input_method_composes(qtbot: QtBot) -> None:
    editor, saved = MessageEditor("Save"), list[str]()
    qtbot.addWidget(editor)
    editor.committed.connect(saved.append)
    field = find(editor, QPlainTextEdit, "messageEditorField")
    editor.open("The lamp", begun="The lamp was lit")
    QApplication.sendEvent(field, QInputMethodEvent("に", []))

    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)

    assert saved == []
    QApplication.sendEvent(field, QInputMethodEvent())
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert saved == ["The lamp was lit"]
