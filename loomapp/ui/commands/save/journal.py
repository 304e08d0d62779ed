"""Keepers of words, wired to the window: the journal, and the watch for changes of other programs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QTimer

from loomapp.core.errors import GroveError, InvalidInput, LoomError
from loomapp.core.generation.answers import CrashedRun
from loomapp.core.model.entities import LoomTree
from loomapp.core.model.tree import Tree
from loomapp.core.sentences import Sentence, worded
from loomapp.session.context.pending_sources import Attached
from loomapp.session.journal.journal import Journal
from loomapp.session.lifetime.backups import Backups, Mirror
from loomapp.session.lifetime.crashes import CrashReport, Fault
from loomapp.session.lifetime.foreign_writes import Watch
from loomapp.session.recovery import BegunText, BehindText, SettingsDraft, value_of
from loomapp.session.window_state import read_left, write_left
from loomapp.ui import figures
from loomapp.ui.commands import on_demand
from loomapp.ui.commands.graph.foreign_writes import ForeignWritesNotice
from loomapp.ui.commands.groves import tell_of_displaced
from loomapp.ui.commands.save.save import is_saved
from loomapp.ui.inspector.node.past_context import setting_words, texts_in
from loomapp.ui.strings import start_of, told, tr
from loomapp.ui.unsaved.unsaved import GROVE, JOURNAL, Offer, Unsaved, is_no_room
from loomapp.ui.widgets.clipboard import copy as copy_words
from loomapp.ui.workbench import Workbench

RECOVERY = "recovery"
SETTINGS_SHOWN = 2  # of those that were changed elsewhere
WORDS_SHOWN = 60  # of an answer that can only be copied


def keep(bench: Workbench, journal: Journal, watch: Watch, backups: Backups, mirror: Mirror) -> None:
    """Journal what is typed and streamed, offer again what the last session left, hear other programs."""
    for part in (journal, watch, backups, mirror):
        bench.frame.keep_until_closed(part)
    bench.unfinished.writings.journal = journal
    grove = bench.work.document.grove
    bench.views.banner.show_notice(told(grove.notice))
    tell_of_displaced(bench)
    grove.mended = partial(_on_mended, bench)
    for part in (journal, watch, backups, mirror):
        part.setParent(bench.views.window)
    journal.failed.connect(partial(_on_journal_failed, bench, journal))
    journal.fault_ended.connect(partial(bench.unfinished.unsaved.drop, JOURNAL))
    journal.recovery_failed.connect(partial(_on_recovery_failed, bench, journal))
    watch.failed.connect(bench.frame.show_error)
    watch.displaced.connect(partial(_on_displaced, bench))
    watch.back_in_place.connect(partial(bench.unfinished.unsaved.drop, GROVE))
    backups.failed.connect(bench.frame.show_error)
    mirror.failed.connect(bench.frame.show_error)
    backups.beginning.connect(bench.work.writing.save)
    watch.answers_left.connect(partial(_on_answers_left, bench, journal))
    watch.agents_changed.connect(bench.display.show_agents)
    notice = bench.parts.made(ForeignWritesNotice)
    assert notice is not None, "it is wired before"
    watch.written_elsewhere.connect(notice.writes.take_elsewhere)
    with suppress(GroveError):
        left = read_left(grove.path)
        if left.sequence:
            notice.writes.take_left(left.sequence, holds_own=not left.is_ended)
        else:  # whatever ends the window: what others write from here on is told next time
            write_left(grove.path, replace(left, sequence=watch.sequence))
    notice.sequence = lambda: watch.sequence
    if journal.unreadable is not None:
        bench.frame.show_error(journal.unreadable)
    with suppress(GroveError):
        bench.work.document.grove.hurry()  # nothing on the window's thread waits for another program
    saved = journal.recover_runs()
    bench.buffer.place.reveal(bench.work.document.current_id)  # the text may be longer than it was shown
    offer_again(bench, journal)
    bench.work.writing.keep_in(journal)
    journal.follow(bench.work.generator)
    bench.views.composer.text_changed.connect(partial(_keep_composer, bench, journal))
    bench.work.preview.attachments.edited.connect(partial(_keep_enclosed, bench, journal))
    bench.work.preview.pending.edited.connect(partial(_keep_attached, bench, journal))
    bench.work.document.tree_changed.connect(lambda _: _keep_base(bench, journal))
    bench.work.document.place.current_changed.connect(lambda _: _keep_base(bench, journal))
    bench.work.generator.answers.drafts_changed.connect(partial(_keep_base, bench, journal))
    bench.work.generator.candidates.changed.connect(journal.keep_candidates)
    bench.views.settings_page.typed.connect(journal.keep_settings)
    bench.views.settings_page.loom_edited.connect(partial(_on_loom_edited, bench, journal))
    bench.work.document.tree_opened.connect(partial(_on_tree_opened, bench, journal))
    count = sum(len(change.added_nodes()) for change in saved)
    if count == 1:
        bench.frame.note(tr("An answer that broke off with the last session was saved."))
    elif count:
        words = tr("{count} answers that broke off with the last session were saved.")
        bench.frame.note(words.format(count=figures.number(count)))
    elif saved:
        bench.frame.note(tr("A run broke off with the last session. What the agent did until then stays."))


def _on_displaced(bench: Workbench, error: GroveError) -> None:
    """Keep what was saved: another file lies in the grove's place, and a notice of an older move is wrong."""
    bench.views.banner.drop_told_of_place()

    def again() -> None:
        bench.work.document.grove.hold()
        bench.unfinished.unsaved.drop(GROVE)

    bench.unfinished.unsaved.keep(Unsaved(GROVE, tr("this grove"), again, error=error))


