"""Words of the inspector: reasons, adjustments, warnings, verdicts, remedies, and the icons beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from loomapp.core.context import provider_rules
from loomapp.core.context.assembly import Assembled
from loomapp.core.context.provider_rules import Adjustment
from loomapp.core.context.report import (
    IMAGE_WARNINGS,
    PENDING_SOURCE_TRUNCATED,
    PENDING_SOURCE_WITHOUT_PRIMARY,
    SUMMARY_WARNINGS,
    Report,
    Warned,
    WarningCode,
    counted,
    counts_of,
)
from loomapp.core.context.truncation import CONTINUE, STRATEGIES
from loomapp.core.context.units import Reason
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import LoomError
from loomapp.core.model.hashes import Finding, Verdict
from loomapp.core.model.tree import Tree
from loomapp.core.sent.trial import Remedy
from loomapp.core.text.token_counts import SAFE, SCALED, TOKENIZER
from loomapp.ui.figures import number
from loomapp.ui.strings import tr
from loomapp.ui.widgets.fields import as_line

REASON_ICONS: dict[Reason, str] = {
    "pruned": "leaf",
    "excluded": "eye-off",
    "annotation": "sticky-note",
    "empty": "minus",
    "instruction_without_system": "info",
    "truncated": "scissors",
    "summarised": "sticky-note",
    "branch_summarised": "sticky-note",
}


def nodes_sent(report: Report) -> str:
    """Return the number of nodes sent, of all, in words that say which are counted."""
    kept, whole = counted(report)
    words = tr("Sent: {kept} of {whole} nodes (not counting empty ones and notes that are off)")
    return words.format(kept=number(kept), whole=number(whole))


def own_words() -> str:
    return tr("You")


def recent_words(*, is_buffer: bool) -> str:
    """Return the name of the setting how many of the newest are kept."""
    return tr("Newest passages to keep") if is_buffer else tr("Newest messages to keep")


def reason_words(reason: Reason) -> str:
    return {
        "pruned": tr("deleted"),
        "excluded": tr("excluded"),
        "annotation": tr("note"),
        "empty": tr("empty"),
        "instruction_without_system": tr("no system context here"),
        "truncated": tr("no room"),
        "summarised": tr("in the summary"),
        "branch_summarised": tr("in a branch summary"),
    }[reason]


def adjustment_words(code: Adjustment, continue_text: str = CONTINUE) -> str:
    """Return the words for a change that a provider's rules made; `continue_text` is the turn in which a
    model is asked to go on.
    """
    words: dict[Adjustment, str] = {
        provider_rules.DROPPED_BLANK: tr("Blank messages are left out."),
        provider_rules.PREPENDED_USER: tr(
            "A short line from you is added at the start: this model needs the first message to be yours."
        ),
        provider_rules.STRIPPED_PREFILL: tr("Spaces and line breaks at the very end are removed."),
        provider_rules.APPENDED_CONTINUE: tr(
            "“{words}” is added at the end: the last message is a model's."
        ).format(words=as_line(continue_text)),
        provider_rules.SYSTEM_AS_MESSAGE: tr("The system context is sent as the first message."),
        provider_rules.CONTINUATION_INSTRUCTION: tr(
            "The document is sent as your message, with a line that asks the model to continue it."
        ),
        provider_rules.IMAGES_DESCRIBED: tr("This model takes no images: their names are sent instead."),
        provider_rules.DOCUMENT_AS_PREFILL: tr("The document is sent as the model's own unfinished message."),
        provider_rules.WRITTEN_OUT: tr(
            "The conversation is sent as one text with the speakers' names: this model can only "
            "continue text."
        ),
    }
    return words[code]


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence below the rows; `tone` is info or warning. `remedy` names what can be done about a node."""

    text: str
    tone: str = "info"
    node_id: str | None = None
    remedy: str = ""


