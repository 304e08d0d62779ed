"""The theme: both palettes can be read, fonts and icons are there, and a change reaches every widget."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontInfo,
    QFontMetricsF,
    QGuiApplication,
    QImage,
    QPaintEvent,
    QPalette,
    QTextLayout,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QStackedWidget,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

import loomapp
from loomapp import places
from loomapp.core.model.agent import Agent
from loomapp.ui.look import theme, tokens
from loomapp.ui.look.icons import drawing
from loomapp.ui.look.stylesheet import CONTROL_ICONS
from loomapp.ui.widgets.chip import FILL
from tests.kit.desktop import show_active

SURFACES = ("canvas", "window", "panel", "raised", "hover", "overlay", "selected")
TEXTS = ("text.primary", "text.secondary", "text.muted", "text.link", "accent.base")
STATES = ("state.error", "state.warning", "state.success", "state.interrupted")
CODE = ("comment", "keyword", "string", "number", "type", "function", "deleted", "inserted")
AGENTS = tuple(f"agent.{name}" for name in ("human", *(f"a{i}" for i in range(1, 9))))


def luminance(colour: QColor) -> float:
    """Relative luminance. Source: WCAG 2.2, definition of relative luminance."""

    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(c) for c in (colour.redF(), colour.greenF(), colour.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: QColor, other: QColor) -> float:
    """From 1 (the same) to 21 (black on white)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def application() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app


@pytest.mark.parametrize("name", tokens.THEMES)
@pytest.mark.parametrize("surface", SURFACES)
def test_every_text_can_be_read_on_every_surface(name: tokens.ThemeName, surface: str) -> None:
    ground = tokens.colour_in(name, f"surface.{surface}")

    too_low = {
        role: round(contrast(tokens.colour_in(name, role), ground), 2)
        for role in (*TEXTS, *AGENTS)
        if contrast(tokens.colour_in(name, role), ground) < 4.5
    }

    assert not too_low


@pytest.mark.parametrize("name", tokens.THEMES)
def test_words_on_buttons_and_strips_can_be_read(name: tokens.ThemeName) -> None:
    pairs = [
        ("text.on_accent", "accent.fill"),
        ("text.on_accent", "accent.fill_hover"),
        ("text.link", "state.error_soft"),
        ("text.link", "state.warning_soft"),
        ("text.secondary", "state.warning_soft"),
        *(("text.primary", f"state.{tone}_soft") for tone in ("error", "warning", "success")),
        *((state, f"surface.{surface}") for state in STATES for surface in ("panel", "raised")),
    ]

    too_low = [p for p in pairs if contrast(*(tokens.colour_in(name, role) for role in p)) < 4.5]

    assert not too_low


@pytest.mark.parametrize("name", tokens.THEMES)
def test_words_on_what_is_neither_surface_nor_strip_can_be_read(name: tokens.ThemeName) -> None:
    grounds = {
        "an answer that was cut short": blended(name, "surface.raised", "state.warning_soft", 0.5),
        "a card that is not sent": blended(name, "surface.raised", "surface.canvas", 0.55),
        "what is selected": tokens.colour_in(name, "accent.soft"),
        "what was found": blended(name, "surface.panel", "accent.base", 0.3),
    }
    on_cards = ("text.primary", "text.secondary", "text.muted", *AGENTS)
    pairs = [(ground, role) for ground in list(grounds)[:3] for role in on_cards]
    pairs += [("what was found", role) for role in ("text.primary", "text.secondary")]

    low = [p for p in pairs if contrast(grounds[p[0]], tokens.colour_in(name, p[1])) < 4.5]
    code = [f"code.{kind}" for kind in CODE]
    raised = tokens.colour_in(name, "surface.raised")
    low += [("code", role) for role in code if contrast(raised, tokens.colour_in(name, role)) < 4.5]
    marks = [agent for agent in AGENTS if contrast_of_mark(name, agent) < 4.5]

    assert not low
    assert not marks, "the letter on an agent's mark"


@pytest.mark.parametrize("name", tokens.THEMES)
@pytest.mark.parametrize("tone", ["error", "warning", "success"])
@pytest.mark.parametrize("words", ["text.primary", "text.secondary", "text.muted", "text.link"])
def test_words_of_every_tone_can_be_read_on_every_strip(
    name: tokens.ThemeName, tone: str, words: str
) -> None:
    strip = tokens.colour_in(name, f"state.{tone}_soft")

    assert contrast(tokens.colour_in(name, words), strip) >= 4.5
    assert contrast(tokens.colour_in(name, f"state.{tone}"), strip) >= 4.5
    assert contrast(tokens.colour_in(name, "accent.focus"), strip) >= 3


