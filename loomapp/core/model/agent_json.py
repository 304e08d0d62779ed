"""Agents as JSON values in the names of Loom JSON, and back; bad input is told by its place."""

from __future__ import annotations

from typing import cast

from loomapp.core.json_values import Json, JsonReader
from loomapp.core.model.agent import ASK, Agent, Configuration, Permission, Permissions, RunLimits
from loomapp.core.model.entities import AuthorType
from loomapp.core.times import iso_time


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
    """The limits that are set."""
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