def infos(assembled: Assembled, tree: Tree) -> Iterator[Said]:
    """Return the sentences below the rows."""
    report = assembled.report
    if report.over_limit:
        over = number(report.after_tokens - report.available)
        words = tr("The newest message alone is {count} tokens too long: you are asked before it is sent.")
        yield Said(words.format(count=over), "warning", assembled.placed.path.node_ids[-1], "overLimit")
    if not report.minimum_recent_honoured:
        words = tr("Of the newest messages, which this tree always sends, some have no room.")
        if assembled.mode == "buffer":
            words = tr("Of the newest passages, which this tree always sends, some have no room.")
        yield Said(words, "warning")
    yield from _cuts(assembled)
    for warned in report.warnings:
        remedy = (
            warned.code if warned.code in (PENDING_SOURCE_TRUNCATED, PENDING_SOURCE_WITHOUT_PRIMARY) else ""
        )
        yield Said(warning_words(warned, tree), "warning", warned.node_id or None, remedy)
    for node_id in () if assembled.economy is None else assembled.economy.covered_sources:
        words = tr(
            "{name} is attached, but it was already sent in a part that a summary now covers: it is "
            "not sent again."
        )
        yield Said(words.format(name=tree.nodes[node_id].local_id), "warning", node_id)
    loom = tree.loom
    if loom.mode == "buffer" and loom.system_context and not loom.buffer_mode_system_context:
        yield Said(
            tr(
                "The system context is not sent, because this tree is a buffer. The tree settings can "
                "switch it on."
            )
        )
    fewer = _summed(assembled) - report.after_tokens
    if fewer:
        words = tr("Counted as one text, this is {count} tokens less than the sum of its parts.")
        if fewer < 0:
            words = tr("Counted as one text, this is {count} tokens more than the sum of its parts.")
        yield Said(words.format(count=number(abs(fewer))))
    if report.alternate_primaries:
        ids = ", ".join(tree.nodes[i].local_id for i in report.alternate_primaries if i in tree.nodes)
        yield Said(tr("Not sent, from the other branches that meet here: {ids}").format(ids=ids))
    for code in report.provider_adjustments:
        yield Said(adjustment_words(code, assembled.continue_text))


def _cuts(assembled: Assembled) -> Iterator[Said]:
    """Return sentences on a beginning that is not kept though the strategy keeps one, and on a cut word."""
    fitted, is_buffer = assembled.fitted, assembled.mode == "buffer"
    keeps_start = assembled.report.strategy == "truncateMiddle" and not assembled.report.over_limit
    is_later = bool(fitted.gap) or fitted.front is not None
    if keeps_start and is_later and not fitted.head and fitted.passages.units > 1:
        words = tr("The first message is too long to be kept as well: what is sent begins later.")
        if is_buffer:
            words = tr("The first passage is too long to be kept as well: what is sent begins later.")
        yield Said(words)
    if fitted.front is not None:
        gone, text = fitted.front.dropped_chars, fitted.passages.texts[fitted.tail.start]
        if text[gone - 1 : gone + 1].isalnum():
            yield Said(tr("Text is cut by its length, here in the middle of a word."))


def _summed(assembled: Assembled) -> int:
    """Return the tokens of all parts that are sent, one by one."""
    beside = 0 if assembled.suffix is None else assembled.suffix.tokens
    return assembled.report.system_tokens + assembled.fitted.tokens + beside


def warning_words(warned: Warned, tree: Tree) -> str:
    """Return what the user should know before sending, with the node it is about."""
    node = tree.nodes.get(warned.node_id)
    name = node.local_id if node else warned.node_id or tr("what is attached")
    if warned.code in IMAGE_WARNINGS.values():
        return _image_words(warned.code, warned.count).format(name=name, count=number(warned.count))
    if warned.code in SUMMARY_WARNINGS:
        return _summary_words(warned.code).format(name=name)
    if warned.code == PENDING_SOURCE_TRUNCATED:
        return tr("{name} is attached as context but does not fit.").format(name=name)
    return tr("{name} is attached as context, but the message it belongs to is left out.").format(name=name)


