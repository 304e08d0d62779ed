"""Inputs: everything that decides what is sent, apart from the words of the nodes, which never change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import field, replace
from itertools import takewhile

from loomapp.core.context.assembly import Assembled
from loomapp.core.context.awareness import Awareness
from loomapp.core.context.compression import is_full
from loomapp.core.context.economy import stages_on
from loomapp.core.context.passages import columns_of
from loomapp.core.context.settings import AppContextSettings, EffectiveSettings, effective
from loomapp.core.context.truncation import BUFFER_MARKER, CONTINUE, DEFAULT_STRATEGY, DIALOGUE_MARKER
from loomapp.core.dataclass import dataclass
from loomapp.core.errors import AssemblyError
from loomapp.core.generation.answers import Sources
from loomapp.core.generation.assemble_request import AskedQuestion, ModelCapability, assembled_for
from loomapp.core.model.agent import Agent, Configuration
from loomapp.core.model.content import Block, Image, Withheld, images_of, withheld
from loomapp.core.model.economy_settings import EconomySettings
from loomapp.core.model.entities import ActivePath, ContextSettings, IncludedAnnotations, Metadata, Node
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import KnownPaths, resolve
from loomapp.core.sent.economy import SentEconomy, economy_of
from loomapp.core.sent.estimators import by_parts, kept_of
from loomapp.core.text.token_counts import BY_CHARACTERS, TokenEstimator

NO_ECONOMY = SentEconomy()


@dataclass(frozen=True, slots=True)
class Model:
    """Abilities of a model as far as they decide what is sent; a Capability."""

    context_window: int = 128_000
    provider_rules: str = "none"
    accepts_images: bool = False
    continues_documents: bool = True
    takes_messages: bool = True
    fills_in: bool = False

    @classmethod
    def of(cls, known: ModelCapability) -> Model:
        return cls(
            known.context_window,
            known.provider_rules,
            known.accepts_images,
            known.continues_documents,
            known.takes_messages,
            known.fills_in,
        )


@dataclass(frozen=True, slots=True)
class Inputs:
    """One request as the assembler is asked for it. With the nodes of the tree it gives what is sent.

    `path` are the nodes from the first to the one that is continued. `excluded`, `pruned` and `included`
    name, of the nodes that could be sent, those with the flag, and the notes that are switched on.
    """

    path: tuple[str, ...]
    model: Model = Model()
    excluded: frozenset[str] = frozenset()
    pruned: frozenset[str] = frozenset()
    included: tuple[str, ...] = ()
    context_ids: tuple[str, ...] = ()
    instruction_ids: tuple[str, ...] = ()
    text: str = ""  # what stood in the composer, not committed
    blocks: tuple[Block, ...] = ()  # and what was attached to it: tried only, as it is committed to be sent
    commits_text: bool = False
    suffix: str = ""  # what was to follow the answer, as much of it as the model's window could ever hold
    withheld: Mapping[str, Withheld] = field(default_factory=dict)  # images that could not be sent
    system_prompt: str | None = None
    system_context: str | None = None
    buffer_system_context: bool = False
    truncation_strategy: str = DEFAULT_STRATEGY
    minimum_recent_nodes: int = 4
    token_buffer: int = 1024
    instruction_scope: str = "path"
    dialogue_marker: str = DIALOGUE_MARKER
    buffer_marker: str = BUFFER_MARKER
    continue_text: str = CONTINUE
    max_tokens: int | None = None
    economy: SentEconomy | None = None  # None: all of it was off, or had nothing to decide
    awareness: Awareness | None = None  # of a loom-aware agent
    estimator: TokenEstimator = BY_CHARACTERS

    @property
    def at(self) -> str:
        return self.path[-1]


def inputs_of(
    tree: Tree, question: AskedQuestion, known: ModelCapability, assembled: Assembled | None = None
) -> Inputs:
    """Return the present inputs of a question; `assembled` is its context, if it is there already.

    Raises: AssemblyError if there is no path to the node.
    """
    loom = tree.loom
    settings = effective(question.defaults, loom.context_settings, question.overrides)
    path = resolve(tree, question.sources.primary_id, question.selections)
    estimator = by_parts(question.estimator) if assembled is None else kept_of(question.estimator, assembled)
    if assembled is None and question.aware is not None:
        with suppress(AssemblyError):
            assembled = assembled_for(tree, question, known)
    beside = list(map(tree.nodes.__getitem__, _beside(tree, path.node_ids, question.sources)))
    places = takewhile(len(path.nodes).__gt__, columns_of(tree, path.nodes).others)
    others = [*map(path.nodes.__getitem__, places), *beside]  # the flagged and the images are among them
    marks = [node for node in others if node.metadata.excluded or node.metadata.pruned]
    return Inputs(
        path=path.node_ids,
        model=Model.of(known),
        excluded=frozenset(node.id for node in marks if node.metadata.excluded),
        pruned=frozenset(node.id for node in marks if node.metadata.pruned),
        included=_among(tree.included_annotations.node_ids, path.node_ids, beside),
        context_ids=question.sources.context_ids,
        instruction_ids=question.sources.instruction_ids,
        text=question.composer_text,
        blocks=question.composer_blocks,
        commits_text=question.commits_text,
        suffix=question.suffix[: 4 * known.context_window],
        withheld={**question.withheld, **withheld(_images(others), question.media)},
        system_prompt=question.agent.configuration.system_prompt,
        system_context=loom.system_context,
        buffer_system_context=loom.buffer_mode_system_context,
        truncation_strategy=settings.truncation_strategy,
        minimum_recent_nodes=settings.minimum_recent_nodes,
        token_buffer=settings.token_buffer,
        instruction_scope=settings.instruction_scope,
        dialogue_marker=settings.dialogue_marker,
        buffer_marker=settings.buffer_marker,
        continue_text=settings.continue_text,
        max_tokens=question.agent.configuration.max_tokens,
        economy=_economy(tree, question, known, settings, assembled),
        awareness=None if assembled is None else assembled.awareness,
        estimator=estimator,
    )


def _economy(
    tree: Tree,
    question: AskedQuestion,
    known: ModelCapability,
    settings: EffectiveSettings,
    assembled: Assembled | None,
) -> SentEconomy | None:
    """Decisions of economy for a question, which only assembling it tells; None where nothing can be sent."""
    stages = stages_on(tree, settings)
    if not (stages.chain or stages.compression or (stages.summary and tree.context_summaries)):
        return None
    if assembled is None:
        with suppress(AssemblyError):
            assembled = assembled_for(tree, question, known)
    return None if assembled is None else economy_of(tree, assembled)


def _images(nodes: Iterable[Node]) -> Iterator[Image]:
    return (image for node in nodes for image in images_of(node.content))


def settings_of(inputs: Inputs, economy: EconomySettings) -> ContextSettings:
    """Return the settings that inputs name, as a tree would say them, with those of its economy."""
    return ContextSettings(
        inputs.truncation_strategy,
        inputs.minimum_recent_nodes,
        inputs.token_buffer,
        inputs.instruction_scope,
        dialogue_marker=inputs.dialogue_marker,
        buffer_marker=inputs.buffer_marker,
        continue_text=inputs.continue_text,
        economy=economy,
    )


def assembled_from(tree: Tree, inputs: Inputs, seen: Tree | None = None) -> Assembled:
    """Assemble inputs again, whatever the tree says of flags, versions and settings by now. `seen` is what
    `as_seen` gave for them, if it is there already: of a long path it knows the most.

    Raises: AssemblyError; INVALID_SELECTION or NODE_NOT_FOUND if the path leads another way since.
    """
    configuration = Configuration(system_prompt=inputs.system_prompt, max_tokens=inputs.max_tokens)
    economy = inputs.economy or NO_ECONOMY
    agent = Agent("", "", "model", configuration=configuration, loom_aware=economy.can_read)
    question = AskedQuestion(
        agent,
        Sources(inputs.at, inputs.context_ids, inputs.instruction_ids),
        inputs.text,
        AppContextSettings(),
        settings_of(inputs, economy.settings),
        load=economy.load,
        estimator=inputs.estimator,
        composer_blocks=inputs.blocks,
        commits_text=inputs.commits_text,
        withheld=inputs.withheld,
        suffix=inputs.suffix,
        aware=inputs.awareness,
    )
    seen = as_seen(tree, inputs) if seen is None else seen
    if resolve(seen, inputs.at).node_ids != inputs.path:
        raise AssemblyError("INVALID_SELECTION", "The branch was moved since.", nodeId=inputs.at)
    return assembled_for(seen, question, inputs.model)


def as_seen(tree: Tree, inputs: Inputs) -> Tree:
    """The tree with the flags, versions and system context of the inputs; the tree itself is not touched.

    Raises: AssemblyError NODE_NOT_FOUND if a node of the path is gone.
    """
    sources = Sources(inputs.at, inputs.context_ids, inputs.instruction_ids)
    seen = tree.sketch()
    for node in list(_may_differ(tree, inputs, sources)):
        flagged = _flagged(node, inputs)
        if flagged != node.metadata:
            seen.put_node(replace(node, metadata=flagged))
    seen.loom = replace(
        tree.loom,
        system_context=inputs.system_context,
        buffer_mode_system_context=inputs.buffer_system_context,
        context_settings=ContextSettings(),
    )
    (inputs.economy or NO_ECONOMY).as_seen(seen, inputs.path[0])
    seen.path = ActivePath(inputs.at, dict(choices(tree, inputs.path)))
    seen.included_annotations = IncludedAnnotations(inputs.included)
    return seen


def seen_by(inputs: Inputs) -> tuple[object, ...]:
    """Return all of the inputs that `as_seen` looks at: where they are equal it gives the same."""
    return (
        inputs.path,
        inputs.excluded,
        inputs.pruned,
        inputs.included,
        inputs.context_ids,
        inputs.instruction_ids,
        inputs.system_context,
        inputs.buffer_system_context,
        inputs.economy,
    )


def _flagged(node: Node, inputs: Inputs) -> Metadata:
    excluded, pruned = node.id in inputs.excluded, node.id in inputs.pruned
    metadata = node.metadata
    if (metadata.excluded, metadata.pruned) != (excluded, pruned):
        metadata = replace(metadata, excluded=excluded, pruned=pruned)
    return metadata if inputs.economy is None else inputs.economy.flagged(node.id, metadata)


def within_reach(tree: Tree, inputs: Inputs, node_ids: frozenset[str]) -> frozenset[str]:
    """Return those nodes that could be sent with the inputs: on the path, beside it, or attached."""
    if not node_ids:
        return node_ids
    on_path = node_ids.intersection(inputs.path)
    if on_path == node_ids:
        return on_path
    sources = Sources(inputs.at, inputs.context_ids, inputs.instruction_ids)
    return on_path | node_ids.intersection(_beside(tree, inputs.path, sources))


def choices(tree: Tree, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Give the sources that a path takes where a way in has, by now, more than one: the node and what is
    before it.
    """
    plain = tree.plain_parents
    known = _resolved(tree, path)
    uneven = [i for i, node_id in enumerate(path) if node_id not in plain] if known is None else known.joints
    for index in uneven:
        if index and (tree.incoming(path[index]) or tree.annotation_edges_into(path[index])):
            yield path[index], path[index - 1]


