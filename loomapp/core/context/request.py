"""Requests for a context: all wishes for one assembly, and the parts that they put in place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from loomapp.core.context.awareness import AwareAgent, Awareness, awareness_of
from loomapp.core.context.messages import Rendered, render_blocks
from loomapp.core.context.passages import ContextPassages
from loomapp.core.context.settings import AppContextSettings, EffectiveSettings
from loomapp.core.context.units import Drops, Placing
from loomapp.core.dataclass import dataclass
from loomapp.core.economy.calls import Calls
from loomapp.core.economy.compression import CarriedOn
from loomapp.core.model.content import Block, Text, Withheld, becomes_node
from loomapp.core.model.entities import ContextSettings, Edge, Mode
from loomapp.core.model.tree import Tree
from loomapp.core.paths.path import Path
from loomapp.core.paths.resolve import node_not_found
from loomapp.core.text.token_counts import BY_CHARACTERS, TokenEstimator
from loomapp.core.times import Milliseconds

UNNAMED = "image"  # what an image is called that is no node yet and has no text of its own


@dataclass(frozen=True, slots=True)
class GivenLoad:
    """A load that is given, in place of what the calls on a path tell. A utilisation that is given carries
    nothing on but `carried`. `idle` counts where `is_idle_given`: seconds, or None for never called.
    """

    utilization: float | None = None
    idle: float | None = None
    is_idle_given: bool = False
    carried: tuple[CarriedOn, ...] = ()


NO_LOAD = GivenLoad()


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """Wishes for one assembly at a node. The defaults send what the tree itself says.

    `context_ids` and `instruction_ids` are the sources of the generation about to run. `selections` and
    `included_annotations` stand in place of the tree's own unless None. `composer_text` (Dialogue) is a human
    message after `at` that is not committed yet, with `composer_blocks` before its text; `working_buffer`
    (Buffer) is text at the end, with `commits_buffer` as a node that is still to be made: the sources of the
    generation then stand before it. `suffix` (Buffer) is the text that follows what is written: the answer is
    to lead there. `withheld` are images, by reference, that cannot be sent, and why.

    What economy needs to know: `model` is the one that is asked (None: whichever), `calls` the calls behind
    the tree's nodes, `now` the time in milliseconds, `can_read` that the agent has a command that reads a
    node, and `load` what stands in place of what the calls tell. `estimator` counts every token of it.

    `aware` is the loom-aware agent that is asked, or what one was sent in the past; nothing in a Buffer.
    """

    at: str
    window: int = 128_000
    overrides: ContextSettings = field(default_factory=ContextSettings)
    defaults: AppContextSettings = field(default_factory=AppContextSettings)
    system_prompt: str | None = None
    max_tokens: int | None = None
    context_ids: tuple[str, ...] = ()
    instruction_ids: tuple[str, ...] = ()
    included_annotations: tuple[str, ...] | None = None
    selections: Mapping[str, str] | None = None
    working_buffer: str = ""
    commits_buffer: bool = False
    suffix: str = ""
    composer_text: str | None = None
    composer_blocks: tuple[Block, ...] = ()
    provider_rules: str = "none"
    accepts_images: bool = True
    withheld: Mapping[str, Withheld] = field(default_factory=dict)
    model: str | None = None
    calls: Calls = field(default_factory=dict)
    now: Milliseconds = 0
    can_read: bool = False
    load: GivenLoad = NO_LOAD
    aware: AwareAgent | Awareness | None = None
    estimator: TokenEstimator = BY_CHARACTERS


def check_ids(tree: Tree, request: ContextRequest, path: Path) -> None:
    """Everything the path's edges refer to and everything asked for must be there.

    What the tree itself stores of choices and inclusions may name nodes that are gone.
    """
    asked = [
        source.node_id for edge in path.joints.values() for source in edge.sources if source.role != "primary"
    ]
    asked += (*request.context_ids, *request.instruction_ids)
    if request.included_annotations is not None:
        stored = set(tree.included_annotations.node_ids)
        asked += [node_id for node_id in request.included_annotations if node_id not in stored]
    if request.selections is not None:
        choices = tree.path.selections
        asked += [i for pair in request.selections.items() if choices.get(pair[0]) != pair[1] for i in pair]
    for node_id in asked:
        if node_id not in tree.nodes:
            raise node_not_found(node_id)


def placing_of(tree: Tree, request: ContextRequest, path: Path) -> Placing:
    """Place all that a request could send: the path, what goes along, and text that is no node yet."""
    mode = tree.loom.mode
    included = request.included_annotations
    switched_on = frozenset(tree.included_annotations.node_ids if included is None else included)
    contexts = {i - 1: ids for i, edge in path.joints.items() if (ids := edge.with_role("context"))}
    composed = _composed(request) if mode == "dialogue" else ()
    written = request.working_buffer if mode == "buffer" else ""
    if request.context_ids and not _is_to_come(request, mode):
        contexts[len(path.node_ids) - 1] = request.context_ids
    passages, drops = ContextPassages(estimator=request.estimator), Drops(estimator=request.estimator)
    as_images = request.accepts_images
    placing = Placing(tree, path, contexts, switched_on, as_images, request.withheld, passages, drops)
    placing.place_path()
    if composed:
        placing.place_composed(composed, request.context_ids)
    if written and request.commits_buffer:
        placing.place_buffer_to_come(written, request.context_ids)
    elif written:
        placing.place_working_buffer(written)
    passages.count()
    return placing


def make_aware(
    tree: Tree, request: ContextRequest, placing: Placing, settings: EffectiveSettings
) -> Awareness | None:
    """Put with the parts what a loom-aware agent gets beside them, and return it; None for any other."""
    passages, aware = placing.passages, request.aware
    if aware is None or tree.loom.mode == "buffer" or not passages.units:
        return None
    if isinstance(aware, AwareAgent):
        aware = awareness_of(tree, placing.path, passages.node_ids, aware)
    aware.put_into(passages, tree.nodes, settings.continue_text)
    return aware


def _is_to_come(request: ContextRequest, mode: Mode) -> bool:
    """True if a node is made before anything is sent: the sources of the generation are then its own, and
    stay out with it if it says nothing.
    """
    if mode == "buffer":
        return bool(request.working_buffer) and request.commits_buffer
    return becomes_node(request.composer_text or "", request.composer_blocks)


def _composed(request: ContextRequest) -> Sequence[Rendered]:
    blocks = (*request.composer_blocks, Text(request.composer_text or ""))
    return render_blocks(blocks, "dialogue", UNNAMED)


def instruction_ids_of(path: Path, request: ContextRequest, settings: EffectiveSettings) -> Iterable[str]:
    """The instruction sources of a request, in the order in which they stand, each once."""
    edges: Iterable[Edge] = path.joints.values() if settings.instruction_scope == "path" else ()
    on_path = (node_id for edge in edges for node_id in edge.with_role("instruction"))
    return dict.fromkeys((*on_path, *request.instruction_ids))