@pytest.mark.parametrize("name", tokens.THEMES)
@pytest.mark.parametrize("kind", [QLineEdit, QPlainTextEdit, QTextEdit])
def test_what_an_empty_field_says_can_be_read_as_it_is_drawn(
    name: tokens.ThemeName, kind: type[QLineEdit | QPlainTextEdit | QTextEdit], qtbot: QtBot
) -> None:
    theme.apply(application(), name)
    field = kind()
    qtbot.addWidget(field)
    field.ensurePolished()

    drawn = field.palette().color(QPalette.ColorRole.PlaceholderText)

    assert drawn.alpha() == 255
    assert contrast(drawn, tokens.colour_in(name, "surface.raised")) >= 4.5


@pytest.mark.parametrize("name", tokens.THEMES)
@pytest.mark.parametrize("agent", AGENTS)
def test_prose_of_a_model_can_be_read(name: tokens.ThemeName, agent: str) -> None:
    share = tokens.metric(f"authorship.prose_mix_{name}")
    prose = blended(name, agent, "text.primary", share)

    assert contrast(prose, tokens.colour_in(name, "surface.panel")) >= 4.5


@pytest.mark.parametrize("name", tokens.THEMES)
def test_the_focus_of_a_filled_button_is_a_light_line_in_it(name: tokens.ThemeName) -> None:
    line = tokens.colour_in(name, "text.on_accent")

    assert contrast(line, tokens.colour_in(name, "accent.fill")) >= 3