def _on_mended(bench: Workbench, sentence: Sentence) -> None:
    """Tell that the file was another one, or its -wal, and no longer is."""
    bench.views.banner.tell_of_place(told(sentence))
    bench.views.announcer.say(told(sentence))
    QTimer.singleShot(0, bench.views.window, partial(_read_again, bench))


def _read_again(bench: Workbench) -> None:
    document = bench.work.document
    if not document.grove.knows(document.tree) and document.has_tree:
        bench.frame.run_command(lambda it: it.work.document.open_tree(it.work.document.tree.loom.id))


def _on_answers_left(bench: Workbench, journal: Journal) -> None:
    """Add what a command line left that broke off, and say so; what hangs on nothing is offered."""
    added = [node for change in journal.save_left_answers() for node in change.added_nodes()]
    if added:
        start = start_of(added[0].text, WORDS_SHOWN)
        sentence = tr("An answer of a command that broke off was added: “{start}”")
        if len(added) > 1:
            sentence = tr("{count} answers of a command that broke off were added: “{start}”")
        bench.frame.note(sentence.format(start=start, count=len(added)))
    _offer_stray(bench, journal)


def tell_of_crash(bench: Workbench, report: CrashReport) -> None:
    """The last session ended badly: say so, and offer to show its log; from there the report can be copied.

    In line with what the last session left, so that neither hides the other.
    """
    sentence = tr("Loomapp ended unexpectedly last time. Nothing saved is lost.")
    show = partial(on_demand.log.show_report, bench, report)
    bench.unfinished.offers.add(Offer("crash", sentence, tr("Show the log"), show))


def tell_of_fault(bench: Workbench, fault: Fault) -> None:
    """A mistake of ours after which the window goes on: say so, and offer the report to be copied."""
    copy = partial(copy_words, fault.text)
    bench.frame.offer(tr("Something went wrong inside Loomapp. The log has it."), tr("Copy report"), copy)


def offer_again(bench: Workbench, journal: Journal) -> None:
    """Put what was typed in this tree and not committed back where it was."""
    document = bench.work.document
    try:
        left = journal.recovered(document.tree.loom.id)
    except LoomError as error:
        bench.frame.show_error(error)
        return
    left = bench.work.writing.take_up(left)  # what was written in a buffer stands in its text again
    if left.composer is not None:
        document.place.set_current(left.composer.base_id)
    text = "" if left.composer is None else left.composer.text
    bench.work.preview.attachments.put(() if left.composer is None else left.composer.blocks)
    _attach_again(bench, journal, left.attached)
    if text != bench.views.composer.text:
        bench.views.composer.start_over(text)
    if left.settings is not None:
        _offer_settings(bench, journal, left.settings)
    for begun in left.begun:
        _offer_begun(bench, journal, begun)
    bench.unfinished.writings.show()
    bench.work.generator.candidates.take_up(left.candidates)
    for behind in left.behind:
        _offer_to_show(bench, behind)
    for run in left.stray:
        _offer_answer(bench, journal, run)


def _attach_again(bench: Workbench, journal: Journal, roles: Mapping[str, Attached]) -> None:
    """Attach again the nodes that were to go along with the next generation; those that are gone are told of
    once.
    """
    tree = bench.work.document.tree
    there = {node_id: role for node_id, role in roles.items() if node_id in tree.nodes}
    bench.work.preview.pending.take_up(there)
    if len(there) == len(roles):
        return
    journal.keep_attached(tree.loom.id, there)
    count = len(roles) - len(there)
    sentence = worded(
        "{count} sources that were attached are no longer in this tree; the rest still goes along.",
        count=count,
    )
    if count == 1:
        sentence = worded("A source that was attached is no longer in this tree; the rest still goes along.")
    bench.frame.show_error(InvalidInput(sentence))


