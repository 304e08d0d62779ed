"""Markdown is made ready for Qt without losing a word or a line break, and shows nothing but itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QByteArray, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextOption,
)
from PySide6.QtNetwork import QHostAddress, QTcpServer
from PySide6.QtWidgets import QApplication

from loomapp.ui.dialogue.text.code import BELOW_PX
from loomapp.ui.dialogue.text.markdown import for_qt
from loomapp.ui.dialogue.text.node_links import link_nodes
from loomapp.ui.dialogue.text.safe_document import Look, SafeDocument, exact_text, fragments, safe_link
from loomapp.ui.look import theme
from tests.kit.chance import examples


@pytest.fixture(autouse=True)
def _dark(qapp: QApplication) -> None:
    theme.apply(qapp, "dark")


def shown(text: str) -> SafeDocument:
    document = SafeDocument()
    document.show_markdown(text, Look())
    document.setTextWidth(400)
    return document


def whole(document: QTextDocument) -> str:
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    return exact_text(cursor.selection())


def links(document: SafeDocument) -> list[str]:
    formats = (f.charFormat() for block in document.blocks() for f in fragments(block))
    return [style.anchorHref() for style in formats if style.isAnchor()]


@pytest.mark.parametrize(
    "text",
    [
        "<think>a<b</think>",
        "<script>alert(1)</script>",
        "<!-- aside -->",
        "[Marie]: hello",
        "She turned.\n[Marie]: hello",
        ">",
        "<b>bold</b> &lt; &amp;c",
    ],
)
def test_what_looks_like_a_tag_or_a_definition_stays_visible(text: str) -> None:
    assert whole(shown(text)).strip() == text


ENTITIES = "&amp; &lt;b&gt; &nbsp; &#65; &#x41; &copy;"


@pytest.mark.parametrize(
    "text",
    [
        ENTITIES,
        f"One line\nand {ENTITIES}",
        f"# {ENTITIES}",
        f"Words `{ENTITIES}` and {ENTITIES}",
        f"Words ``a ` {ENTITIES}`` and {ENTITIES}",
        f"Words ` alone, {ENTITIES}",
        f"**bold {ENTITIES}**",
        f"> {ENTITIES}",
        f"- one {ENTITIES}\n- two {ENTITIES}\n\n    more {ENTITIES}",
        f"1. one {ENTITIES}\n   more {ENTITIES}",
        f"A paragraph\n    that goes on {ENTITIES}\n    and on {ENTITIES}",
        f"```html\n{ENTITIES}\n```\n\n{ENTITIES}",
        f"Words\n\n    code {ENTITIES}\n    more {ENTITIES}\n\nwords {ENTITIES}",
        f"| a | b |\n|---|---|\n| {ENTITIES} | {ENTITIES} |",
        f"[words {ENTITIES}](https://example.org)",
        "See https://example.org/?a=1&copy;2 there",
        "See <https://example.org/?a=1&amp;b=2> there",
        "& and &; and &# and &nothing and AT&T; and R&D",
        "Written \\&amp; with a backslash",
    ],
)
def test_entities_are_shown_as_they_are_written(text: str) -> None:
    found = whole(shown(text))

    for entity in ("&amp;", "&lt;", "&gt;", "&nbsp;", "&#65;", "&#x41;", "&copy;", "AT&T;"):
        assert found.count(entity) == text.count(entity)
    assert "\\" not in found


def test_a_line_of_a_play_is_no_link_definition() -> None:
    assert whole(shown("She turned.\n\n[Marie]: hello\n\n> [Ines]: yes")) == (
        "She turned.\n[Marie]: hello\n[Ines]: yes"
    )


def test_a_block_that_looks_like_front_matter_stays_visible() -> None:
    assert "title: mine" in whole(shown("---\ntitle: mine\n---\n\nand more"))


def test_single_line_breaks_are_kept() -> None:
    assert whole(shown("Ar-Men, the 3rd\nof November\n\nDear father")) == (
        "Ar-Men, the 3rd\nof November\nDear father"
    )


def test_code_keeps_its_lines_and_its_marks() -> None:
    document = shown("```python\nfor i in x:\n    [a]: b\n```\nafter")

    assert whole(document) == "for i in x:\n    [a]: b\nafter"
    assert [(m.kind, m.first, m.last) for m in document.marks] == [("code", 0, 1)]


def test_lists_and_tables_are_not_run_together() -> None:
    assert whole(shown("- one\n- two\n  more\n\n| a | b |\n|---|---|\n| c | d |")) == (
        "one\ntwo\nmore\na\nb\nc\nd\n"
    )


def test_a_table_stands_clear_of_the_ground_of_code_above_it() -> None:
    document = shown("```\na = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |")

    ground_px = document.span_of(document.marks[0])[1] + BELOW_PX
    cell = document.begin().next()
    assert cell.text() == "a"
    top_px = document.documentLayout().blockBoundingRect(cell).top() - 7  # its padding and line
    assert top_px >= ground_px + 8


def test_every_head_of_a_table_is_bold_also_after_a_quotation() -> None:
    document = shown("> He wrote of oil.\n\n| Day | Oil |\n|---|---|\n| Mon | 3 |")

    weights = {
        block.text(): fragment.charFormat().fontWeight()
        for block in document.blocks()
        for fragment in fragments(block)
    }
    assert weights["Day"] == weights["Oil"] > weights["Mon"]


def test_what_is_bold_is_drawn_in_a_weight_that_the_font_has() -> None:
    """Inter comes along up to 600: a heavier one would be smeared from it."""
    document = shown(
        "See **three** [**links**](https://a.example), *and **more***.\n\n| Day |\n|---|\n| Mon |"
    )

    weights = {
        fragment.text(): fragment.charFormat().fontWeight()
        for block in document.blocks()
        for fragment in fragments(block)
    }
    assert {weights[word] for word in ("three", "links", "more", "Day")} == {QFont.Weight.DemiBold}


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "x.html"]
)
def test_other_addresses_are_no_links(address: str) -> None:
    document = shown(f"see [this]({address}) now")

    assert links(document) == []
    assert whole(document) == "see this now"
    assert safe_link(address) is None


def test_web_and_mail_addresses_are_links() -> None:
    assert links(shown("[a](https://example.org/x) <http://example.org> [m](mailto:a@example.org)")) == [
        "https://example.org/x",
        "http://example.org",
        "mailto:a@example.org",
    ]


def test_an_image_file_is_named_and_not_read(tmp_path: Path) -> None:
    file = tmp_path / "red.png"
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    assert image.save(str(file))
    plain = QTextDocument()
    plain.setMarkdown(f"![door]({file.as_uri()})")

    document = shown(f"![a red door]({file.as_uri()})")
    blank = document.resource(QTextDocument.ResourceType.ImageResource.value, QUrl(file.as_uri()))

    assert whole(document) == "[image: a red door]"
    assert isinstance(blank, QImage)
    assert blank.width() == 1
    # Qt's own document does read it: the test would notice.
    own = plain.resource(QTextDocument.ResourceType.ImageResource.value, QUrl(file.as_uri()))
    assert own is not None


def test_nothing_is_fetched_from_the_net(qapp: QApplication) -> None:
    server = QTcpServer()
    assert server.listen(QHostAddress(QHostAddress.SpecialAddress.LocalHost))
    address = f"http://127.0.0.1:{server.serverPort()}/x.png"

    document = shown(f"![x]({address}) <img src='{address}'> <link rel=stylesheet href='{address}'>")
    document.size()
    qapp.processEvents()

    assert not server.hasPendingConnections()
    style = document.resource(QTextDocument.ResourceType.StyleSheetResource.value, QUrl("file:///etc/hosts"))
    assert not isinstance(style, str | bytes | QByteArray)
    server.close()


def test_a_selection_keeps_non_breaking_spaces() -> None:
    assert whole(shown("10\u00a0000 lamps")) == "10\u00a0000 lamps"


def test_plain_text_is_shown_verbatim() -> None:
    document = SafeDocument()

    document.show_plain("*a*  b\n\n<i>\tc</i>", Look())

    assert whole(document) == "*a*  b\n\n<i>\tc</i>"


def test_very_long_texts_are_shown_as_they_are_written() -> None:
    text = "**a** " * 40_000

    document = SafeDocument()
    document.show_markdown(text, Look())

    assert whole(document) == text


def test_lines_have_the_height_of_the_theme_whatever_the_font() -> None:
    document = shown("one\n\ntwo `code` **three**")

    heights = {block.blockFormat().lineHeight() for block in document.blocks()}

    assert heights == {theme.line_height("dialogue")}


def test_headings_are_set_in_sizes_of_the_theme() -> None:
    document = shown("# The logbook\n\nText")
    style = next(fragments(document.begin())).charFormat()

    assert style.font().pixelSize() == theme.font("title").pixelSize()
    assert not style.hasProperty(QTextFormat.Property.FontSizeAdjustment)


words = st.text(alphabet="abcdefghijklmnop", min_size=1, max_size=8)
pieces = st.one_of(
    words, st.sampled_from(["\n", "\n\n", " ", "> ", "- ", "<", ">", "[", "]:", "`", "*", "# ", "|"])
)


@settings(
    max_examples=examples(300), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.lists(pieces, max_size=30))
def test_no_word_goes_missing(parts: list[str]) -> None:
    text = "".join(parts)

    seen = whole(shown(text))

    letters = [c for c in text if c.isalpha()]
    assert [c for c in seen if c.isalpha()] == letters


def test_the_source_is_changed_only_where_qt_would_lose_something() -> None:
    assert for_qt("a\n\nb") == "\na\n\nb"
    assert for_qt("```py\na\nb\n```") == "\n```1:py\na\nb\n```"  # Qt would join two of one language
    assert for_qt("a\nb") == "\na\u2028b"


def test_a_number_of_two_digits_has_room_before_its_words() -> None:
    document = SafeDocument()

    document.show_markdown("13. The lamp was lit.", Look())

    assert QFontMetricsF(document.defaultFont()).horizontalAdvance("13. ") < document.indentWidth()


def test_an_endless_word_is_broken_anywhere_and_other_texts_between_words() -> None:
    document = shown("x" * 50_000)
    assert document.defaultTextOption().wrapMode() == QTextOption.WrapMode.WrapAnywhere

    document.show_markdown("The lamp was lit.", Look())

    assert document.defaultTextOption().wrapMode() == QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere


def test_nodes_and_documents_that_an_agent_names_are_links_to_them_but_not_in_code() -> None:
    document = shown("See A7X2KQ, *Drafts, compared* and Drafts; Draftsmen.\n\n```\nA7X2KQ Drafts\n```")

    link_nodes(document, {"A7X2KQ": "a", "Drafts": "d", "Drafts, compared": "c"})

    assert links(document) == ["node:a", "node:c", "node:d"]