def _summary_words(code: WarningCode) -> str:
    """Return why a summary is not used, or what one is missing for."""
    return {
        "summaries_need_system": tr(
            "The summary at {name} is not used, because this buffer sends no system context: the "
            "text itself is sent."
        ),
        "summary_too_large": tr(
            "The summary at {name} is too long for this model: the original messages are sent."
        ),
        "branch_without_summary": tr(
            "The branch at {name} has no summary, so nothing is sent for its messages."
        ),
    }[code]


def _image_words(code: WarningCode, count: int) -> str:
    """Return why only the names of so many images are sent."""
    if count > 1:
        return {
            IMAGE_WARNINGS["missing"]: tr(
                "{count} images of {name} are missing from the media folder: their names are sent."
            ),
            IMAGE_WARNINGS["format"]: tr(
                "{count} images of {name} are in formats that no model takes: their names are sent."
            ),
            IMAGE_WARNINGS["size"]: tr(
                "{count} images of {name} are larger than models take: their names are sent."
            ),
        }[code]
    return {
        IMAGE_WARNINGS["missing"]: tr(
            "An image of {name} is missing from the media folder: its name is sent."
        ),
        IMAGE_WARNINGS["format"]: tr(
            "An image of {name} is in a format that no model takes: its name is sent."
        ),
        IMAGE_WARNINGS["size"]: tr("An image of {name} is larger than models take: its name is sent."),
    }[code]


def next_step(error: LoomError) -> str:
    """Return the next step after a context cannot be assembled."""
    return {
        "EMPTY_CONTEXT": tr("Write something, or include a message of this path again."),
        "INVALID_BUDGET": tr(
            "Make the room for the answer smaller in the tree settings, or choose a model with a "
            "larger context window."
        ),
        "SYSTEM_TOO_LARGE": tr(
            "Shorten the system context in the tree settings, or choose a model with a larger context window."
        ),
        "CONTEXT_TOO_LONG": tr(
            "Exclude one of the largest messages, or change “When it gets too long” in the tree settings."
        ),
    }.get(error.code, "")


def figures(error: LoomError) -> list[tuple[str, int]]:
    """The numbers that an error carries, in the order in which they explain it; none below nothing."""
    names = {
        "needed": tr("needed"),
        "available": tr("available"),
        "over_by": tr("over by"),
        "window": tr("the model's context window"),
        "reserved": tr("room for the answer"),
    }
    found = ((words, error.details.get(name)) for name, words in names.items())
    return [(words, value) for words, value in found if isinstance(value, int) and value >= 0]


def said_remedy_words(name: str) -> str:
    """Return the next step of a warning, by its name."""
    return {
        "sendInFull": tr("Send in full"),
        "shortenWhenFull": tr("Shorten when full"),
        "overLimit": tr("What helps…"),
        PENDING_SOURCE_TRUNCATED: tr("What helps…"),
        PENDING_SOURCE_WITHOUT_PRIMARY: tr("Detach"),
    }.get(name, "")


def remedy_words(reason: Reason | None) -> str:
    """Return the remedy that one click applies to a node left out for a reason, or to one that is sent
    (None).
    """
    if reason is None:
        return tr("Exclude")
    return {
        "pruned": tr("Restore"),
        "excluded": tr("Include"),
        "annotation": tr("Include"),
        "empty": "",
        "instruction_without_system": tr("Send it"),
        "truncated": tr("Make room…"),
        "summarised": "",
        "branch_summarised": "",
    }[reason]


