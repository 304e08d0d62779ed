"""Messages of a dialogue, and the composer below them: what is asked for there is done."""

from __future__ import annotations

from functools import partial

from loomapp.ui.commands import navigate, node_actions
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.commands.save import save
from loomapp.ui.workbench import Workbench


def wire(bench: Workbench) -> None:
    dialogue, run = bench.views.dialogue, bench.frame.run_command
    dialogue.node_clicked.connect(lambda i: graph_commands.mean(bench, i))
    dialogue.sibling_chosen.connect(lambda i: run(lambda w: w.work.document.place.read_through(i)))
    dialogue.edit_committed.connect(lambda i, text: run(lambda w: save.save_edit(w, i, text)))
    dialogue.retry_asked.connect(lambda i: run(lambda w: node_actions.retry(w, i)))
    dialogue.exclude_asked.connect(lambda i: run(lambda w: node_actions.toggle_excluded_of(w, i)))
    dialogue.exclude_branch_asked.connect(lambda i: run(lambda w: graph_commands.exclude_branch(w, [i])))
    dialogue.note_toggled.connect(lambda i: run(lambda w: node_actions.toggle_note(w, i)))
    dialogue.bookmark_asked.connect(lambda i: run(lambda w: node_actions.toggle_bookmark_of(w, i)))
    dialogue.draft_chosen.connect(bench.work.generator.answers.read_draft)
    dialogue.draft_chosen.connect(bench.views.graph.set_read_draft)
    dialogue.suggestion_chosen.connect(partial(suggest, bench))
    dialogue.link_asked.connect(lambda url: navigate.ask_for_link(bench, url))

    composer, actions = bench.views.composer, bench.actions
    composer.text_changed.connect(partial(_show_composed, bench))
    composer.text_changed.connect(lambda _: actions.refresh())
    composer.generate_asked.connect(actions.by_name["generate"].trigger)
    composer.stop_asked.connect(actions.by_name["stop"].trigger)


def suggest(bench: Workbench, text: str) -> None:
    """Put a suggestion into the composer, to be changed or sent."""
    bench.views.composer.set_text(text)
    bench.views.composer.field.setFocus()


def _show_composed(bench: Workbench, text: str) -> None:
    bench.text.show_composed(text)