@pytest.mark.parametrize("name", tokens.THEMES)
@pytest.mark.parametrize("make", [QCheckBox, QRadioButton])
def test_a_box_that_is_on_has_a_ring_while_it_has_the_keyboard(
    name: tokens.ThemeName, make: type[QAbstractButton], qapp: QApplication, qtbot: QtBot
) -> None:
    theme.apply(qapp, name)
    ground = QWidget()
    qtbot.addWidget(ground)
    box, other = make(ground), QPushButton(ground)
    other.move(0, 60)
    box.setCheckable(True)
    box.setChecked(True)
    show_active(qtbot, ground)
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)

    picture = box.grab().toImage()

    ring = tokens.colour_in(name, "accent.focus").rgb()
    middle = [picture.pixel(x, picture.height() // 2) for x in range(picture.width())]
    assert middle.count(ring) >= 2, "a line of two pixels at the left"


def blended(name: tokens.ThemeName, role: str, towards: str, share: float) -> QColor:
    """A colour mixed towards another one by 0…1."""
    a, b = tokens.colour_in(name, role), tokens.colour_in(name, towards)
    ends = ((a.redF(), b.redF()), (a.greenF(), b.greenF()), (a.blueF(), b.blueF()))
    return QColor.fromRgbF(*(x + (y - x) * share for x, y in ends))


def contrast_of_mark(name: tokens.ThemeName, agent: str) -> float:
    ground = blended(name, "surface.panel", agent, FILL)
    return contrast(tokens.colour_in(name, "text.primary"), ground)


@pytest.mark.parametrize("name", tokens.THEMES)
@pytest.mark.parametrize("surface", SURFACES)
def test_edges_of_fields_and_the_focus_can_be_seen(name: tokens.ThemeName, surface: str) -> None:
    ground = tokens.colour_in(name, f"surface.{surface}")

    assert contrast(tokens.colour_in(name, "border.strong"), ground) >= 3
    assert contrast(tokens.colour_in(name, "accent.focus"), ground) >= 3


def test_both_themes_have_the_same_roles() -> None:
    dark, light = tokens.token("dark"), tokens.token("light")
    assert isinstance(dark, dict)
    assert isinstance(light, dict)

    assert {g: set(dark[g]) for g in dark} == {g: set(light[g]) for g in light}


def test_a_model_keeps_its_tint_and_the_writer_is_ink() -> None:
    assert theme.agent_role(Agent("x", "You", "human", colour="a3")) == "agent.human"
    assert theme.agent_role(Agent("x", "Smol", "model", colour="a2")) == "agent.a2"
    unset = Agent("01ARZ3NDEKTSV4RRFFQ69G5FAV", "GPT", "model")
    assert theme.agent_role(unset) == theme.agent_role(unset)
    assert theme.agent_role(Agent("x", "Foreign", "model", colour="#ff0000")) in AGENTS
    assert theme.agent_role(None) == "agent.human"


@pytest.mark.parametrize(
    ("type_name", "family"),
    [("ui", "Inter"), ("prose", "Source Serif 4"), ("mono", "JetBrains Mono")],
)
def test_the_bundled_fonts_are_used(qapp: QApplication, type_name: str, family: str) -> None:
    theme.apply(application(), "dark")

    assert QFontInfo(theme.font(type_name)).family() == family


def test_figures_have_one_width(qapp: QApplication) -> None:
    theme.apply(application(), "dark")
    metrics = QFontMetricsF(theme.numbers("small"))

    assert metrics.horizontalAdvance("1111") == metrics.horizontalAdvance("8080")


def test_every_icon_is_a_drawing_that_takes_a_colour(qapp: QApplication) -> None:
    names = [file.stem for file in sorted(places.resource("icons").glob("*.svg"))]

    for name in names:
        image = theme.pixmap(name, "state.error", 16, 4.0).toImage()
        assert image.size() == QSize(64, 64)
        assert all(is_nearly(QColor(tint), tokens.colour("state.error")) for tint in tints(image)), name
    assert len(names) >= 40
    modules = "".join(
        path.read_text(encoding="utf-8") for path in Path(loomapp.__file__).parent.rglob("*.py")
    )
    assert [name for name in names if f'"{name}"' not in modules] == [], "drawings that nothing shows"
    for name, _, _ in CONTROL_ICONS.values():
        assert drawing(name)


def is_nearly(one: QColor, other: QColor) -> bool:
    """Tell whether colours differ by at most a rounding: Qt's blending rounds otherwise on some machines."""
    apart = (one.red() - other.red(), one.green() - other.green(), one.blue() - other.blue())
    return all(abs(channel) <= 1 for channel in apart)


def tints(image: QImage) -> set[str]:
    """The colours of the opaque pixels."""
    places_ = ((x, y) for x in range(image.width()) for y in range(image.height()))
    pixels = (image.pixelColor(x, y) for x, y in places_)
    return {QColor(p.red(), p.green(), p.blue()).name() for p in pixels if p.alpha() == 255}


def test_a_new_theme_repaints_widgets_and_their_icons(qtbot: QtBot) -> None:
    theme.apply(application(), "light")
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    button = QPushButton(theme.icon("plus", "text.primary"), "New", window)
    column.addWidget(button)
    column.addWidget(QLabel("words", window))
    show_active(qtbot, window)
    before = window.grab().toImage()

    theme.apply(application(), "dark")

    after = window.grab().toImage()
    assert theme.current_name() == "dark"
    assert before.pixelColor(2, 2) == tokens.colour_in("light", "surface.window")
    assert after.pixelColor(2, 2) == tokens.colour_in("dark", "surface.window")
    drawn = button.icon().pixmap(QSize(64, 64), 1.0).toImage()
    assert tokens.colour_in("dark", "text.primary").name() in tints(drawn)


def test_system_follows_the_desktop_and_unknown_is_light(qtbot: QtBot) -> None:
    theme.apply(application(), "system")

    known = QGuiApplication.styleHints().colorScheme()
    assert theme.current_name() == ("dark" if known == Qt.ColorScheme.Dark else "light")


def test_an_unknown_token_is_an_error_with_its_name() -> None:
    with pytest.raises(KeyError, match=r"surface\.cavnas"):
        tokens.colour("surface.cavnas")


def test_every_type_names_what_draws_chinese_and_emoji_on_each_system() -> None:
    for kind in ("ui", "prose", "mono"):
        families = theme.font(kind).families()
        assert {"Noto Color Emoji", "Apple Color Emoji", "Segoe UI Emoji"} <= set(families)
        assert any("CJK" in family for family in families)
        assert families.index("Noto Color Emoji") > 2, "the bundled face comes first"


def light_window(qapp: QApplication, qtbot: QtBot) -> QWidget:
    """An empty one, not shown yet, in the light theme."""
    theme.apply(qapp, "light")
    window = QWidget()
    qtbot.addWidget(window)
    return window


def test_what_was_hidden_wears_the_theme_of_the_day_when_it_is_shown(
    qtbot: QtBot, qapp: QApplication
) -> None:
    window = light_window(qapp, qtbot)
    shown, never, hidden = (QLabel("words", window) for _ in range(3))
    for label in (shown, never, hidden):
        theme.set_look(label, tone="muted")
    never.hide()
    window.show()
    hidden.hide()

    theme.apply(qapp, "dark")

    never.show()
    hidden.show()
    muted = theme.colour("text.muted").name()
    assert [label.palette().windowText().color().name() for label in (shown, never, hidden)] == [muted] * 3
    theme.set_look(never, tone="error")
    assert never.palette().windowText().color() == theme.colour("state.error")
    theme.apply(qapp, "light")


@pytest.mark.parametrize("kind", ["caption", "small", "ui", "ui_strong", "dialogue", "title", "mono"])
def test_what_was_written_is_drawn_character_by_character(qapp: QApplication, kind: str) -> None:
    theme.apply(qapp, "light")
    for font in (theme.font(kind), theme.numbers(kind) if kind != "mono" else theme.font(kind)):
        for words in ("->", "=>", "!=", "...", "--"):
            assert glyphs(font, words) == [glyph for letter in words for glyph in glyphs(font, letter)]


def glyphs(font: QFont, words: str) -> list[int]:
    """What is drawn for words in a font."""
    layout = QTextLayout(words, font)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return [glyph for run in layout.glyphRuns() for glyph in run.glyphIndexes()]


class PaintedButton(QPushButton):
    painted = ""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.painted = self.text()


def test_a_change_comes_in_turns_and_is_seen_when_it_is_whole(qapp: QApplication, qtbot: QtBot) -> None:
    window = light_window(qapp, qtbot)
    column = QVBoxLayout(window)
    button = QPushButton("Words", window)
    theme.set_look(button, kind="primary")
    column.addWidget(button)
    show_active(qtbot, window)
    before, sheet = window.grab().toImage(), qapp.styleSheet()

    theme.change(qapp, "dark")
    assert theme.current_name() == "dark"
    assert qapp.styleSheet() == sheet
    assert not window.updatesEnabled()
    qtbot.waitUntil(window.updatesEnabled)

    in_turns = window.grab().toImage()
    assert in_turns != before
    theme.apply(qapp, "light")
    assert window.grab().toImage() == before
    theme.apply(qapp, "dark")
    assert window.grab().toImage() == in_turns


def test_a_window_that_was_to_be_painted_before_a_change_is_painted_after_it(
    qapp: QApplication, qtbot: QtBot
) -> None:
    window = light_window(qapp, qtbot)
    button = PaintedButton("Words", window)
    QVBoxLayout(window).addWidget(button)
    show_active(qtbot, window)
    qtbot.waitUntil(lambda: button.painted == "Words")

    window.update()
    theme.change(qapp, "dark")
    qtbot.waitUntil(window.updatesEnabled)
    button.setText("Word")

    qtbot.waitUntil(lambda: button.painted == "Word")


def test_a_change_of_mind_midway_ends_in_what_was_chosen_last(qapp: QApplication, qtbot: QtBot) -> None:
    window = light_window(qapp, qtbot)
    show_active(qtbot, window)
    sheet = qapp.styleSheet()

    theme.change(qapp, "dark")
    theme.change(qapp, "light")
    qtbot.waitUntil(window.updatesEnabled)
    assert (theme.current_name(), qapp.styleSheet()) == ("light", sheet)

    theme.change(qapp, "dark")
    theme.apply(qapp, "light")
    assert (theme.current_name(), qapp.styleSheet()) == ("light", sheet)
    assert window.updatesEnabled()


def test_what_is_not_seen_changes_as_if_it_had_changed_at_once(qapp: QApplication, qtbot: QtBot) -> None:
    window = light_window(qapp, qtbot)
    pages = QStackedWidget(window)
    QVBoxLayout(window).addWidget(pages)
    seen, unseen = (page_of_fields(pages) for _ in range(2))
    show_active(qtbot, window)
    pages.setCurrentWidget(unseen)
    pages.setCurrentWidget(seen)
    sheet = qapp.styleSheet()

    theme.change(qapp, "dark")
    qtbot.waitUntil(window.updatesEnabled)

    assert qapp.styleSheet() != sheet
    in_turns = looks_of(unseen)
    assert in_turns == looks_of(seen)
    theme.apply(qapp, "light")
    theme.apply(qapp, "dark")
    assert looks_of(unseen) == in_turns
    theme.set_look(unseen.findChildren(QLabel)[0], tone="")
    theme.set_look(seen.findChildren(QLabel)[0], tone="")
    assert looks_of(unseen) == looks_of(seen), "nothing of an earlier sheet is left in it"


def page_of_fields(pages: QStackedWidget) -> QWidget:
    """A page of a stack with one of each kind."""
    page = QWidget(pages)
    column = QVBoxLayout(page)
    label, button, field = QLabel("words"), QPushButton("Words"), QLineEdit("words")
    theme.set_look(label, tone="error")
    theme.set_look(button, kind="primary")
    for widget in (label, button, field, QPlainTextEdit("words")):
        column.addWidget(widget)
    pages.addWidget(page)
    return page


def looks_of(page: QWidget) -> list[object]:
    """What a theme gives each widget of a page."""
    roles = (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.Base)
    return [
        (type(w), [w.palette().color(r).name() for r in roles], w.font().key(), w.sizeHint(), w.minimumSize())
        for w in page.findChildren(QWidget)
        if w.objectName() != "qt_scrollarea_viewport"
    ]