def verdict_words(finding: Finding, *, is_model: bool) -> str:
    """Return the words for a verdict of verification, and the reason why it is not more."""
    match finding.verdict:
        case "ok" if is_model:
            return tr(
                "Verified: the kept response says this text; the hash fits text, time, author and parents."
            )
        case "ok":
            return tr("Verified: the hash fits text, time, author and parents.")
        case "no evidence":
            return tr("No evidence: no response was kept for this text. The hash fits the rest.")
        case "moved":
            return tr("Moved: {why}.").format(why=finding.reason)
        case "failed":
            return tr("Does not verify: {why}.").format(why=finding.reason)


def verdict_look(verdict: Verdict) -> tuple[str, str]:
    return {
        "ok": ("shield-check", "state.success"),
        "no evidence": ("info", "text.muted"),
        "moved": ("info", "state.warning"),
        "failed": ("circle-alert", "state.error"),
    }[verdict]


def strategy_choices() -> list[tuple[str, str]]:
    return [(strategy.name, tr(strategy.title)) for strategy in STRATEGIES.values()]


def scope_choices() -> list[tuple[str, str]]:
    return [("path", tr("All of the path")), ("pending", tr("Only of this request"))]


def strategy_tips() -> list[str]:
    return [tr(strategy.tip) for strategy in STRATEGIES.values()]


def words_of(remedy: Remedy, tree: Tree | None = None) -> str:
    """Return a remedy as a button says it; the tree names the node that it leaves out."""
    value = remedy.value
    match remedy.kind:
        case "include":
            return tr("Include what is excluded ({count})").format(count=value)
        case "strategy":
            words = dict(strategy_choices()).get(str(value), str(value))
            return tr("{strategy}: sends {count} tokens").format(strategy=words, count=number(remedy.tokens))
        case "room" | "answer":
            tokens = number(value) if isinstance(value, int) else ""
            if remedy.kind == "room":
                return tr("Room for the answer: only {count} tokens").format(count=tokens)
            return tr("This agent's longest answer: only {count} tokens").format(count=tokens)
        case "exclude":
            node = tree.nodes.get(remedy.node_id or "") if tree else None
            name = node.local_id if node else ""
            return tr("Exclude {name}: sends {count} tokens").format(name=name, count=number(remedy.tokens))
        case "shorten":
            return tr("Shorten long attachments: sends {count} tokens").format(count=number(remedy.tokens))
        case "withoutSystem":
            return tr("Send no system context in this buffer")


def acts_against(error: LoomError) -> tuple[str, ...]:
    """Return the other acts that help against an error of assembly, by name: it is decided elsewhere."""
    return {
        "CONTEXT_TOO_LONG": ("chooseModel", "whatIf"),
        "SYSTEM_TOO_LARGE": ("treeSettings", "chooseModel", "whatIf"),
        "INVALID_BUDGET": ("treeSettings", "chooseModel", "whatIf"),
        "INVALID_SELECTION": ("forgetChoices",),
        "EMPTY_CONTEXT": ("write",),
    }.get(error.code, ())


def act_words(name: str) -> str:
    return {
        "chooseModel": tr("Choose another model…"),
        "treeSettings": tr("Open the tree settings"),
        "whatIf": tr("Try something else…"),
        "forgetChoices": tr("Choose the newest versions again"),
        "write": tr("Write something"),
    }[name]


def estimator_words(name: str) -> str:
    """Return how the tokens of a context were counted, by the name of the estimator."""
    return {
        SAFE: tr("A cautious estimate: rather too high than too low."),
        SCALED: tr("An estimate, corrected by the provider’s last count on this path."),
        TOKENIZER: tr("Counted with the model’s own tokenizer."),
    }.get(name, tr("An estimate: characters ÷ 4."))


def summed_reasons(report: Report) -> Counter[str]:
    """Count what is left out, by reason; of a summary the messages that its card tells, nothing attached."""
    found, used = Counter(counts_of(report.dropped)), report.economy.summary_used
    if used is not None and found["summarised"]:
        found["summarised"] = used.messages_summarized
    return found
