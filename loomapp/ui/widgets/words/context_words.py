"""Words of the inspector: reasons, adjustments, warnings, verdicts, remedies, and the icons beside them."""

from __future__ import annotations

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
    words = tr("Nodes sent: {kept} of {whole}; without empty ones, and notes that are switched off.")
    return words.format(kept=number(kept), whole=number(whole))


def own_words() -> str:
    return tr("You")


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
            "A line from you is put first: this model wants to hear you first."
        ),
        provider_rules.STRIPPED_PREFILL: tr("White space at the very end is taken off."),
        provider_rules.APPENDED_CONTINUE: tr(
            "“{words}” is added at the end: the last message is a model's."
        ).format(words=as_line(continue_text)),
        provider_rules.SYSTEM_AS_MESSAGE: tr("The system context goes as the first message."),
        provider_rules.CONTINUATION_INSTRUCTION: tr(
            "The document goes as your text, with a line that asks to continue it."
        ),
        provider_rules.IMAGES_DESCRIBED: tr(
            "This model takes no images: their names are sent in their places."
        ),
        provider_rules.DOCUMENT_AS_PREFILL: tr("The document goes as the model's own unfinished message."),
        provider_rules.WRITTEN_OUT: tr(
            "The conversation goes as one text that says who speaks: this model only continues texts."
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
        words = tr("The newest message alone is too long by {count} tokens: you are asked before it is sent.")
        yield Said(words.format(count=over), "warning", assembled.placed.path.node_ids[-1], "overLimit")
    if not report.minimum_recent_honoured:
        yield Said(tr("Fewer of the newest nodes fit than this tree asks to keep."), "warning")
    for warned in report.warnings:
        remedy = (
            warned.code if warned.code in (PENDING_SOURCE_TRUNCATED, PENDING_SOURCE_WITHOUT_PRIMARY) else ""
        )
        yield Said(warning_words(warned, tree), "warning", warned.node_id or None, remedy)
    for node_id in () if assembled.economy is None else assembled.economy.covered_sources:
        words = tr(
            "{name} is attached, but was sent before already, in a part that a summary stands for: it is not "
            "sent again."
        )
        yield Said(words.format(name=tree.nodes[node_id].local_id), "warning", node_id)
    loom = tree.loom
    if loom.mode == "buffer" and loom.system_context and not loom.buffer_mode_system_context:
        yield Said(tr("The system context is not sent: this tree is a buffer. Tree settings can send it."))
    unworded = report.system_tokens - assembled.fitted.passages.fixed_tokens
    if unworded > 0 and not assembled.system:
        words = tr(
            "The model’s own template adds {count} tokens, usually a system text that came with the model. "
            "A system context that you write is sent instead of it."
        )
        if report.estimator != TOKENIZER:
            words = tr(
                "About {count} tokens come on top, by the provider’s last count: usually the model’s own "
                "template, or a system text that came with it."
            )
        yield Said(words.format(count=number(unworded)))
    if report.alternate_primaries:
        ids = ", ".join(tree.nodes[i].local_id for i in report.alternate_primaries if i in tree.nodes)
        yield Said(tr("Not taken, from where branches meet: {ids}").format(ids=ids))
    for code in report.provider_adjustments:
        yield Said(adjustment_words(code, assembled.continue_text))


def warning_words(warned: Warned, tree: Tree) -> str:
    """Return what the user should know before sending, with the node it is about."""
    node = tree.nodes.get(warned.node_id)
    name = node.local_id if node else warned.node_id or tr("what is attached")
    if warned.code in IMAGE_WARNINGS.values():
        return _image_words(warned.code, warned.count).format(name=name, count=number(warned.count))
    if warned.code in SUMMARY_WARNINGS:
        return _summary_words(warned.code).format(name=name)
    if warned.code == PENDING_SOURCE_TRUNCATED:
        return tr("{name} is attached as context and has no room.").format(name=name)
    return tr("{name} is attached as context, but the message it belongs to is left out.").format(name=name)


def _summary_words(code: WarningCode) -> str:
    """Return why a summary is not used, or what one is missing for."""
    return {
        "summaries_need_system": tr(
            "The summary at {name} is not used: this buffer sends no system context, so all is sent."
        ),
        "summary_too_large": tr("The summary at {name} is too long for this model, so all is sent."),
        "branch_without_summary": tr("The branch at {name} has no summary: nothing stands for its messages."),
    }[code]


def _image_words(code: WarningCode, count: int) -> str:
    """Return why only the names of so many images are sent."""
    if count > 1:
        return {
            IMAGE_WARNINGS["missing"]: tr(
                "{count} images of {name} are missing from the media folder: their names are sent."
            ),
            IMAGE_WARNINGS["format"]: tr(
                "{count} images of {name} are of a kind that no model takes: their names are sent."
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
            "An image of {name} is of a kind that no model takes: its name is sent."
        ),
        IMAGE_WARNINGS["size"]: tr("An image of {name} is larger than models take: its name is sent."),
    }[code]


def next_step(error: LoomError) -> str:
    """Return the next step after a context cannot be assembled."""
    return {
        "EMPTY_CONTEXT": tr("Write something, or include a message of this path again."),
        "INVALID_BUDGET": tr(
            "In the tree settings, make the room for the answer smaller; or take a larger model."
        ),
        "SYSTEM_TOO_LARGE": tr("In the tree settings, shorten the system context, or take a larger model."),
        "CONTEXT_TOO_LONG": tr(
            "Exclude one of the largest messages, or choose another way to cut it in the tree settings."
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
        SAFE: tr("Estimated by the kind of characters, rather too many than too few."),
        SCALED: tr("Estimated by what the provider counted last on this path."),
        TOKENIZER: tr("Counted by the model’s own tokenizer."),
    }.get(name, tr("Estimated, characters ÷ 4."))
