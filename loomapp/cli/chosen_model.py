"""The model that is asked: of the grove's agents, of the known endpoints, or of a server that was named."""

from __future__ import annotations

import argparse
import os
import urllib.parse
from collections.abc import Collection, Iterable
from dataclasses import replace

from loomapp.cli.arguments import Namespace, NotFound, Parser, UsageError
from loomapp.core.dataclass import dataclass
from loomapp.core.generation.provider import Provider
from loomapp.core.model.agent import Agent
from loomapp.providers.endpoints import address_fault, holds_key, keys_of_endpoints
from loomapp.providers.engine.engine import Engine
from loomapp.providers.engine.model_fetch import DEFAULT_MODEL_REF
from loomapp.providers.protocols.endpoint import Endpoint, read_timeout_s
from loomapp.providers.protocols.learned import learned
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.protocols.protocols import PROTOCOLS, base_of
from loomapp.providers.registry import RemoteModel, loads_model, provider_for, rules_for, silence_s
from loomapp.providers.run.run import LOCAL_S, REMOTE_S, Watchdog
from loomapp.store.grove.grove import Grove
from loomapp.store.grove.model_agents import CHOSEN, new_agent

NAMED = "endpoint"  # the provider in a model reference, for a server that only the command line named
UNNAMED_MODEL = "default"  # for servers that have one model and don't mind what it is called


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """A model, what is known of it, and how its provider is made. Without a reference: the grove's choice."""

    model_ref: str | None
    endpoint: Endpoint | None = None
    api: str = "chat"
    silence_s: float | None = None

    @property
    def is_unnamed(self) -> bool:
        """True for a server of which no model was named."""
        return self.model_ref == f"{NAMED}:{UNNAMED_MODEL}"

    def watchdog(self, model_ref: str) -> Watchdog:
        """Return what ends an answer that says nothing: nobody is asked here whether to wait."""
        if self.endpoint is not None:
            return Watchdog(self.silence_s or REMOTE_S, self.endpoint.name)
        begin = Watchdog.from_start if loads_model(model_ref) else Watchdog
        return begin(self.silence_s or silence_s(model_ref), model_ref)

    def rules(self, model_ref: str) -> ModelRules:
        if self.endpoint is None:
            return rules_for(model_ref)
        model = model_ref.partition(":")[2]
        return learned().applied(self.endpoint.base_url, model, PROTOCOLS[self.api].usual)

    def provider(self, model_ref: str, engine: Engine) -> Provider:
        """Return the provider that answers for a model. Raises: ProviderError."""
        if self.endpoint is None:
            return provider_for(model_ref, engine)
        model = model_ref.partition(":")[2]
        return RemoteModel(self.endpoint, PROTOCOLS[self.api], model, self.rules(model_ref), learned())


def add_endpoint_arguments(parser: Parser) -> None:
    """Add the arguments that name a server to be asked in place of the known ones."""
    parser.add_argument("--model", metavar="REF", help="such as local:NAME (default: the grove's model)")
    parser.add_argument("--endpoint", metavar="URL", help="a server that is asked in place of the known ones")
    parser.add_argument("--api", choices=tuple(PROTOCOLS), help="how --endpoint is spoken to (default: chat)")
    parser.add_argument("--api-key-env", metavar="NAME", help="the environment variable that holds its key")
    parser.add_argument(
        "--plain-http", action="store_true", help="let the key go over http to another computer"
    )
    parser.add_argument(
        "--silence",
        type=_seconds,
        metavar="SECONDS",
        help=f"how long no text may come (default: {REMOTE_S:g}, of a local model {LOCAL_S:g})",
    )


