"""The command palette: every action, tree, bookmark and text of the grove, by keyboard and mouse.

An ordinary run takes the most telling of these tests; the others are marked `slow`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QListView
from pytestqt.qtbot import QtBot

from loomapp.core.action_table import ACTIONS_BY_MENU, SYNONYMS
from loomapp.core.edits import edit_context, node_edits, node_marks, tree_edits
from loomapp.core.errors import GroveError
from loomapp.core.model.content import Text
from loomapp.core.model.entities import LoomTree, Node
from loomapp.core.model.tree import Tree
from loomapp.core.progress import Progress
from loomapp.core.settings.registry import FIELDS
from loomapp.core.settings.registry import SYNONYMS as OF_SETTINGS
from loomapp.store.grove.open import create_grove
from loomapp.ui.actions.registry import ACTIONS
from loomapp.ui.commands.palette import facts, settings
from loomapp.ui.palette.entries import ENTRY_ROLE, ROW_PX, PaletteEntry, PaletteRows, best
from loomapp.ui.palette.palette import PaletteSource
from loomapp.ui.palette.text_search import NodeSearch
from loomapp.ui.window.main_window import MainWindow
from tests.kit.desktop import Pointer
from tests.kit.find import find
from tests.kit.ids import counted_ids
from tests.kit.windows import open_window


@pytest.fixture
def grove(tmp_path: Path) -> Path:
    """Two trees; in the first a bookmark."""
    path = tmp_path / "g.loom"
    with create_grove(path) as grove:
        pen = edit_context.EditContext(grove.owner.id, 1_790_000_000_000, counted_ids())
        for title, text in (("Marie study", "Who keeps the light?"), ("The Salt Road", "It rained.")):
            tree = tree_edits.new_tree("dialogue", title, pen, text=text)
            grove.add_tree(tree, [grove.owner])
            tree = grove.load_tree(tree.loom.id)
            grove.commit(tree, node_edits.add_node(tree, tree.root_id, f"Below {title}", pen))
        marie = grove.load_tree(grove.trees()[0].id)
        change = node_marks.bookmark(marie, marie.root_id, "The keeper", pen)
        assert change is not None
        grove.commit(marie, change)
    return path


def rows(window: MainWindow) -> list[str]:
    model = find(window.palette_box, QListView, "commandPaletteRows").model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def spoken(window: MainWindow, row: int) -> str:
    model = find(window.palette_box, QListView, "commandPaletteRows").model()
    return str(model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole))


def entry_of(window: MainWindow, row: int) -> PaletteEntry:
    entry = find(window.palette_box, QListView, "commandPaletteRows").model().index(row, 0).data(ENTRY_ROLE)
    assert isinstance(entry, PaletteEntry)
    return entry


def typed(window: MainWindow, pointer: Pointer, text: str) -> None:
    pointer.key("ctrl+p")
    pointer.type_ascii(text)


def test_keys_open_it_arrows_choose_and_enter_runs(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        typed(window, pointer, "show deleted")
        qtbot.waitUntil(lambda: rows(window)[:1] == ["Show deleted"])

        pointer.key("Return")

        qtbot.waitUntil(lambda: window.display.is_showing_pruned)
        assert not window.palette_box.isVisible()
        assert window.composer.field.hasFocus()


def test_a_click_into_the_header_opens_it_and_a_click_chooses(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        pointer.click(window.header.search)
        qtbot.waitUntil(window.palette_box.isVisible)
        pointer.type_ascii("salt")
        qtbot.waitUntil(lambda: rows(window)[:1] == ["The Salt Road"])
        view = find(window.palette_box, QListView, "commandPaletteRows")

        pointer.click(view.viewport(), QPoint(80, ROW_PX // 2))

        qtbot.waitUntil(lambda: window.document.tree.loom.title == "The Salt Road")


def test_bookmarks_and_texts_lead_to_their_nodes(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        typed(window, pointer, "keeper")
        qtbot.waitUntil(lambda: rows(window)[:1] == ["The keeper"])
        pointer.key("Return")
        qtbot.waitUntil(lambda: window.document.current_id == window.document.tree.root_id)

        typed(window, pointer, "below marie")
        qtbot.waitUntil(lambda: "Below Marie study" in rows(window))
        said = spoken(window, rows(window).index("Below Marie study"))
        assert said.startswith("Below Marie study, You · "), "whose words they are"
        pointer.key("Return")
        qtbot.waitUntil(lambda: window.document.current_id != window.document.tree.root_id)


@pytest.mark.slow
def test_escape_closes_it_and_what_streams_goes_on(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        stopped: list[bool] = []
        window.actions_set.by_name["stop"].triggered.connect(stopped.append)
        typed(window, pointer, "x")

        pointer.key("Escape")

        qtbot.waitUntil(lambda: not window.palette_box.isVisible())
        assert stopped == []
        assert window.composer.text == ""


def test_every_action_is_there_and_says_why_it_cannot_be_done(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        typed(window, pointer, ">")
        view = find(window.palette_box, QListView, "commandPaletteRows")
        qtbot.waitUntil(lambda: "Undo" in rows(window))
        assert len(rows(window)) == len(ACTIONS) - 2  # all but the palette's own
        model = view.model()
        assert isinstance(model, PaletteRows)
        disabled = [e for i in range(model.rowCount()) if (e := model.index(i, 0).data(ENTRY_ROLE)).why_not]
        assert "Redo" in [entry.title for entry in disabled]

        pointer.type_ascii("redo")
        qtbot.waitUntil(lambda: rows(window)[:1] == ["Redo"])
        pointer.key("Return")

        assert find(window.palette_box, QLabel, "commandPaletteSays").text() == "There is nothing to redo."
        assert window.palette_box.isVisible()
        spoken = model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
        assert spoken == "Redo, Edit, Ctrl+Shift+Z, not now: There is nothing to redo."


@pytest.mark.slow
def test_what_can_be_done_comes_first_but_a_commands_name_is_not_taken_for_another() -> None:
    roof = "What is to be said of a roof, and how we redo it, " * 3  # the longer, the worse it matches
    entries = [
        PaletteEntry("action", "redo", "Redo", why_not="There is nothing to redo."),
        PaletteEntry("action", "deep", "Go deeper", why_not="Nothing is deeper."),
        PaletteEntry("action", "out", "Read out loud"),
        PaletteEntry("tree", "roof", roof),
    ]

    assert [entry.title for entry in best(entries, "redo")] == [
        roof,
        "Redo",
        "Read out loud",
    ]
    assert [entry.title for entry in best(entries, "re")] == [
        "Read out loud",
        roof,
        "Redo",
    ]


@pytest.mark.slow
def test_a_text_that_is_found_stands_before_what_cannot_be_done(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        document.commit(
            node_edits.add_node(document.tree, document.tree.root_id, "We redo it.", document.pen())
        )
        document.place.set_current(document.tree.root_id)

        typed(window, pointer, "redo")
        qtbot.waitUntil(lambda: rows(window)[:2] == ["We redo it.", "Redo"])
        assert find(window.palette_box, QListView, "commandPaletteRows").currentIndex().row() == 0
        pointer.key("Return")

        qtbot.waitUntil(lambda: document.tree.nodes[document.current_id].text == "We redo it.")


def test_a_large_tree_is_looked_through_in_slices(qtbot: QtBot, qapp: QApplication) -> None:
    older = Node("older", "OLDER", Text("The needle, once"), "human")
    first = Node("first", "FIRST", Text("The   needle"), "human", edited_from="older")
    nodes = [Node(f"n{i}", f"L{i}", Text("hay " * 20), "human") for i in range(100_000)]
    tree = Tree(LoomTree("t", "Hay", "dialogue", "first"), nodes=[older, first, *nodes])
    search = NodeSearch(qapp)
    found: list[str] = []
    turns: list[int] = []
    search.found.connect(lambda hits: found.extend(node.id for node, *_ in hits))
    search._timer.timeout.connect(lambda: turns.append(1))

    with qtbot.waitSignal(search.ended) as ended:
        search.start(tree, "Needle THE")

    assert found == [first.id], "of two versions that hold it the newer one"
    assert ended.args == [False]
    assert len(turns) > 3  # the window had its turn in between
    search.deleteLater()


@pytest.mark.slow
def test_typing_on_forgets_what_was_looked_for(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        typed(window, pointer, "below")
        qtbot.waitUntil(lambda: "Below Marie study" in rows(window))
        field = find(window.palette_box, QLineEdit, "commandPaletteField")

        field.setText("below nothing")

        qtbot.waitUntil(lambda: rows(window) == [])
        qtbot.waitUntil(lambda: "Nothing" in find(window.palette_box, QLabel, "commandPaletteSays").text())


@pytest.mark.slow
def test_texts_and_bookmarks_of_other_trees_are_found_and_lead_there(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        change = node_marks.bookmark(document.tree, document.tree.root_id, "Lamp oil", document.pen())
        assert change is not None
        document.commit(change)
        document.open_tree(document.trees.rows()[1].id)
        assert document.tree.loom.title == "The Salt Road"

        typed(window, pointer, "keeps the")
        qtbot.waitUntil(lambda: rows(window) == ["Who keeps the light?"])
        assert spoken(window, 0) == "Who keeps the light?, Marie study"
        pointer.key("Return")
        qtbot.waitUntil(lambda: document.tree.loom.title == "Marie study")
        assert document.tree.nodes[document.current_id].text == "Who keeps the light?"

        document.open_tree(document.trees.rows()[1].id)
        typed(window, pointer, "lamp oil")
        qtbot.waitUntil(lambda: rows(window) == ["Lamp oil"])
        assert spoken(window, 0) == "Lamp oil, bookmark · Marie study"
        pointer.key("Return")
        qtbot.waitUntil(lambda: document.tree.loom.title == "Marie study")
        assert document.current_id == document.tree.root_id


@pytest.mark.slow
def test_texts_stand_by_how_well_they_hold_the_words_then_the_open_trees_then_the_newest(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        ahead = (
            "Whisper ladder: here",
            "A\nwhisper  ladder, old",
            "A whisper ladder, new",
            "Ladder, whisper",
        )
        beyond = ("Whisper ladder: there", "Ladder of a whisper")
        for tree, texts in zip(reversed(document.trees.rows()), (beyond, ahead), strict=True):
            document.open_tree(tree.id)
            for text in texts:
                document.commit(
                    node_edits.add_node(document.tree, document.tree.root_id, text, document.pen())
                )
        window.palette_box._search._patience.setInterval(600_000)

        typed(window, pointer, "whisper ladder")

        qtbot.waitUntil(lambda: len(rows(window)) == 6)
        assert rows(window) == [
            "Whisper ladder: here",
            "Whisper ladder: there",
            "A whisper ladder, new",
            "A whisper ladder, old",
            "Ladder, whisper",
            "Ladder of a whisper",
        ]
        assert spoken(window, 5) == "Ladder of a whisper, The Salt Road"
        for row in (3, 5):  # one of each tree
            entry, wanted = entry_of(window, row), ("whisper", "ladder")
            stands_out = "".join(entry.title[at] for at in entry.places).casefold()
            assert stands_out in ("".join(wanted), "".join(reversed(wanted)))


@pytest.mark.slow
def test_what_comes_later_leaves_what_is_chosen_where_it_is(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        typed(window, pointer, "study")
        qtbot.waitUntil(lambda: rows(window) == ["Marie study", "Below Marie study"])
        view = find(window.palette_box, QListView, "commandPaletteRows")
        window.palette_box.on_found([PaletteEntry("node", "x", "words apart", place=6)])
        pointer.key("Down")
        qtbot.waitUntil(lambda: view.currentIndex().row() == 1)

        window.palette_box.on_found(
            [PaletteEntry("node", "y", "better", place=2), PaletteEntry("node", "z", "good", place=3)]
        )

        assert rows(window) == ["Marie study", "Below Marie study", "better", "good", "words apart"]
        assert view.currentIndex().row() == 1


@pytest.mark.slow
def test_where_nothing_matches_the_next_step_is_named(grove: Path, qtbot: QtBot, pointer: Pointer) -> None:
    with open_window(grove, qtbot) as window:
        says = find(window.palette_box, QLabel, "commandPaletteSays")
        typed(window, pointer, "albatross")
        qtbot.waitUntil(lambda: says.text().endswith("“Show deleted” finds what was deleted."))
        assert says.text().startswith("Nothing in this grove matches. Fewer words find more")
        window.display.set_show_pruned(True)

        pointer.key("ctrl+p", "ctrl+p")
        pointer.type_ascii("albatross")
        qtbot.waitUntil(lambda: says.text().endswith("> looks through commands only."))
        pointer.key("ctrl+a")
        pointer.type_ascii(">albatross")

        qtbot.waitUntil(lambda: "Without >" in says.text())


@pytest.mark.slow
def test_why_other_trees_cannot_be_read_is_told_and_this_one_is_looked_through(
    grove: Path, qtbot: QtBot
) -> None:
    def look(_query: str, _progress: Progress) -> tuple[list[PaletteEntry], bool]:
        raise GroveError("busy", "The file is held by another program.")

    with open_window(grove, qtbot) as window:
        window.palette_box.open(PaletteSource((), window.document.tree, look, "Nothing."), "keeps")

        says = find(window.palette_box, QLabel, "commandPaletteSays")
        qtbot.waitUntil(lambda: says.text() == "The file is held by another program.")
        assert rows(window) == ["Who keeps the light?"]


@pytest.mark.slow
def test_enter_before_anything_is_found_takes_the_first_that_comes(
    grove: Path, qtbot: QtBot, pointer: Pointer
) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        typed(window, pointer, "keeps the")
        document.place.set_current(
            next(i for i, n in document.tree.nodes.items() if n.text == "Below Marie study")
        )
        window.palette_box.on_typed()
        assert rows(window) == []

        window.palette_box.on_key(Qt.Key.Key_Return)

        qtbot.waitUntil(lambda: not window.palette_box.isVisible())
        assert document.tree.nodes[document.current_id].text == "Who keeps the light?"


def test_an_agent_is_found_by_its_name_and_choosing_it_opens_its_page(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        agent = window.document.agents.models()[0]
        window.actions_set.by_name["commandPaletteAction"].trigger()
        find(window.palette_box, QLineEdit, "commandPaletteField").setText(agent.name)
        assert (rows(window)[0], entry_of(window, 0).where) == (agent.name, "agent")

        window.palette_box.on_key(Qt.Key.Key_Return)

        assert find(window, QLineEdit, "agentName").isVisible()
        assert find(window, QLineEdit, "agentName").text() == agent.name


def test_the_found_words_of_an_excluded_message_are_unfolded(grove: Path, qtbot: QtBot) -> None:
    with open_window(grove, qtbot) as window:
        document = window.document
        text = "It was left out.\n\n" + "The rain went on.\n\n" * 60 + "\n\nA heron stood there."
        pen = document.pen()
        document.commit(node_edits.add_node(document.tree, document.current_id, text, pen))
        node_id = next(node.id for node in document.tree.nodes.values() if node.text == text)
        document.commit(node_marks.exclude(document.tree, [node_id], pen))
        window.actions_set.by_name["commandPaletteAction"].trigger()
        find(window.palette_box, QLineEdit, "commandPaletteField").setText("heron")
        qtbot.waitUntil(lambda: len(rows(window)) == 1)

        window.palette_box.on_key(Qt.Key.Key_Return)

        message = window.text_pane.dialogue.message(node_id)
        assert message is not None
        assert "A heron stood there." in message.body.document().toPlainText()
        assert not message.body.isHidden()


def test_an_action_is_found_by_the_word_that_other_programs_have_for_it() -> None:
    entries = [
        PaletteEntry("action", entry.name, entry.title, menu, synonyms=SYNONYMS.get(entry.name, ()))
        for menu, of_menu in ACTIONS_BY_MENU.items()
        for entry in of_menu
    ]

    [first, *_] = best(entries, "swipe")
    assert (first.key, first.where) == ("generateSiblings", "Generate · swipe")
    assert best(entries, ">Remove")[0].key == "prune"
    assert best(entries, "delete b")[0].key == best(entries, "del")[0].key == "prune"
    assert set(SYNONYMS) <= {entry.key for entry in entries}
    assert set(OF_SETTINGS) <= set(FIELDS)
    offered = [*entries, *settings(), *facts()]
    for words, wanted in LOOKED_FOR.items():
        assert best(offered, words)[0].key.startswith(wanted), words
    assert not {"setting", "told"} & {entry.kind for entry in best(offered, ">")}
    assert all(word == word.casefold() for words in SYNONYMS.values() for word in words)


# What people of other programs type, and the beginning of the key of the first row that they get.
LOOKED_FOR = {
    "larger": "zoomIn",
    "text size": "zoomIn",
    "bigger": "zoomIn",
    "font": "prose_font",
    "what is kept": "contextInspector",
    "room for": "token_buffer",
    "zoom": "zoomIn",
    "regenerate": "generateSiblings",
    "rename": "treeSettings",
    "delete chat": "To put a tree away",
    "system prompt": "treeSettings",
    "temperature": "agents",
    "model": "agents",
    "ghost": "ghost_preview",
    "switch model": "Who is asked",
    "api key": "endpoints",
    "cost": "usage",
    "price": "usage",
    "history": "history",
    "export": "exportTree",
    "share": "exportTree",
    "dark mode": "toggleTheme",
    "language": "spelling",
    "shortcuts": "showKeys",
    "spelling": "spelling",
    "word count": "The words of a buffer",
    "fullscreen": "focusMode",
    "print": "exportTree",
    "save as": "exportTree",
    "undo": "undo",
    "notes": "annotate",
    "chapters": "focusOutline",
    "versions": "previousVersion",
}
