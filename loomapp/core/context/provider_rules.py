"""Provider rules: what a provider insists on, and the messages made to fit it; every adjustment is named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal, TypeAlias

from loomapp.core.context.messages import Message, MessageRole, TextPart
from loomapp.core.context.truncation import CONTINUE
from loomapp.core.dataclass import dataclass

CONVERSATION_START = "[Conversation start]"
EARLIER_OMITTED = "[Earlier conversation omitted.]"
CONTINUE_DOCUMENT = "Continue the document exactly where it stops. Output only the continuation."

DROPPED_BLANK: Final = "dropped_blank"
PREPENDED_USER: Final = "prepended_user"
STRIPPED_PREFILL: Final = "stripped_prefill"
APPENDED_CONTINUE: Final = "appended_continue"
SYSTEM_AS_MESSAGE: Final = "system_as_message"
CONTINUATION_INSTRUCTION: Final = "continuation_instruction"
DOCUMENT_AS_PREFILL: Final = "document_as_prefill"
WRITTEN_OUT: Final = "written_out"
IMAGES_DESCRIBED: Final = "images_described"  # the model takes none: their placeholders are sent
Adjustment: TypeAlias = Literal[
    "dropped_blank",
    "prepended_user",
    "stripped_prefill",
    "appended_continue",
    "system_as_message",
    "continuation_instruction",
    "document_as_prefill",
    "written_out",
    "images_described",
]
SPEAKERS = {"user": "User", "assistant": "Assistant", "system": "System"}


@dataclass(frozen=True, slots=True)
class ProviderRules:
    """Limits of a model's protocol."""

    first_must_be_user: bool = False
    prefill: bool = False  # a last assistant message is continued by the answer
    system_field: bool = True  # False: the system text travels as the first message
    continue_text: str = CONTINUE


@dataclass(frozen=True, slots=True)
class AcceptedMessages:
    """Messages that a provider accepts, and what was done to them, in order."""

    system: str | None
    messages: tuple[Message, ...]
    adjustments: tuple[Adjustment, ...]


def fit_messages(
    rules: ProviderRules, system: str | None, messages: Sequence[Message], *, truncated: bool
) -> AcceptedMessages:
    """The messages as the rules want them. `truncated` words the note before a first assistant message."""
    adjustments: list[Adjustment] = []
    fitted = [message for message in messages if not is_blank(message)]
    if len(fitted) < len(messages):
        fitted = merge_neighbours(fitted)
        adjustments.append(DROPPED_BLANK)
    if rules.first_must_be_user and fitted and fitted[0].role == "assistant":
        fitted.insert(0, _say("user", EARLIER_OMITTED if truncated else CONVERSATION_START))
        adjustments.append(PREPENDED_USER)
    if fitted and fitted[-1].role == "assistant":
        adjustments += _end(rules, fitted)
    if system is not None and not rules.system_field:
        fitted.insert(0, _say("system", system))
        system = None
        adjustments.append(SYSTEM_AS_MESSAGE)
    return AcceptedMessages(system, tuple(fitted), tuple(adjustments))


def as_chat(
    rules: ProviderRules,
    system: str | None,
    document: str,
    node_ids: tuple[str | None, ...],
    *,
    truncated: bool,
) -> AcceptedMessages:
    """A Buffer document for a chat model, which takes no prompt.

    A model that accepts prefill gets it as its own unfinished turn. Any other gets it as the user's text, and
    a line that says what to do as the last part of the system context. (A completions endpoint needs none of
    this: it takes the document as it is.)
    """
    if rules.prefill:
        adjustment: Adjustment = DOCUMENT_AS_PREFILL
        message = Message("assistant", (TextPart(document),), node_ids)
    else:
        adjustment, message = CONTINUATION_INSTRUCTION, Message("user", (TextPart(document),), node_ids)
        system = CONTINUE_DOCUMENT if system is None else f"{system}\n\n{CONTINUE_DOCUMENT}"
    fitted = fit_messages(rules, system, (message,), truncated=truncated)
    return replace(fitted, adjustments=(adjustment, *fitted.adjustments))


def written_out(messages: Sequence[Message]) -> str:
    """A conversation as a text that breaks off where the model is to speak."""
    turns = [f"{SPEAKERS[message.role]}: {message.text}" for message in messages]
    return "\n\n".join([*turns, f"{SPEAKERS['assistant']}:"])


def _end(rules: ProviderRules, messages: list[Message]) -> list[Adjustment]:
    if not rules.prefill:
        messages.append(_say("user", rules.continue_text))
        return [APPENDED_CONTINUE]
    stripped = _without_trailing_space(messages[-1])
    if stripped == messages[-1]:
        return []
    messages[-1] = stripped
    return [STRIPPED_PREFILL]


def _without_trailing_space(message: Message) -> Message:
    parts = list(message.parts)
    while parts and isinstance(part := parts[-1], TextPart):
        text = part.text.rstrip()
        if text:
            parts[-1] = TextPart(text)
            break
        parts.pop()
    return replace(message, parts=tuple(parts))


def is_blank(message: Message) -> bool:
    """True if nothing but white space would be sent."""
    return all(isinstance(part, TextPart) and not part.text.strip() for part in message.parts)


def merge_neighbours(messages: Iterable[Message]) -> list[Message]:
    """Join neighbouring messages of one role; all parts stay."""
    merged: list[Message] = []
    for message in messages:
        if merged and merged[-1].role == message.role:
            last = merged[-1]
            merged[-1] = Message(last.role, last.parts + message.parts, last.node_ids + message.node_ids)
        else:
            merged.append(message)
    return merged


def _say(role: MessageRole, text: str) -> Message:
    return Message(role, (TextPart(text),))


# `none` skips the step; a set is chosen by the model's capabilities or named on the command line.
PROVIDER_RULES: Mapping[str, ProviderRules | None] = {
    "none": None,
    "openai": ProviderRules(),
    "anthropic": ProviderRules(first_must_be_user=True),
    "anthropic-prefill": ProviderRules(first_must_be_user=True, prefill=True),
}