def _resolved(tree: Tree, path: Sequence[str]) -> Path | None:
    """A path as it was found for today's choices, which knows where its ways in are uneven: a hundred
    thousand nodes need not be looked at. None if it leads elsewhere by now.
    """
    if not any(path[-1] in spine.path for spine in tree.caches.of(KnownPaths).spines):
        return None  # to walk there takes longer than to look at each
    with suppress(AssemblyError):
        found = resolve(tree, path[-1])
        if found.node_ids == path:
            return found
    return None


def _may_differ(tree: Tree, inputs: Inputs, sources: Sources) -> Iterable[Node]:
    """Of the nodes whose flags can decide what is sent those with flags, there or in the inputs; of a path
    that is not that of today each node.
    """
    known = _resolved(tree, inputs.path)
    if known is None:
        return _within_reach(tree, inputs.path, sources)
    length = len(known.nodes)
    places = set(takewhile(length.__gt__, columns_of(tree, known.nodes).others))
    named = (known.place_of(node_id) for node_id in inputs.excluded | inputs.pruned)
    places.update(place for place in named if place is not None)
    if inputs.economy is not None and inputs.economy.numbers is not None:
        full = inputs.economy.full
        places.update(i for i, node in enumerate(known.nodes) if is_full(node.metadata) or node.id in full)
    beside = (tree.nodes[node_id] for node_id in _beside(tree, inputs.path, sources))
    return {node.id: node for node in (*map(known.nodes.__getitem__, places), *beside)}.values()


