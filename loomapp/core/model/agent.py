"""An agent: a person or a model that authors nodes; how a model is asked, and its JSON in Loom JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final, Literal, TypeAlias, cast

from loomapp.core.dataclass import dataclass
from loomapp.core.json_values import Json, JsonReader
from loomapp.core.model.content import Extra
from loomapp.core.model.entities import AuthorType
from loomapp.core.times import Milliseconds, iso_time

SET_BY_LOOMAPP: Final = frozenset(
    {
        *("model", "messages", "input", "prompt", "suffix", "system", "instructions"),
        *("n", "stream", "stream_options", "store"),
        *("models", "best_of", "conversation", "previous_response_id", "transforms"),  # OpenRouter's last
    }
)
"""Parameters that decide which model reads what, and how often it answers: set as a custom one, any of them
would send something else than is shown.
"""


@dataclass(frozen=True, slots=True)
class Configuration:
    """System prompt and sampling of an agent. None leaves the model's default."""

    system_prompt: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    stop_sequences: tuple[str, ...] = ()
    custom_parameters: Mapping[str, object] = field(default_factory=dict)
    extra: Extra = field(default_factory=dict)

    @property
    def sent_parameters(self) -> Mapping[str, object]:
        """Custom parameters without those that Loomapp sets itself: an agent from a file may name them."""
        return {name: value for name, value in self.custom_parameters.items() if name not in SET_BY_LOOMAPP}


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


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Limits of one run of a loom-aware agent. None leaves what is usual."""

    steps: int | None = None
    tokens: int | None = None
    seconds: int | None = None
    extra: Extra = field(default_factory=dict)


USUAL_STEPS, USUAL_TOKENS, USUAL_SECONDS = 8, 20_000, 300


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


def agent_to_json(agent: Agent) -> Json:
    configuration, permissions = agent.configuration, agent.permissions
    return {
        "id": agent.id,
        "name": agent.name,
        "type": agent.type,
        "modelRef": agent.model_ref,
        "configuration": {
            "systemPrompt": configuration.system_prompt,
            "temperature": configuration.temperature,
            "maxTokens": configuration.max_tokens,
            "stopSequences": list(configuration.stop_sequences),
            "customParameters": dict(configuration.custom_parameters),
            **configuration.extra,
        },
        "permissions": {
            "loomWrite": permissions.loom_write,
            "loomGenerate": permissions.loom_generate,
            "docRead": permissions.doc_read,
            "docWrite": permissions.doc_write,
            **permissions.extra,
        },
        **({} if agent.run_limits == RunLimits() else {"runLimits": run_limits_to_json(agent.run_limits)}),
        "loomAware": agent.loom_aware,
        "colour": agent.colour,
        "archivedAt": None if agent.archived_at is None else iso_time(agent.archived_at),
        **agent.extra,
    }


def agent_from_json(value: object, place: str) -> Agent:
    """An agent. Raises: InvalidInput with the place."""
    reader = JsonReader(value, place)
    kind = cast(AuthorType, reader.one_of("type", ("human", "model"), "model"))
    agent_id = reader.name("id")
    return Agent(
        id=agent_id,
        name=reader.optional_text("name") or agent_id,
        type=kind,
        model_ref=reader.optional_text("modelRef"),
        configuration=_configuration(reader.inner("configuration")),
        permissions=_permissions(reader.inner("permissions")),
        loom_aware=reader.flag("loomAware", kind == "human"),
        colour=reader.optional_text("colour"),
        archived_at=reader.time("archivedAt"),
        run_limits=run_limits_from_reader(reader.inner("runLimits")),
        extra=reader.rest,
    )


def run_limits_to_json(limits: RunLimits) -> Json:
    limited = {"steps": limits.steps, "tokens": limits.tokens, "seconds": limits.seconds}
    return {**{name: most for name, most in limited.items() if most is not None}, **limits.extra}


def run_limits_from_reader(reader: JsonReader) -> RunLimits:
    """The limits of runs. Raises: InvalidInput with the place."""

    def limit(name: str) -> int | None:
        value = reader.integer(name)
        if value is not None and value < 1:
            raise reader.wrong(name, value, "is less than 1")
        return value

    return RunLimits(limit("steps"), limit("tokens"), limit("seconds"), reader.rest)


def _configuration(reader: JsonReader) -> Configuration:
    return Configuration(
        system_prompt=reader.optional_text("systemPrompt"),
        temperature=reader.number("temperature"),
        max_tokens=reader.integer("maxTokens"),
        stop_sequences=reader.texts("stopSequences"),
        custom_parameters=reader.mapping("customParameters"),
        extra=reader.rest,
    )


def _permissions(reader: JsonReader) -> Permissions:
    return Permissions(
        loom_write=_permission(reader, "loomWrite"),
        loom_generate=_permission(reader, "loomGenerate"),
        doc_read=_permission(reader, "docRead"),
        doc_write=_permission(reader, "docWrite"),
        extra=reader.rest,
    )


def _permission(reader: JsonReader, name: str) -> Permission:
    value = reader.take(name)
    if value is None or isinstance(value, bool):
        return value is not False
    if value == ASK:
        return ASK
    raise reader.wrong(name, value, 'is neither true nor false nor "ask"')
