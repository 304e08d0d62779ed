"""The strip for errors: one step stands beside its sentence, several below it."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from loomapp.ui.widgets.error_strip import ErrorStrip, StripPile
from tests.kit.find import find


def test_one_step_stands_beside_its_sentence_and_several_below(qtbot: QtBot) -> None:
    strip = ErrorStrip(closable=True)
    qtbot.addWidget(strip)
    strip.resize(500, 36)
    strip.show()

    for acts in ((("stop", "Stop"),), (("retry", "Retry"), ("key", "Add a key…")), (("retry", "Retry"),)):
        strip.offer("Filling in.", acts)
        strip.resize(500, max(36, strip.heightForWidth(500)))
        layout = strip.layout()
        assert layout is not None
        layout.activate()
        sentence = find(strip, QLabel, "errorText").geometry()
        buttons = [find(strip, QPushButton, f"errorAct_{name}") for name, _ in acts]

        below = [button.geometry().top() > sentence.bottom() for button in buttons]
        assert below == [len(acts) > 1] * len(acts)
        assert (strip.height() == 36) == (len(acts) == 1)
        assert all(button.isVisible() for button in buttons)


def test_in_a_narrow_strip_its_step_stands_below_the_sentence_and_nothing_is_cut(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    strip = ErrorStrip(page, closable=True)
    page.show()
    words = "settings.toml, line 4: appearance.scale_percent is no setting; it is not used."

    for width, is_narrow in ((240, True), (500, False), (240, True)):
        strip.say(words, "Open the file", tone="warning")
        assert strip.minimumSizeHint().width() <= 240
        strip.resize(width, 36)
        strip.resize(width, strip.heightForWidth(width))
        layout = strip.layout()
        assert layout is not None
        layout.activate()

        step, close = find(strip, QPushButton, "errorAction"), find(strip, QToolButton, "errorClose")
        assert (step.geometry().top() > find(strip, QLabel, "errorText").geometry().bottom()) == is_narrow
        assert step.width() >= step.sizeHint().width()
        assert strip.rect().contains(step.geometry())
        assert strip.rect().contains(close.geometry())


def test_several_steps_wrap_where_they_have_no_room_side_by_side(qtbot: QtBot) -> None:
    strip = ErrorStrip(closable=True)
    qtbot.addWidget(strip)
    strip.show()
    acts = (("retry", "Retry"), ("details", "Details"), ("dismiss_all", "Dismiss all 4"))
    strip.offer("Dead server can't be reached.", acts, closable=True)
    strip.resize(170, 36)
    strip.resize(170, strip.heightForWidth(170))
    layout = strip.layout()
    assert layout is not None
    layout.activate()

    places = [find(strip, QPushButton, f"errorAct_{name}") for name, _ in acts]

    assert all(step.width() >= step.sizeHint().width() for step in places)
    assert all(strip.rect().contains(step.geometry()) for step in places)
    assert len({step.y() for step in places}) > 1


def test_what_is_said_on_top_of_something_leaves_that_below_it(qtbot: QtBot) -> None:
    strip = StripPile()
    qtbot.addWidget(strip)
    strip.resize(600, 36)
    strip.say("The key is wrong.")
    strip.offer("Send so much?", (("send", "Send"), ("stop", "Stop")), tone="warning")
    strip.say("It ignores temperature.", tone="warning")
    more = find(strip, QPushButton, "errorMore")

    assert (strip.text, more.text()) == ("It ignores temperature.", "2 more")
    assert strip.heightForWidth(600) == 36
    more.click()
    assert strip.text == "Send so much?"
    assert [name for name, _ in strip.acts] == ["send", "stop"]
    more.click()
    assert (strip.text, strip.acts) == ("The key is wrong.", ())
    strip.say("It ignores temperature.", tone="warning")
    assert strip.sentences == ("It ignores temperature.", "The key is wrong.", "Send so much?")
    strip.drop("The key is wrong.")
    assert more.text() == "1 more"
    find(strip, QToolButton, "errorClose").click()
    assert (strip.text, more.isHidden()) == ("Send so much?", True)
    strip.say("Once more.")
    strip.clear_all()
    assert not strip.sentences
    assert (strip.text, strip.isHidden()) == ("", True)


def test_the_stop_of_what_is_under_way_stays_in_reach(qtbot: QtBot) -> None:
    strip = StripPile()
    qtbot.addWidget(strip)
    strip.say("It is summarising.", "Stop", tone="progress")
    strip.say("Exported.", tone="success")
    assert strip.text == "It is summarising."
    assert strip.sentences == ("It is summarising.", "Exported.")
    strip.say("The key is wrong.")
    assert strip.text == "The key is wrong.", "what failed is said at once"
    strip.drop("The key is wrong.")
    strip.clear_all()
    assert list(strip.sentences) == ["It is summarising."]
    strip.drop("It is summarising.")
    assert strip.isHidden()
