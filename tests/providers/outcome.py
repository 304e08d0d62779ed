"""A run brought to its end, as one value to assert on."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from loomapp.core.context.messages import Message, TextPart
from loomapp.core.errors import LoomError
from loomapp.core.generation.provider import (
    Adjusted,
    ChoiceFailed,
    Finished,
    Provider,
    ReasoningDelta,
    Request,
    TextDelta,
    Usage,
    UsageReported,
    Withdrawn,
)
from loomapp.core.model.content import Text, well_formed
from loomapp.core.model.entities import REASONING, Interrupted, LoomTree, Node
from loomapp.core.model.raw_response import Evidence
from loomapp.core.model.tree import Tree
from loomapp.core.response_text.body import ChoiceText, choices_in
from loomapp.core.response_text.chunks import Told
from loomapp.core.response_text.comparison import contradiction, misnoted
from loomapp.core.response_text.rules import RULES, rule_for
from loomapp.providers.engine.model_fetch import DEFAULT_MODEL_REF
from loomapp.providers.protocols.endpoint import Endpoint
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.protocols.openai_protocols import OpenAIChat
from loomapp.providers.run import fan_out
from loomapp.providers.run.fan_out import FanOut, Room
from loomapp.providers.run.run import Ended, Retrying, RunEvent

KEY = "sk-planted-key-123456789Q"


@dataclass(slots=True)
class Outcome:
    """What a run's events add up to."""

    texts: dict[int, str] = field(default_factory=dict)
    thoughts: dict[int, str] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)
    usage: Usage | None = None
    retries: list[Retrying] = field(default_factory=list)
    evidence: Evidence | None = None
    error: LoomError | None = None
    failures: dict[int, LoomError] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def take(self, events: Iterable[RunEvent]) -> Outcome:
        """Adds what the events say."""
        for event in events:
            match event:
                case TextDelta(index=index, text=text):
                    self.texts[index] = self.texts.get(index, "") + text
                case ReasoningDelta(index=index, text=text):
                    self.thoughts[index] = self.thoughts.get(index, "") + text
                case Finished(index=index, reason=reason):
                    self.reasons[index] = reason
                case Withdrawn(index=index):
                    self.reasons.pop(index, None)
                case UsageReported(usage=usage):
                    self.usage = usage
                case ChoiceFailed(index=index, error=failure):
                    self.failures[index] = failure
                case Adjusted(note=note):
                    self.notes.append(note)
                case Retrying():
                    self.retries.append(event)
                case Ended(evidence=evidence, error=error):
                    self.evidence, self.error = next(iter(evidence), None), error
        return self


_numbers = itertools.count(1)


def begin(
    request: Request, provider: Provider, *, choices: int | None = None, caches: bool = False
) -> FanOut:
    """A run with hardly any pause before its retries; `choices`: how many the model writes at once."""
    room = Room(choices or request.n, caches)
    return fan_out.start(request, provider, room=room, new_id=lambda: f"id{next(_numbers)}", pause_s=0.001)


def outcome_of(request: Request, provider: Provider) -> Outcome:
    """Runs to the end, worker included."""
    running = begin(request, provider)
    outcome = Outcome().take(running.follow())
    assert running.join(60)
    check_read_back(outcome)
    return outcome


def check_read_back(outcome: Outcome) -> None:
    """What the run said, and noted, is what is read out of the body that was kept, without any SDK."""
    if outcome.evidence is None:
        return
    told = Told()
    said = choices_in([outcome.evidence.body], outcome.evidence.headers, told)
    is_cut_short = outcome.error is not None or bool(outcome.failures)
    assert list(misnoted(outcome.evidence, told, must_say=not is_cut_short)) == []
    for number, index in outcome.evidence.choices.items():
        text, read = outcome.texts.get(int(number), ""), said.get(index, ChoiceText())
        is_whole = outcome.error is None and int(number) not in outcome.failures
        thoughts = well_formed(outcome.thoughts.get(int(number), ""))
        kept = {REASONING: thoughts} if thoughts else {}
        node = Node("n", "N", Text(well_formed(text)), "model", "m", 0, extra=kept)
        node = node if is_whole else replace(node, interrupted=Interrupted("cancelled"))
        rule = rule_for(text, interrupted=not is_whole)
        assert RULES[rule](read, node), (text, read.text)
        tree = Tree(LoomTree("t", "T", "dialogue", "n"))
        if text:  # else it becomes no node
            assert contradiction(tree, node, read, rule, is_own=True) == "", (thoughts, read.reasoning)


def until_text(running: FanOut, *, choices: int = 1) -> Outcome:
    """What came until this many choices have some text."""
    outcome = Outcome()
    for event in running.follow():
        outcome.take([event])
        if len(outcome.texts) >= choices:
            return outcome
    raise AssertionError(f"ended before its text: {outcome.error}")


def chat(base_url: str, *, counts_each_choice: bool = False, read_timeout_s: float = 20) -> OpenAIChat:
    """A provider for a server on loopback, with the planted key."""
    endpoint = Endpoint("Fake", base_url + "/v1", KEY, read_timeout_s=read_timeout_s)
    return OpenAIChat(endpoint, ModelRules(counts_each_choice=counts_each_choice, max_choices=8))


def says(*texts: str, n: int = 1, max_tokens: int | None = 24, model_ref: str = DEFAULT_MODEL_REF) -> Request:
    """A conversation, the user beginning."""
    roles = itertools.cycle(("user", "assistant"))
    messages = tuple(Message(role, (TextPart(text),)) for role, text in zip(roles, texts, strict=False))  # type: ignore[arg-type]
    return Request(model_ref, messages=messages, n=n, max_tokens=max_tokens)
