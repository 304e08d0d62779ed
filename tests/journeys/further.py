"""What else is done in a window on a large grove: a second tour, each step watched as in the first."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QListView, QMenu, QTabBar, QToolButton

from loomapp.ui.inspector.pane import CONTEXT, HISTORY, NODE, PROVENANCE, SOURCES
from tests.journeys.tour import Tour
from tests.kit.find import find
from tests.kit.windows import card

MANY = 500  # nodes of a branch that is excluded, at most


class FurtherTour(Tour):
    """Marks, the inspector's pages, trying things, finding, looks."""

    def walk(self) -> None:
        """Everything, in an order in which each step finds what it needs."""
        self.window.preferences.put("ask_above_tokens", 10**9)  # a long path may fill the model's window
        self.write_on()
        self.ask()
        self.mark()
        self.look_into_the_inspector()
        self.ask_what_was_sent()
        self.try_another_context()
        self.find_words()
        self.search()
        self.attach()
        self.hang_by_words()
        self.write_a_note()
        self.compare()
        self.walk_versions()
        self.fold_the_trunk()
        self.leave_many_out()
        self.look_otherwise()

    def act(self, name: str) -> None:
        """Trigger an action as a menu does."""
        self.window.actions_set.refresh()
        action = self.window.actions_set.by_name[name]
        assert action.isEnabled(), f"{name} can be done"
        action.trigger()

    def ask(self) -> None:
        """An answer of which it is known what it was sent; no step."""
        document, known = self.document, len(self.document.tree.nodes)
        self.window.composer.set_count(2)
        self.window.composer.set_text("And the tide?")
        self.act("generate")
        self.until(lambda: len(document.tree.nodes) == known + 3)
        self.until(lambda: not self.window.generator.is_streaming())
        self.dog.settle()

    def mark(self) -> None:
        node_id, tree = self.document.path_ids[-3], self.document.tree
        self.document.place.set_current(node_id)
        field = find(self.window, QLineEdit, "commandPaletteField")
        with self.dog.during("tag by key"):
            self.keys("ctrl+1", "t")
            self.until(field.hasFocus)
            self.pointer.type_ascii("lamp")
            self.keys("Return")
            self.until(lambda: bool(tree.tags))
        with self.dog.during("leave a branch out by key"):
            self.keys("ctrl+1", "shift+x")
            self.until(lambda: self._node(node_id).metadata.excluded)
        self._undo_and_redo("leave a branch out")
        self._undo("leave a branch out again")
        first = self.document.path_ids[1]
        self.document.place.set_current(first)
        with self.dog.during("exclude the first message"):
            self.keys("x")
            self.until(lambda: self._node(first).metadata.excluded)
        self._undo_and_redo("exclude the first message")
        self._undo("exclude the first message again")
        self.document.place.set_current(self.document.path_ids[-1])

    # The inspector

    def look_into_the_inspector(self) -> None:
        tabs = find(self.window, QTabBar, "inspectorTabs")
        self.window.bring_inspector()
        pages = {NODE: "node", SOURCES: "sources", PROVENANCE: "provenance", HISTORY: "history"}
        for tab, name in (*pages.items(), (CONTEXT, "context")):
            with self.dog.during(f"show the {name} page"):
                self.pointer.click(tabs, tabs.tabRect(tab).center())
                self.until(lambda tab=tab: tabs.currentIndex() == tab)  # type: ignore[misc]
            if tab in pages:
                with self.dog.during(f"another node on the {name} page"):
                    self.document.place.set_current(self.document.path_ids[-2])
                    self.document.place.set_current(self.document.path_ids[-1])
        rows = self.window.inspector.context.rows
        with self.dog.during("scroll the context"):
            for place in (0.0, 0.5, 1.0):
                bar = rows.verticalScrollBar()
                bar.setValue(int(bar.minimum() + (bar.maximum() - bar.minimum()) * place))
        raw = find(self.window.inspector, QToolButton, "rawContextButton")
        with self.dog.during("the context as it is sent"):
            raw.setChecked(True)
        with self.dog.during("type beside the context as it is sent"):
            self.keys("ctrl+2")
            self.pointer.type_ascii("And then? ")
        raw.setChecked(False)
        self.window.composer.set_text("")
        self.dog.settle()
        with self.dog.during("find in the context"):
            self.keys("ctrl+3", "ctrl+f")
            self.pointer.type_ascii("lamp")
        with self.dog.during("leave the context"):
            self.keys("Escape", "ctrl+1")

    def ask_what_was_sent(self) -> None:
        with self.dog.during("what was this sent?"):
            self.act("showSent")
            self.until(lambda: self.window.inspector.context.past is not None)
        with self.dog.during("write while it is shown"):
            self.keys("ctrl+2")
            self.pointer.type_ascii("ab")
        with self.dog.during("bookmark while it is shown"):
            self.keys("ctrl+1", "b")
        with self.dog.during("back to what will be sent"):
            self.act("contextInspector")
        self.window.composer.set_text("")
        self.dog.settle()
        with self.dog.during("difference to the last request"):
            self.act("sinceLast")
        with self.dog.during("leave the difference"):
            self.keys("Escape")
            self.window.pages.show_graph()

    def try_another_context(self) -> None:
        trying = self.window.what_if
        with self.dog.during("try another context"):
            self.act("whatIf")
            self.until(lambda: trying.is_on and len(trying.outcomes) > 1)
        rows, left_out = self.window.inspector.context.rows, self.document.path_ids[-2]
        with self.dog.during("leave a message out of what is tried"):
            self.window.inspector.context.rows.scrollToBottom()
            self.until(lambda: not rows.switch_rect(left_out).isEmpty())
            self.pointer.click(rows.viewport(), rows.switch_rect(left_out).center())
        with self.dog.during("type while something is tried"):
            self.keys("ctrl+2")
            self.pointer.type_ascii("abc")
        with self.dog.during("leave what is tried"):
            self.act("whatIf")
            self.until(lambda: not trying.is_on)
        self.window.composer.set_text("")
        self.dog.settle()

    # Finding

    def find_words(self) -> None:
        field = find(self.window, QLineEdit, "findField")
        with self.dog.during("find in the path"):
            self.keys("ctrl+2", "ctrl+f")
            self.until(field.hasFocus)
            self.pointer.type_ascii("salt")
            self.keys("Return", "Return", "shift+Return")
        with self.dog.during("leave finding"):
            self.keys("Escape", "ctrl+1")

    def search(self) -> None:
        results, leaf = find(self.window, QListView, "searchResults"), self.document.path_ids[-1]
        with self.dog.during("search the grove"):
            self.keys("ctrl+shift+f")
            self.pointer.type_ascii("lamp tide")
            self.until(lambda: results.model().rowCount() > 0)
        with self.dog.during("open what was found"):
            self.keys("Return")
        self.document.place.read(leaf)  # what was found in a wide tree may be right below its root
        self.keys("ctrl+1")
        self.dog.settle()

    def attach(self) -> None:
        pending, leaf = self.window.preview.pending, self.document.path_ids[-1]
        other = self._far_leaf()
        self.document.place.set_current(leaf)
        with self.dog.during("attach as context"):
            pending.attach([other], "context")
        with self.dog.during("attach as instruction"):
            pending.attach([other], "instruction")
        with self.dog.during("detach"):
            pending.clear()
        self.document.place.set_current(leaf)
        self.fit()
        above = self.document.path_ids[-2]
        self.bring(above, leaf)
        with self.dog.during("drag a card onto another"):
            self.pointer.drag((self.port, card(self.window, above)), (self.port, card(self.window, leaf)))
            self.until(lambda: self.window.findChild(QMenu, "attachMenu") is not None)
        find(self.window, QMenu, "attachMenu").close()
        self.dog.settle()

    def hang_by_words(self) -> None:
        self.document.place.set_current(self.document.path_ids[-2])
        field = find(self.window, QLineEdit, "commandPaletteField")
        with self.dog.during("ask where to hang a branch"):
            self.keys("ctrl+1", "m")
            self.until(field.hasFocus)
        with self.dog.during("leave the question where"):
            self.keys("Escape")
        self.document.place.set_current(self.document.path_ids[1])
        with self.dog.during("ask where to hang a large branch"):
            self.keys("ctrl+1", "m")
            self.until(field.hasFocus)
        self.keys("Escape")
        self.document.place.set_current(self.document.path_ids[-1])
        self.dog.settle()

    def write_a_note(self) -> None:
        box = self.window.text_pane.note_box
        with self.dog.during("begin a note"):
            self.act("annotate")
        with self.dog.during("type a note"):
            self.pointer.type_ascii("Not so.")
        node_id = self.document.current_id
        with self.dog.during("keep a note"):
            self.keys("ctrl+Return")
            self.until(lambda: bool(self.document.tree.notes(node_id)))
        assert not box.isVisible()
        note = self.document.tree.notes(node_id)[0]
        self.document.place.set_current(note)
        with self.dog.during("include a note"):
            self.act("includeNote")
        self.document.place.set_current(node_id)

    def compare(self) -> None:
        self.graph.choose(list(self.document.path_ids[-3:]))
        with self.dog.during("compare messages"):
            self.act("compare")
        with self.dog.during("leave comparing"):
            self.keys("Escape")
            self.window.pages.show_graph()
        self.graph.choose([])

    def walk_versions(self) -> None:
        question = next(i for i in reversed(self.document.path_ids) if self._node(i).author_type == "human")
        self.document.place.read_through(question)
        self.document.place.set_current(question)
        known = len(self.document.tree.nodes)
        self.window.dialogue.edit_committed.emit(question, "Another question.")
        self.until(lambda: len(self.document.tree.nodes) == known + 1)
        self.dog.settle()
        for way in ("previousVersion", "nextVersion"):
            with self.dog.during(f"{way} of a message"):
                self.act(way)

    # Looks

    def fold_the_trunk(self) -> None:
        self.document.place.set_current(self.document.path_ids[1])
        with self.dog.during("fold the trunk"):
            self.keys("ctrl+1", "c")
        with self.dog.during("unfold the trunk"):
            self.keys("c")
        with self.dog.during("hoist the trunk"):
            self.keys("h")
        with self.dog.during("unhoist the trunk"):
            self.keys("shift+h")
        self.document.place.set_current(self.document.path_ids[-1])

    def leave_many_out(self) -> None:
        stem = self._stem(MANY)
        self.document.place.set_current(stem)
        with self.dog.during("leave a branch of many out"):
            self.keys("shift+x")
            self.until(lambda: self._node(stem).metadata.excluded)
        self._undo("leave a branch of many out")
        with self.dog.during("show pruned"):
            self.act("showPrunedAction")
        with self.dog.during("hide pruned"):
            self.act("showPrunedAction")

    def look_otherwise(self) -> None:
        for step in ("another theme", "the theme before"):
            with self.dog.during(step):
                self.act("toggleTheme")
        with self.dog.during("hide the side bar"):
            self.keys("F9")
        with self.dog.during("show the side bar"):
            self.keys("F9")
        for step in ("fold the inspector", "unfold the inspector"):
            with self.dog.during(step):
                self.act("foldInspector")
        for step in ("focus mode", "leave focus mode"):
            with self.dog.during(step):
                self.act("focusMode")
        with self.dog.during("open the settings"):
            self.act("settings")
        with self.dog.during("leave the settings"):
            self.window.pages.show_graph()
