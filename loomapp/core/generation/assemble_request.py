"""From a tree and an agent to the request that is sent, also where a node is asked for again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import partial
from typing import Protocol

from loomapp.core.context.assembly import Assembled, assemble
from loomapp.core.context.awareness import AwareAgent, Awareness
from loomapp.core.context.provider_rules import PROVIDER_RULES
from loomapp.core.context.request import NO_LOAD, ContextRequest, GivenLoad
from loomapp.core.context.settings import AppContextSettings
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.calls import Calls
from loomapp.core.errors import AssemblyError, InvalidInput
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.provider import Request, encoded_image, no_image
from loomapp.core.model.agent import Agent
from loomapp.core.model.content import Block, Media, Withheld, withheld
from loomapp.core.model.entities import AuthorType, ContextSettings
from loomapp.core.model.tree import Tree
from loomapp.core.paths import navigation
from loomapp.core.paths.path import Path
from loomapp.core.prose.path_choice import path_reading
from loomapp.core.sentences import worded
from loomapp.core.text.token_counts import BY_CHARACTERS, TokenEstimator
from loomapp.core.times import Milliseconds


class ModelCapability(Protocol):
    """Known abilities of one model at one endpoint; see `providers.protocols.model_rules`."""

    @property
    def context_window(self) -> int:
        """Tokens, answer included."""

    @property
    def provider_rules(self) -> str: ...

    @property
    def accepts_images(self) -> bool: ...

    @property
    def continues_documents(self) -> bool:
        """True if a Buffer's text itself can be sent; else it goes as a message with an instruction."""

    @property
    def fills_in(self) -> bool:
        """True if a document can be sent with the text that is to follow the answer."""

    @property
    def takes_messages(self) -> bool:
        """True if a conversation can be sent as one; else it goes as a written-out text."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """Question that a person is about to ask: an agent, a place in the tree, and words not committed yet."""

    agent: Agent
    sources: Sources
    composer_text: str = ""
    defaults: AppContextSettings = AppContextSettings()
    overrides: ContextSettings = ContextSettings()  # of this question alone
    composer_blocks: tuple[Block, ...] = ()  # attached to what is written, in Dialogue
    commits_text: bool = False  # what is written becomes a node before anything is sent, in Buffer too
    media: Media | None = None  # where the images are; without it none is looked for
    withheld: Mapping[str, Withheld] = field(default_factory=dict)  # known to be unsendable already
    suffix: str = ""  # what follows the answer, in Buffer
    selections: Mapping[str, str] | None = None  # by which the way is found; None: those the tree stores
    calls: Calls = field(default_factory=dict)  # of the tree's nodes, as far as economy is to know them
    now: Milliseconds = 0  # since what time nothing was asked is counted from
    load: GivenLoad = NO_LOAD  # in place of what the calls tell
    aware: AwareAgent | Awareness | None = None  # who sees the tree, or what was sent to one
    estimator: TokenEstimator = BY_CHARACTERS


def fills_in(capability: ModelCapability) -> bool:
    return capability.fills_in and capability.continues_documents


def context_request(tree: Tree, question: AskedQuestion, capability: ModelCapability) -> ContextRequest:
    """Return the assembler's request for a question. Composer text is a message to come in Dialogue, and the
    working buffer in Buffer.
    """
    in_buffer = tree.loom.mode == "buffer"
    text = question.composer_text
    return ContextRequest(
        at=question.sources.primary_id,
        window=capability.context_window,
        overrides=question.overrides,
        defaults=question.defaults,
        system_prompt=question.agent.configuration.system_prompt,
        max_tokens=question.agent.configuration.max_tokens,
        context_ids=question.sources.context_ids,
        instruction_ids=question.sources.instruction_ids,
        working_buffer=text if in_buffer else "",
        commits_buffer=question.commits_text,
        suffix=question.suffix if in_buffer else "",
        composer_text=text if not in_buffer and text.strip() else None,
        composer_blocks=() if in_buffer else question.composer_blocks,
        provider_rules="none" if in_buffer else capability.provider_rules,
        accepts_images=capability.accepts_images and capability.takes_messages,
        withheld=question.withheld,
        selections=question.selections,
        model=question.agent.model_ref,
        calls=question.calls,
        now=question.now,
        can_read=question.agent.type == "model" and question.agent.loom_aware,
        load=question.load,
        aware=question.aware,
        estimator=question.estimator,
    )


def assembled_for(tree: Tree, question: AskedQuestion, capability: ModelCapability) -> Assembled:
    """The context of a question: what the preview shows and what is sent. Raises: AssemblyError.

    An image that cannot be sent as one goes as its placeholder, and the report says so.
    A Buffer's document goes out as it is where the model continues documents, else as a message; a dialogue
    goes to a model that only continues texts as one text. A suffix goes only to a model that is known to take
    one: many servers pass over it without a word, and would continue the text instead.
    """
    if question.suffix and not fills_in(capability):
        raise AssemblyError(
            "NO_FILL_IN",
            worded(
                "{name} is not known to take the text after the caret, so it cannot fill in. "
                "The Agents page tells of each model; you can say there that it does.",
                name=question.agent.name,
            ),
        )
    request = context_request(tree, question, capability)
    assembled = assemble(tree, request)
    if found := withheld(assembled.images, question.media):
        assembled = assemble(tree, replace(request, withheld={**request.withheld, **found}))
    rules = PROVIDER_RULES[capability.provider_rules]
    if not assembled.is_document:
        return assembled if capability.takes_messages else assembled.as_transcript()
    if capability.continues_documents or rules is None:
        return assembled
    return assembled.as_chat(rules)


def request_for(
    assembled: Assembled, question: AskedQuestion, count: int, *, cache_key: str | None = None
) -> Request:
    """The request that carries an assembled context, for `count` choices.

    The answer may be as long as the room that was kept for it. `cache_key` is the same for all requests of
    one tree, which begin alike.
    """
    configuration = question.agent.configuration
    report = assembled.report
    return Request(
        model_ref=question.agent.model_ref or "",
        system=assembled.system,
        messages=assembled.messages,
        document=assembled.sent_document,
        suffix=None if assembled.suffix is None else assembled.suffix.text,
        n=count,
        max_tokens=configuration.max_tokens or (report.window - report.available),
        temperature=configuration.temperature,
        stop_sequences=configuration.stop_sequences,
        custom_parameters=configuration.sent_parameters,
        cache_key=cache_key,
        encode_image=no_image if question.media is None else partial(encoded_image, question.media),
    )


BEGINNING = "This is where the tree starts. Choose a message, then ask again for that."
EMPTY_ROOT = "The tree is still empty: write the first message, then Generate."
NOTE = "A note is not answered: retry the message that it is on."
NOTHING_BEFORE = "Nothing comes before this: there is nothing that could be asked again."
PRUNED = "This message is deleted: restore it first, then retry."
PARENT_PRUNED = "What comes before this is deleted: restore that first, then retry."
CONTINUED_PRUNED = "What this would continue is deleted: restore it first, then generate."


@dataclass(frozen=True, slots=True)
class SiblingRetry:
    """More answers like a node: siblings of it, asked from the sources that it hangs on."""

    sources: Sources


@dataclass(frozen=True, slots=True)
class Below:
    """Answers to a node itself."""

    node_id: str


def asked_again(tree: Tree, read: Path, node_id: str) -> SiblingRetry | Below:
    """Return what Retry asks for a node, on the path that is read or beside it.

    What a model wrote gets siblings, also where a person edited it since; a person's message gets answers,
    and a person's passage in a buffer is gone on from.

    Raises: InvalidInput with the reason if there is nothing to ask; AssemblyError for a damaged path.
    """
    if why := why_not(tree, node_id):
        raise InvalidInput(why)
    if _gets_answers(tree, node_id):
        return Below(node_id)
    edge = tree.incoming(node_id)[0]
    above = path_reading(tree, read, node_id).node_ids[-2]
    if tree.nodes[above].metadata.pruned:
        raise InvalidInput(PARENT_PRUNED)
    return SiblingRetry(Sources(above, edge.with_role("context"), edge.with_role("instruction")))


def why_not(tree: Tree, node_id: str) -> str:
    """Return why Retry has nothing to ask for a node, for people; "" if it has."""
    node = tree.nodes.get(node_id)
    if node is None or tree.is_empty_root(node_id):
        return BEGINNING if tree.children(tree.root_id) else EMPTY_ROOT
    if tree.annotation_edges_into(node_id):
        return NOTE
    if _gets_answers(tree, node_id):
        return PRUNED if node.metadata.pruned else ""
    if not tree.incoming(node_id):
        return NOTHING_BEFORE
    above = navigation.parent(tree, node_id)
    return PARENT_PRUNED if above is not None and tree.nodes[above].metadata.pruned else ""


def why_not_continued(tree: Tree, node_id: str) -> str:
    """Return why nothing can be asked below a node, for people; "" if it can: nobody would see what comes."""
    return "" if navigation.lives(tree, node_id) else CONTINUED_PRUNED


def gets_answers(tree: Tree, node_id: str) -> bool:
    """Return True if Retry asks for answers to a node itself, where it has anything to ask."""
    return not why_not(tree, node_id) and _gets_answers(tree, node_id)


def _gets_answers(tree: Tree, node_id: str) -> bool:
    return _first_author(tree, node_id) != "model"


def _first_author(tree: Tree, node_id: str) -> AuthorType:
    """Return the author of the text that a node goes back to by edits."""
    return tree.nodes.get(tree.family(node_id), tree.nodes[node_id]).author_type
