"""An agent: a person or a model that authors nodes; how a model is asked, and what each may do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from loomapp.core.model.content import Extra
from loomapp.core.model.entities import AuthorType
from loomapp.core.times import Milliseconds


@dataclass(frozen=True, slots=True)
class Configuration:
    """System prompt and sampling of an agent. None leaves the model's default."""

    system_prompt: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    stop_sequences: tuple[str, ...] = ()
    custom_parameters: Mapping[str, object] = field(default_factory=dict)
    extra: Extra = field(default_factory=dict)


ASK: Final = "ask"
Permission: TypeAlias = bool | Literal["ask"]  # a person is asked each time
PermissionName: TypeAlias = Literal["loom_write", "loom_generate", "doc_read", "doc_write"]
PERMISSION_NAMES: tuple[PermissionName, ...] = ("loom_write", "loom_generate", "doc_read", "doc_write")


@dataclass(frozen=True, slots=True)
class Permissions:
    """Rights of an agent in looms and documents."""

    loom_write: Permission = True
    loom_generate: Permission = True
    doc_read: Permission = True
    doc_write: Permission = True
    extra: Extra = field(default_factory=dict)

    def of(self, name: PermissionName) -> Permission:
        return {
            "loom_write": self.loom_write,
            "loom_generate": self.loom_generate,
            "doc_read": self.doc_read,
            "doc_write": self.doc_write,
        }[name]

    @property
    def granted(self) -> tuple[PermissionName, ...]:
        """The rights that nobody has to be asked for."""
        return tuple(name for name in PERMISSION_NAMES if self.of(name) is True)


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Limits of one run of a loom-aware agent. None leaves what is usual."""

    steps: int | None = None
    tokens: int | None = None
    seconds: int | None = None
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Agent:
    """A human or a model that authors nodes. `model_ref` is `provider:model`, None for humans."""

    id: str
    name: str
    type: AuthorType
    model_ref: str | None = None
    configuration: Configuration = Configuration()
    permissions: Permissions = Permissions()
    loom_aware: bool = False
    colour: str | None = None
    archived_at: Milliseconds | None = None
    extra: Extra = field(default_factory=dict)
    run_limits: RunLimits = RunLimits()
