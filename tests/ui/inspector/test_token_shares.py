"""The page that tells where the tokens go: its bars, what each colour is, and how it is reached."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QLabel, QTabBar, QToolButton
from pytestqt.qtbot import QtBot

from loomapp.core.model.agent import Agent
from loomapp.core.model.content import Image
from loomapp.core.model.tree import Tree
from loomapp.session.background.background_work import BackgroundTask
from loomapp.ui.inspector.context.summary import ContextSummaryBox
from loomapp.ui.inspector.context.token_shares import ShareBar, TokenSharesPage
from loomapp.ui.inspector.preview import ContextPreview
from tests.core.economy.trees import asked, document, mixed, with_summary, words
from tests.kit.find import find
from tests.kit.written_trees import chain, node

CAT = Image("ab" * 32, "image/png", 4, 3)
SMOL = Agent("smol", "SmolLM2", "model", "local:smol")


def talk() -> Tree:
    answers = [replace(node(f"n{i}", "y" * 40, "model"), author_agent_id="smol") for i in (2, 4, 6)]
    subject = chain(
        mixed("n1", words("Read this."), document("x" * 400)),
        answers[0],
        node("n3", "z" * 80),
        answers[1],
        node("n5", "And?"),
        answers[2],
        node("n7", "Go on."),
        system="Be kind.",
    )
    with_summary(subject, "n2", "They read.")
    return subject


def bars(page: TokenSharesPage) -> list[ShareBar]:
    return [bar for bar in page.findChildren(ShareBar) if not bar.isHidden()]


def told(page: TokenSharesPage) -> list[str]:
    return [one.text() for one in page.findChildren(QLabel) if not one.isHidden() and one.text()]


def test_each_stage_has_a_bar_by_author_kind_or_message(qtbot: QtBot) -> None:
    page, subject = TokenSharesPage(), talk()
    qtbot.addWidget(page)
    page.ask_saved = lambda: ["2 messages: used in 1 call"]
    page.resize(500, 400)

    page.show_context(asked(subject, "n7", use_summaries=True), subject, {"smol": SMOL})
    qtbot.waitUntil(lambda: len(bars(page)) == 3)

    assert [bar.accessibleName().partition(":")[0] for bar in bars(page)] == [
        "Whole path",
        "With summaries",
        "Sent",
    ]
    assert "SmolLM2 30" in bars(page)[0].accessibleName()
    assert "SmolLM2 20" in bars(page)[2].accessibleName()
    assert "2 messages: used in 1 call" in told(page)
    whole, sent = (bar.segments()[-1].right() for bar in (bars(page)[0], bars(page)[2]))
    assert sent < whole
    tabs = find(page, QTabBar, "tokenShareTabs")
    tabs.setCurrentIndex(1)
    assert "Attached files 1" in bars(page)[0].accessibleName()
    assert "Attached files" not in bars(page)[2].accessibleName()
    tabs.setCurrentIndex(2)
    assert "N7 · Go on. 2" in bars(page)[2].accessibleName()


def test_a_number_without_the_images_that_are_sent_says_so(qtbot: QtBot) -> None:
    box = ContextSummaryBox()
    qtbot.addWidget(box)
    measured = find(box, QLabel, "contextMeasured")

    box.show_context(asked(talk(), "n7"), {})
    assert "Images" not in measured.text()
    box.show_context(asked(chain(mixed("n1", CAT, words("What is it?"))), "n1"), {})
    assert "Images are not counted" in measured.text()


def test_a_context_of_messages_that_were_taken_back_meanwhile_is_not_added_up(qtbot: QtBot) -> None:
    page = TokenSharesPage()
    qtbot.addWidget(page)

    page.show_context(replace(asked(talk(), "n7"), economy=None), chain(node("n1", "Hi.")), {"smol": SMOL})

    assert page.findChildren(BackgroundTask) == []


def test_the_context_tab_shows_it_in_place_of_the_rows(qtbot: QtBot) -> None:
    preview, subject = ContextPreview(), talk()
    qtbot.addWidget(preview)
    preview.resize(700, 500)
    preview.show()
    preview.show_assembled(asked(subject, "n7"), subject, {})
    assert preview.rows.isVisible()

    button = find(preview, QToolButton, "tokenSharesButton")
    button.click()

    assert preview.shares.isVisible()
    qtbot.waitUntil(lambda: len(bars(preview.shares)) == 2)
    find(preview, QToolButton, "rawContextButton").click()
    assert not button.isChecked()
    assert not preview.shares.isVisible()