def asked(arguments: Namespace) -> ChosenModel:
    """Return the model that the arguments choose. Raises: UsageError."""
    if arguments.endpoint is None:
        if arguments.api is not None or arguments.api_key_env is not None:
            raise UsageError("--api and --api-key-env say how --endpoint URL is asked: name it")
        _refuse_key_as_model(arguments.model, keys_of_endpoints())
        return ChosenModel(arguments.model, silence_s=arguments.silence)
    api = arguments.api or "chat"
    key = _key(arguments.api_key_env)
    known = keys_of_endpoints() | {key}
    _refuse_key_as_model(arguments.model, known)
    endpoint = Endpoint(
        name=_host(arguments.endpoint, known),
        base_url=base_of(arguments.endpoint, PROTOCOLS[api]),
        api_key=key,
        read_timeout_s=read_timeout_s(arguments.silence or REMOTE_S),
    )
    if endpoint.tells_its_key and not arguments.plain_http:
        raise UsageError(
            f"{endpoint.name} is reached without encryption, and the key could be read on the way: "
            "use https, or allow it with --plain-http"
        )
    return ChosenModel(_model_ref(arguments.model), endpoint, api, arguments.silence)


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds") from None
    if not 0 < number <= 86_400:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 86400")
    return number


def _model_ref(model: str | None) -> str:
    if model is None:
        return f"{NAMED}:{UNNAMED_MODEL}"
    return model if ":" in model else f"{NAMED}:{model}"


def _host(url: str, known: Collection[str]) -> str:
    """Return what messages call the server: host and port. What may be a secret is not repeated."""
    if fault := address_fault(url, known):
        raise UsageError(f"--endpoint: the address {fault}; take that out, and {_KEYS_PLACE}")
    try:
        parts = urllib.parse.urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host = None
    if host is None or parts.scheme not in ("http", "https"):
        raise UsageError(
            f"--endpoint: expected is an address such as http://localhost:8080/v1; {_KEYS_PLACE}"
        )
    return host if port is None else f"{host}:{port}"


_KEYS_PLACE = "name the environment variable that holds a key with --api-key-env"


def _refuse_key_as_model(model: str | None, known: Collection[str]) -> None:
    if model is not None and holds_key(model, known):
        raise UsageError(f"--model: a key stands in place of the model's name; {_KEYS_PLACE}")


def _key(name: str | None) -> str:
    """Return the key that a variable holds. The name is not repeated: it may be the key itself."""
    if name is None:
        return ""
    key = os.environ.get(name, "").strip()
    if not key:
        raise UsageError(
            "--api-key-env: no environment variable of that name is set; what is expected is the name of "
            "one, such as OPENAI_API_KEY, that holds the key"
        )
    if not key.isascii() or not key.isprintable():
        raise UsageError(f"--api-key-env {name}: a key holds no line breaks and only ASCII characters")
    return key


def asked_agent(grove: Grove, model_ref: str | None) -> Agent:
    """The agent for a model; without a reference the one chosen in the window, else the first there is.

    One that the grove does not have yet is not saved: that is for when it has written something.
    Raises: InvalidInput if the reference is not `provider:model`.
    """
    models = [a for a in grove.agents() if a.type == "model" and a.model_ref and a.archived_at is None]
    if model_ref is None:
        chosen = grove.setting(CHOSEN)
        wanted = [agent for agent in models if agent.id == chosen] or models
    else:
        wanted = [agent for agent in models if agent.model_ref == model_ref]
    return wanted[0] if wanted else new_agent(model_ref or DEFAULT_MODEL_REF)


def named_agent(agents: Iterable[Agent], agent_id: str, whom: ChosenModel) -> Agent:
    """The model agent that an argument names by its id, with the model that was named if one was. Raises:
    NotFound.
    """
    agent = next((one for one in agents if one.id == agent_id and one.type == "model"), None)
    if agent is None:
        raise NotFound(f"there is no agent {agent_id} that is a model", agentId=agent_id)
    is_named = whom.model_ref is not None and (whom.endpoint is None or not whom.is_unnamed)
    return replace(agent, model_ref=whom.model_ref) if is_named or agent.model_ref is None else agent


def configured(agent: Agent, arguments: Namespace) -> Agent:
    """The agent with the limits that the arguments give for this once."""
    configuration = agent.configuration
    if arguments.max_tokens is not None:
        configuration = replace(configuration, max_tokens=arguments.max_tokens)
    if arguments.temperature is not None:
        configuration = replace(configuration, temperature=arguments.temperature)
    return replace(agent, configuration=configuration)