def _offer_to_show(bench: Workbench, behind: BehindText) -> None:
    """Words behind an answer became a node where that is: if it is not read, say so, and where they are."""
    document = bench.work.document
    if behind.becomes not in document.tree.nodes or behind.becomes in document.path:
        return
    start = start_of(behind.text, WORDS_SHOWN)
    sentence = tr("What you wrote follows another answer than the one shown: “{start}”").format(start=start)
    show = partial(
        bench.frame.open_tree, behind.tree_id, partial(document.place.read_through, behind.becomes)
    )
    bench.unfinished.offers.add(Offer(f"behind {behind.answer_id}", sentence, tr("Show it"), show))


def _offer_begun(bench: Workbench, journal: Journal, begun: BegunText) -> None:
    """Goes on where it was, if that can be seen; else it waits for whoever goes there, or is to be copied."""
    document, writings = bench.work.document, bench.unfinished.writings
    if begun.node_id in document.tree.nodes or writings.has_place(begun):
        is_read = begun.kind in ("edit", "note") and begun.node_id in document.path_ids
        writings.keep(begun if is_read else replace(begun, is_closed=True))
        return
    sentence = {
        "edit": tr("An edit was not finished, and its message is gone: “{start}”"),
        "note": tr("A note was not finished, and its message is gone: “{start}”"),
        "summary": tr("A summary was not finished, and its message is gone: “{start}”"),
        "document": tr("A document was not finished, and is gone: “{start}”"),
        "memory": tr("A text for an agent’s memory was not finished: “{start}”"),
        "card": tr("The text of a summary was not finished, and the summary is gone: “{start}”"),
    }[begun.kind]
    sentence = sentence.format(start=start_of(begun.text, WORDS_SHOWN))
    copy = partial(_copy_begun, journal, begun)
    bench.unfinished.offers.add(Offer(f"{begun.kind} {begun.node_id}", sentence, tr("Copy it"), copy))


def _copy_begun(journal: Journal, begun: BegunText) -> None:
    """Copy the words: they are the user's now, and not offered again."""
    copy_words(begun.text)
    journal.begun_ended(begun)


def _offer_settings(bench: Workbench, journal: Journal, typed: SettingsDraft) -> None:
    """Go on with typed settings that nobody else changed since; the rest is the user's to decide."""
    contested = {name: value for name, value in typed.fields.items() if name in typed.contested}
    free = {name: value for name, value in typed.fields.items() if name not in typed.contested}
    if free:
        bench.views.settings_page.take_up(free)
    if not contested:
        return
    loom = bench.work.document.tree.loom
    changed = [_contested_words(loom, name, value) for name, value in contested.items()]
    if len(changed) > SETTINGS_SHOWN:
        more = figures.number(len(changed) - SETTINGS_SHOWN)
        changed[SETTINGS_SHOWN:] = [tr("and {count} more").format(count=more)]
    sentence = tr("Settings of this tree that you were typing were changed elsewhere meanwhile: {changed}.")
    sentence = sentence.format(changed="; ".join(changed))
    use = partial(_use_settings, bench, journal, loom.id, contested)
    discard = partial(_discard_settings, bench, journal, loom.id, contested)
    bench.unfinished.offers.add(
        Offer(
            f"settings {loom.id}",
            sentence,
            tr("Use what I typed"),
            use,
            other=tr("Discard what I typed"),
            other_step=discard,
        )
    )


def _contested_words(loom: LoomTree, name: str, typed: object) -> str:
    what, words = setting_words(name, typed)
    sentence = tr("you typed {typed} for {what}, which is {now} now")
    return sentence.format(what=what, typed=words, now=setting_words(name, value_of(loom, name))[1])


def _use_settings(bench: Workbench, journal: Journal, tree_id: str, fields: dict[str, object]) -> None:
    def use() -> None:
        bench.views.settings_page.take_up(fields)
        journal.contested_settled(tree_id)

    bench.frame.open_tree(tree_id, use)


def _discard_settings(bench: Workbench, journal: Journal, tree_id: str, fields: dict[str, object]) -> None:
    """Leave the settings as they are there; texts that were typed can be copied once more."""
    journal.contested_settled(tree_id)
    text = "\n\n".join(text for value in fields.values() for text in texts_in(value))
    if text:
        sentence = tr("What you typed was thrown away: “{start}”").format(start=start_of(text, WORDS_SHOWN))
        bench.frame.offer(sentence, tr("Copy it"), partial(copy_words, text))


