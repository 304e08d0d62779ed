"""Context settings: the app's, a tree's own, a request's, and which of them counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from loomapp.core.tree import ContextSettings

Origin: TypeAlias = Literal["app", "tree", "request"]
FIELDS = ("truncation_strategy", "minimum_recent_nodes", "token_buffer", "instruction_scope")


@dataclass(frozen=True, slots=True)
class AppContextSettings:
    """What every tree inherits."""

    truncation_strategy: str = "truncateMiddle"  # a name in truncation.STRATEGIES
    minimum_recent_nodes: int = 4  # units, at least 1
    token_buffer: int = 1024  # room for the answer, tokens
    instruction_scope: str = "path"  # path, or pending


@dataclass(frozen=True, slots=True)
class EffectiveSettings:
    """The values that count for one request; `origins` says for each field where it comes from."""

    truncation_strategy: str
    minimum_recent_nodes: int
    token_buffer: int
    instruction_scope: str
    origins: Mapping[str, Origin]


def effective(app: AppContextSettings, tree: ContextSettings, request: ContextSettings) -> EffectiveSettings:
    """Field by field: the request's value if it has one, else the tree's, else the app's."""
    origins = {name: _origin(name, tree, request) for name in FIELDS}
    strategy = request.truncation_strategy or tree.truncation_strategy or app.truncation_strategy
    scope = request.instruction_scope or tree.instruction_scope or app.instruction_scope
    recent = _first(request.minimum_recent_nodes, tree.minimum_recent_nodes, app.minimum_recent_nodes)
    token_buffer = _first(request.token_buffer, tree.token_buffer, app.token_buffer)
    return EffectiveSettings(strategy, max(1, recent), token_buffer, scope, origins)


def _first(request: int | None, tree: int | None, app: int) -> int:
    if request is not None:
        return request
    return app if tree is None else tree


def _origin(name: str, tree: ContextSettings, request: ContextSettings) -> Origin:
    if getattr(request, name) is not None:
        return "request"
    return "app" if getattr(tree, name) is None else "tree"
