"""Context settings: the app's, a tree's own, a request's, and which of them counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from loomapp.core.context.truncation import BUFFER_MARKER, CONTINUE, DEFAULT_STRATEGY, DIALOGUE_MARKER, FAULTS
from loomapp.core.dataclass import dataclass
from loomapp.core.model.economy_settings import DEFAULTS as ECONOMY
from loomapp.core.model.economy_settings import Economy, in_force
from loomapp.core.model.entities import ContextSettings

Origin: TypeAlias = Literal["app", "tree", "request"]
TEXTS = ("dialogue_marker", "buffer_marker", "continue_text")
FIELDS = ("truncation_strategy", "minimum_recent_nodes", "token_buffer", "instruction_scope", *TEXTS)


@dataclass(frozen=True, slots=True)
class AppContextSettings:
    """Context settings that every tree inherits."""

    truncation_strategy: str = DEFAULT_STRATEGY
    minimum_recent_nodes: int = 4  # units, at least 1
    token_buffer: int = 1024  # room for the answer, tokens
    instruction_scope: str = "path"  # path, or pending
    dialogue_marker: str = DIALOGUE_MARKER  # see texts.marker_for
    buffer_marker: str = BUFFER_MARKER
    continue_text: str = CONTINUE
    economy: Economy = ECONOMY


@dataclass(frozen=True, slots=True)
class EffectiveSettings:
    """The values that count for one request; `origins` says for each field where it comes from."""

    truncation_strategy: str
    minimum_recent_nodes: int
    token_buffer: int
    instruction_scope: str
    dialogue_marker: str
    buffer_marker: str
    continue_text: str
    origins: Mapping[str, Origin]
    economy: Economy = ECONOMY


def effective(app: AppContextSettings, tree: ContextSettings, request: ContextSettings) -> EffectiveSettings:
    """Field by field: the request's value if it has one, else the tree's, else the app's."""
    origins = {name: _origin(name, tree, request) for name in FIELDS}
    strategy = request.truncation_strategy or tree.truncation_strategy or app.truncation_strategy
    scope = request.instruction_scope or tree.instruction_scope or app.instruction_scope
    recent = _first(request.minimum_recent_nodes, tree.minimum_recent_nodes, app.minimum_recent_nodes)
    token_buffer = _first(request.token_buffer, tree.token_buffer, app.token_buffer)
    dialogue, buffer, go_on = (_text(name, app, tree, request) for name in TEXTS)
    economy = in_force(app.economy, tree.economy, request.economy)
    return EffectiveSettings(
        strategy, max(1, recent), token_buffer, scope, dialogue, buffer, go_on, origins, economy
    )


def _text(name: str, app: AppContextSettings, tree: ContextSettings, request: ContextSettings) -> str:
    """A text that is not as the rules need it counts as none."""
    found = (getattr(level, name) for level in (request, tree, app))
    usable = (text for text in found if text is not None and FAULTS[name](text) is None)
    return str(next(usable, getattr(AppContextSettings(), name)))


def _first(request: int | None, tree: int | None, app: int) -> int:
    if request is not None:
        return request
    return app if tree is None else tree


def _origin(name: str, tree: ContextSettings, request: ContextSettings) -> Origin:
    if getattr(request, name) is not None:
        return "request"
    return "app" if getattr(tree, name) is None else "tree"
