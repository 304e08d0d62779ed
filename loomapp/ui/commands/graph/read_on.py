"""Row below a dialogue whose path ends before its branch does: how much follows, and a way on."""

from __future__ import annotations

from PySide6.QtCore import QObject

from loomapp.ui import figures
from loomapp.ui.commands import navigate
from loomapp.ui.composer.new_below import BelowRow
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench


class ReadOn(QObject):
    """Says how many messages follow the last one that is shown, as they were read last."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.views.window)
        self._bench = bench
        self._row = BelowRow("onBelow", tr("Read on"), bench.views.text_pane)
        bench.views.text_pane.add_below_text(self._row)
        self._row.read_asked.connect(
            lambda node_id: bench.frame.run_command(lambda w: navigate.choose_sibling(w, node_id))
        )
        bench.work.document.tree_opened.connect(lambda *_: self.show())
        bench.work.document.tree_changed.connect(lambda *_: self.show())  # another path, too
        self.show()

    def show(self) -> None:
        """Show the row where the path ends at a message that goes on."""
        document = self._bench.work.document
        leaf_id = document.path_ids[-1]
        if not document.has_messages or document.tree.first_living_child(leaf_id) is None:
            self._row.say("", "")
            return
        count = len(document.place.last_read.way_below(leaf_id)) - 1
        words = tr("1 more message follows") if count == 1 else tr("{count} more messages follow")
        self._row.say(words.format(count=figures.number(count)), leaf_id)