def _within_reach(tree: Tree, path: Sequence[str], sources: Sources) -> Iterator[Node]:
    """Yield each node whose flags can decide what is sent, once: the path, its sources, and the
    notes on it.
    """
    found = map(tree.nodes.get, dict.fromkeys((*path, *_beside(tree, path, sources))))
    return (node for node in found if node is not None)


def _beside(tree: Tree, path: Sequence[str], sources: Sources) -> list[str]:
    """The nodes that can go along with a path: sources of its edges, notes on it, and what is attached."""
    plain, noted = tree.plain_parents, tree.noted
    known = _resolved(tree, path)
    if known is None:
        uneven = [node_id for node_id in path if node_id not in plain]
        with_notes = [node_id for node_id in path if node_id in noted]
    else:
        uneven = [path[place] for place in known.joints]
        with_notes = _among_few(known, noted)
    beside: dict[str, None] = {}
    for node_id in uneven:
        for edge in tree.incoming(node_id) or tree.annotation_edges_into(node_id):
            beside.update((source.node_id, None) for source in edge.sources if source.role != "primary")
    for node_id in with_notes:
        beside.update(dict.fromkeys(tree.notes(node_id)))
    beside.update(dict.fromkeys((*sources.context_ids, *sources.instruction_ids)))
    return [node_id for node_id in beside if node_id in tree.nodes]


def _among_few(path: Path, node_ids: AbstractSet[str]) -> list[str]:
    if len(node_ids) >= len(path.node_ids):
        return [node_id for node_id in path.node_ids if node_id in node_ids]
    return sorted((i for i in node_ids if i in path), key=path.places.__getitem__)


def _among(node_ids: Iterable[str], path: Iterable[str], beside: Iterable[Node]) -> tuple[str, ...]:
    """Return the ids that are within reach, in their order."""
    wanted = tuple(node_ids)
    if not wanted:
        return ()
    known = {*path, *(node.id for node in beside)}
    return tuple(node_id for node_id in wanted if node_id in known)