def _offer_stray(bench: Workbench, journal: Journal) -> None:
    try:
        stray = journal.stray(bench.work.document.tree.loom.id)
    except LoomError as error:
        bench.frame.show_error(error)
        return
    for run in stray:
        _offer_answer(bench, journal, run)


def _offer_answer(bench: Workbench, journal: Journal, run: CrashedRun) -> None:
    """Offer an answer of which nothing in the tree is known any more; it is kept until it is thrown away."""
    count = sum(1 for draft in run.drafts if draft.text)
    sentence = tr("An answer was being written to a message that is gone: “{start}”")
    if count > 1:
        sentence = tr("{count} answers were being written to a message that is gone: “{start}”")
    sentence = sentence.format(start=_start(run), count=count)
    copy = partial(_copy_answer, bench, journal, run)
    bench.unfinished.offers.add(Offer(f"answer {run.run_id}", sentence, tr("Copy it"), copy))


def _copy_answer(bench: Workbench, journal: Journal, run: CrashedRun) -> None:
    """Copy the answer. A clipboard is soon another: it stays beside the grove until it is not wanted."""
    copy_words(run.text)
    sentence = tr("“{start}” was copied, and is kept: it is offered again by the next start.")
    drop = partial(journal.dismiss, run)
    offer = Offer(f"answer {run.run_id}", sentence.format(start=_start(run)), tr("Throw it away"), drop)
    bench.unfinished.offers.add(offer)


def _start(run: CrashedRun) -> str:
    return start_of(run.text, WORDS_SHOWN)


def _on_loom_edited(bench: Workbench, journal: Journal, loom: LoomTree) -> None:
    """Forget the draft of settings that reached the file; others stay drafts."""
    with suppress(GroveError):  # what cannot be read now stays a draft
        if is_saved(bench, loom):
            journal.settings_saved(loom.id)


def _on_journal_failed(bench: Workbench, journal: Journal, error: GroveError) -> None:
    what = tr("drafts")
    bench.unfinished.unsaved.keep(Unsaved(JOURNAL, what, journal.retry, journal.unsafe_text, error=error))


def _on_recovery_failed(bench: Workbench, journal: Journal, error: LoomError) -> None:
    """Tell that an answer is in the journal still, and is shown when it could be saved."""
    if not is_no_room(error):
        bench.frame.show_error(error)
        return

    def again() -> None:
        bench.unfinished.unsaved.drop(RECOVERY)  # it is told anew if it fails again
        journal.recover_runs()

    what = tr("an answer of the last session")
    bench.unfinished.unsaved.keep(Unsaved(RECOVERY, what, again, is_journalled=True, error=error))


def _on_tree_opened(bench: Workbench, journal: Journal, _tree: Tree) -> None:
    offer_again(bench, journal)


def _keep_composer(bench: Workbench, journal: Journal, text: str) -> None:
    document, blocks = bench.work.document, bench.work.preview.attachments.blocks
    answer_id = _answer_beside(bench, journal)
    base = document.tree.loom.id, text, document.current_id
    bench.work.writing.keep_beside(lambda: journal.keep_composer(*base, blocks, answer_id))


def _answer_beside(bench: Workbench, journal: Journal) -> str:
    """The answer that words in the composer will continue: the one that was shown when the first of them was
    typed, as long as it can be seen whether it comes; "" where none is being written.
    """
    tree, current_id = bench.work.document.tree, bench.work.document.current_id
    known, shown = journal.composer_answer(tree.loom.id), bench.views.dialogue.shown_draft
    there = {
        live.node_id for live in bench.work.generator.drafts(tree.loom.id) if live.parent_id == current_id
    }
    if known and (known in there or known in tree.children(current_id)):
        return known
    return shown.node_id if shown is not None and shown.node_id in there else ""


def _keep_enclosed(bench: Workbench, journal: Journal) -> None:
    """Keep what was attached to the words, or taken away; not while they are those of another tree."""
    if bench.views.composer.text == journal.composer_text(bench.work.document.tree.loom.id):
        _keep_composer(bench, journal, bench.views.composer.text)


def _keep_attached(bench: Workbench, journal: Journal) -> None:
    journal.keep_attached(bench.work.document.tree.loom.id, bench.work.preview.pending.roles)


def _keep_base(bench: Workbench, journal: Journal) -> None:
    """The words in the composer have another base now. While trees change they are not of this tree yet."""
    tree_id, text = bench.work.document.tree.loom.id, bench.views.composer.text
    blocks = bench.work.preview.attachments.blocks
    if (text or blocks) and text == journal.composer_text(tree_id):
        _keep_composer(bench, journal, text)
