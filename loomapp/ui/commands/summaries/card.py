"""The summary of the path that is read, on its card above the dialogue: edited, made again, deleted."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from loomapp.core.context.summaries import units_from
from loomapp.core.economy.coverage import AnchoredSummary, summaries_on, what_changed
from loomapp.core.summarisers import changes
from loomapp.core.summarisers.plan import placed, plan_at
from loomapp.session.requests.due_summary import economy_of
from loomapp.ui import figures
from loomapp.ui.commands.summaries import conversation
from loomapp.ui.composer.summary_card import ShownSummary, SummaryCard
from loomapp.ui.strings import tr
from loomapp.ui.workbench import Workbench


class PathSummary(QObject):
    """Keeps the card of the deepest summary that is anchored on the path. The card is made when there is one
    first.
    """

    def __init__(self, bench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._bench = bench
        self._card: SummaryCard | None = None
        preview, document = bench.work.preview, bench.work.document
        preview.assembled.connect(self.on_context)
        preview.failed.connect(self.on_context)
        document.leaving.connect(self.save)

    def on_context(self) -> None:
        """Show the summary of the path as it is now."""
        document = self._bench.work.document
        found = summaries_on(document.tree, document.path) if document.has_tree else []
        deepest = found[-1] if found else None
        if deepest is not None:
            self._made().show_summary(self._shown(deepest))
        elif self._card is not None:
            self._card.show_summary(None)

    def save(self) -> None:
        """Save what is being written in the card."""
        if self._card is not None:
            self._card.save()

    def _made(self) -> SummaryCard:
        if self._card is None:
            self._card = SummaryCard(self._bench.views.text_pane)
            self._card.text_left.connect(self.on_text_left)
            self._card.act_asked.connect(self.on_act)
            self._bench.views.text_pane.add_above_dialogue(self._card)
        return self._card

    def _shown(self, summary: AnchoredSummary) -> ShownSummary:
        body = summary.row.body
        count = _number(body.get("messagesSummarized"))
        title = tr("Context summarized ({count} messages)").format(count=count)
        tokens = tr("{before} → {after} tokens")
        facts = tokens.format(
            before=_number(body.get("originalTokens")), after=_number(body.get("summaryTokens"))
        )
        if not summary.is_valid:
            return ShownSummary(summary.row.key, title, self._what_changed(summary), summary.text, True)
        return ShownSummary(summary.row.key, title, self._waits(summary) or facts, summary.text)

    def _what_changed(self, summary: AnchoredSummary) -> str:
        document = self._bench.work.document
        changed = what_changed(document.tree, document.path, summary.row).node_ids
        words = {
            "pruned": tr("{count} pruned"),
            "restored": tr("{count} restored"),
            "excluded": tr("{count} excluded"),
            "included": tr("{count} included"),
            "added": tr("{count} new"),
            "gone": tr("{count} gone"),
        }
        told = [words[cause].format(count=len(ids)) for cause, ids in changed.items() if cause in words]
        said = ", ".join(told) or tr("what it covers was changed")
        return tr("Out of date: {what}. It is not used now: its messages are sent again.").format(what=said)

    def _waits(self, summary: AnchoredSummary) -> str:
        """Say how many messages it waits for; empty if it is used."""
        document = self._bench.work.document
        least = economy_of(document).min_recent_messages
        placing = placed(document.tree, document.path)
        more = least - units_from(placing.passages, placing.part_at(summary.place + 1))
        if more <= 0:
            return ""
        words = tr("Waits: used once {least} messages stand below it, {more} more.")
        return words.format(least=least, more=more)

    def on_text_left(self, key: str, text: str) -> None:
        """Save another text of a summary as one change."""
        document = self._bench.work.document
        if key in document.tree.context_summaries:
            change = changes.edit(document.tree, key, text, document.pen())
            self._bench.frame.run_command(lambda _: document.commit(change, keeps_current=True))

    def on_act(self, key: str, act: str) -> None:
        self._bench.frame.run_command(partial(_act, key=key, act=act))


def _act(bench: Workbench, key: str, act: str) -> None:
    """Make a summary again, use it as it is, or delete it. Raises: LoomError."""
    document = bench.work.document
    row = document.tree.context_summaries.get(key)
    if row is None:
        return
    match act:
        case "again":
            least = economy_of(document).min_recent_messages
            leaf_id = document.path_ids[-1]
            plan = plan_at(document.tree, row.anchor_node_id, least, again=True, leaf_id=leaf_id)
            conversation.start_by_hand(bench, plan)
        case "use":
            change = changes.use_as_it_is(document.tree, document.path, key, document.pen())
            document.commit(change, keeps_current=True)
        case "delete":
            document.commit(changes.delete(document.tree, key, document.pen()), keeps_current=True)


def _number(value: object) -> str:
    return figures.number(value) if isinstance(value, int) else "?"
