"""The registry of providers: who answers for `provider:model`, and what is known of it.

A server is no row here: it is an endpoint of the user's, spoken to by a row of `protocols.PROTOCOLS`.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from loomapp.core.dataclass import dataclass
from loomapp.core.errors import InvalidInput, LoomError
from loomapp.core.generation.provider import (
    Adjusted,
    Provider,
    ProviderError,
    ReasoningDelta,
    Request,
    Stop,
    StreamEvent,
    TextDelta,
)
from loomapp.core.sentences import sentence, worded
from loomapp.providers.endpoints import (
    EndpointSetting,
    ModelList,
    endpoint_settings,
    lender_of,
    listed_window,
    lists_folder,
    names_apart,
)
from loomapp.providers.engine import model_files
from loomapp.providers.engine.engine import Engine
from loomapp.providers.engine.local_model import LocalModel
from loomapp.providers.engine.model_files import local_rules
from loomapp.providers.keys import key_for
from loomapp.providers.protocols.bodies import answer_tokens, shortened
from loomapp.providers.protocols.endpoint import Admission, Endpoint, read_timeout_s
from loomapp.providers.protocols.exchange import Call
from loomapp.providers.protocols.learned import Learned, healed, learned
from loomapp.providers.protocols.model_rules import ModelRules, seeded_rules
from loomapp.providers.protocols.protocols import LOADING, PROTOCOLS, Body, Protocol, base_of, spoken
from loomapp.providers.run.run import LOCAL_S, REMOTE_S

LIST_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class InProcessProvider:
    """A provider that needs no endpoint, since it answers on this computer.

    `title` is its name in lists of endpoints, `spoken` tells how it is spoken to, `models` names what can be
    asked without asking anybody, and `body` is a request as the preview shows it. Its answers rest on a
    response, by which they can be verified, if it speaks over `providers.protocols.wire`.
    """

    name: str  # before the colon of `provider:model`
    title: str
    spoken: str
    make: Callable[[str, Engine], Provider]
    models: Callable[[], Sequence[str]]
    body: Body
    loads_model: bool = False  # with the embedded engine, which takes its time and system libraries


def provider_for(model_ref: str, engine: Engine) -> Provider:
    """The provider of a model. Imports no SDK.

    Raises: ProviderError if nobody knows the prefix; InvalidInput if the user's endpoints can't be read.
    """
    prefix, _, model = model_ref.partition(":")
    if prefix in PROVIDERS:
        return PROVIDERS[prefix].make(model_ref, engine)
    settings = endpoint_settings()
    if prefix not in settings:
        known = ", ".join(f"{name}:…" for name in (*PROVIDERS, *settings))
        raise ProviderError(
            "modelNotFound",
            worded(
                "No provider answers for {model_ref!r}. Choose a model of: {known}",
                model_ref=model_ref,
                known=known,
            ),
        )
    return remote_model(settings[prefix], model)


def rules_for(model_ref: str) -> ModelRules:
    """Return what is known of a model: from the table, and from what it was found to refuse."""
    prefix, _, model = model_ref.partition(":")
    if loads_model(model_ref):
        return local_rules(model_ref)
    setting = None if prefix in PROVIDERS else endpoint_settings().get(prefix)
    if setting is None:
        return learned().applied(prefix, model, seeded_rules(model_ref))
    return _rules(setting, PROTOCOLS[setting.api], model)


def remote_model(setting: EndpointSetting, model: str) -> RemoteModel:
    """A model at an endpoint. Its key is looked for when it is asked: a keychain may take its time."""
    protocol = PROTOCOLS[setting.api]
    endpoint = _endpoint(setting, read_timeout_s(setting.silence_s))
    ask_key = functools.partial(_key, setting) if setting.key_name else None
    rules = _rules(setting, protocol, model)
    return RemoteModel(endpoint, protocol, model, rules, learned(), ask_key, turns(endpoint, setting.at_once))


def listed_models(setting: EndpointSetting, call: Call, *, anew: bool = False) -> ModelList:
    """Return which models an endpoint has, as it says or said; `anew` asks also where a list of today is
    kept.

    Blocks: not for the GUI thread; `call` may be stopped from elsewhere. Raises: ProviderError if it can't
    be asked and nothing is kept.
    """
    with LOADING:
        from loomapp.providers.model_lists import model_list  # late: it brings httpx

    ask_key = functools.partial(_key, setting) if setting.key_name else None
    endpoint = _endpoint(setting, LIST_TIMEOUT_S)
    return model_list(endpoint, lists_folder(), ask_key=ask_key, anew=anew, call=call)


def _endpoint(setting: EndpointSetting, timeout_s: float) -> Endpoint:
    return Endpoint(
        name=setting.name,
        base_url=base_of(setting.base_url, PROTOCOLS[setting.api]),
        api_key="",
        headers=setting.headers,
        key_header=setting.key_header,
        read_timeout_s=timeout_s,
    )


def endpoint_name(model_ref: str) -> str:
    """Return the name for people of where a model is asked; the word before its colon if nobody knows
    that.
    """
    prefix = model_ref.partition(":")[0]
    if prefix in PROVIDERS:
        return PROVIDERS[prefix].title
    try:
        return names_apart(endpoint_settings())[prefix]
    except (KeyError, InvalidInput):
        return prefix


def silence_s(model_ref: str) -> float:
    """Return how long a model may write nothing."""
    prefix = model_ref.partition(":")[0]
    setting = None if prefix in PROVIDERS else endpoint_settings().get(prefix)
    return LOCAL_S if prefix in PROVIDERS else REMOTE_S if setting is None else float(setting.silence_s)


def turns(endpoint: Endpoint, at_once: int) -> Admission:
    """Return whose turn it is at an endpoint: first come, first served, shared by all that ask there."""
    with _TURNS_LOCK:
        return _TURNS.setdefault((endpoint.base_url, at_once), Admission(tokens=0, choices=at_once))


_TURNS_LOCK = threading.Lock()
_TURNS: dict[tuple[str, int], Admission] = {}


def _key(setting: EndpointSetting) -> str:
    """The key of an endpoint. Blocks. Raises: ProviderError if it is nowhere, or may not travel."""
    key = key_for(setting.key_name)
    if key is None:
        raise ProviderError(
            "authenticationFailed",
            worded(
                "{name} needs a key. Set {key_name}, or enter one under Endpoints and keys.",
                name=setting.name,
                key_name=setting.key_name,
            ),
            provider=setting.name,
        )
    if (lender := lender_of(setting)) and not setting.lent_key:
        raise ProviderError(
            "invalidRequest",
            worded(
                "{name}: the key of {lender} would go to {base_url}. Give it its own key, or allow it in "
                "Models, Endpoints.",
                name=setting.name,
                lender=lender,
                base_url=setting.base_url,
            ),
            provider=setting.name,
        )
    if setting.is_open_to_others and not setting.plain_http:
        raise ProviderError(
            "invalidRequest",
            worded(
                "{name}: the key would go unencrypted to {base_url}. Use an https:// address, or allow it in "
                "Models, Endpoints.",
                name=setting.name,
                base_url=setting.base_url,
            ),
            provider=setting.name,
        )
    return key.text


CONTINUES = frozenset({"llamacpp", "vllm", "koboldcpp"})
"""Servers of chats that also go on with a raw text. Ollama's puts a template around it, and of a service it
depends on the model: there its user tells, on the page of agents."""


def _rules(setting: EndpointSetting, protocol: Protocol, model: str) -> ModelRules:
    """The table, then what the endpoint lists, then what was learned of it or told by its user."""
    base_url = base_of(setting.base_url, protocol)
    rules = seeded_rules(f"{setting.id}:{model}", protocol.usual)
    window = listed_window(base_url, model, lists_folder())
    if window is not None:
        rules = replace(rules, context_window=window)
    if setting.id in CONTINUES and setting.api == "chat":
        rules = replace(rules, continues_documents=True)
    known = learned().applied(base_url, model, rules)
    if setting.api != "chat":  # what was said of the chat at this address is no word on another protocol
        known = replace(known, continues_documents=protocol.usual.continues_documents)
    return known


def _local(model_ref: str, engine: Engine) -> Provider:
    return LocalModel(engine, model_ref)


def _local_models() -> list[str]:
    return [model.name for model in model_files.models()]


def _local_body(request: Request, rules: ModelRules) -> dict[str, Any]:
    protocol = PROTOCOLS["chat" if request.document is None else "completions"]
    return protocol.body(replace(request, max_tokens=answer_tokens(request, rules)), rules)


def loads_model(model_ref: str) -> bool:
    """True if a model is loaded by the embedded engine before it answers."""
    provider = PROVIDERS.get(model_ref.partition(":")[0])
    return provider is not None and provider.loads_model


PROVIDERS: Mapping[str, InProcessProvider] = {
    provider.name: provider
    for provider in (
        InProcessProvider(
            "local", "This computer", "llama.cpp", _local, _local_models, _local_body, loads_model=True
        ),
    )
}


def wire_body(request: Request) -> dict[str, Any]:
    """The JSON value of the first call that a request makes; the bytes of images are told by their name.

    Raises: InvalidInput if the user's endpoints can't be read.
    """
    prefix = request.model_ref.partition(":")[0]
    rules = rules_for(request.model_ref)
    one_call = replace(request, n=min(request.n, rules.max_choices), encode_image=shortened)
    if prefix in PROVIDERS:
        arguments = PROVIDERS[prefix].body(one_call, rules)
    else:
        setting = endpoint_settings().get(prefix)
        protocol = PROTOCOLS["chat" if setting is None else setting.api]  # of an endpoint nobody knows
        arguments = spoken(protocol, request).body(one_call, rules)
    beside = arguments.pop("extra_body", None) or {}  # the SDK puts what is in it beside the rest
    return {**arguments, **beside}


MOST_HEALINGS = 4  # of one request: a server that refuses everything is not asked for ever


class RemoteModel:
    """A provider for one model of one endpoint."""

    def __init__(
        self,
        endpoint: Endpoint,
        protocol: Protocol,
        model: str,
        rules: ModelRules,
        learned: Learned,
        ask_key: Callable[[], str] | None = None,
        turns: Admission | None = None,
    ) -> None:
        """`ask_key` blocks, and is called before the first request, on its thread; `turns` are waited for."""
        self._turns = turns
        self._ask_key = ask_key
        self._endpoint = endpoint
        self._protocol = protocol
        self._model = model
        self._rules = rules
        self._learned = learned

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:
        """One attempt, as the models rules want it; see `core.generation.provider.Provider`.

        A refusal that names a parameter is learned from: the same is asked without it, and told as Adjusted.
        """
        if self._ask_key is not None and not self._endpoint.api_key:
            self._endpoint = replace(self._endpoint, api_key=self._ask_key())
        if self._turns is None:
            yield from self._healed(request, stop)
            return
        with self._turns.admitted(tokens=0, choices=1, stop=stop):
            yield from self._healed(request, stop)

    def _healed(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:
        rules, protocol = self._rules, spoken(self._protocol, request)
        for _ in range(MOST_HEALINGS):
            if stop.requested:
                raise ProviderError("cancelled", "Stopped before it was sent.")
            begun: set[int] = set()
            try:
                for event in protocol.adapter(self._endpoint, rules).stream(request, stop):
                    if isinstance(event, TextDelta | ReasoningDelta):
                        begun.add(event.index)
                    yield event
            except ProviderError as error:
                unwritten = begun <= set(cast("Iterable[int]", error.details.get("finished", ())))
                healing = healed(error, request, rules) if unwritten else None
                if healing is None:
                    raise
                self._learned.note(self._endpoint.base_url, self._model, rules, healing.rules)
                rules = self._rules = healing.rules
                if not healing.at_once:
                    said = worded(
                        "{message} Learned: {note}. The next request heeds that: retry.",
                        message=error.message,
                        note=sentence(healing.note),
                    )
                    # the same request would be refused again: it is nothing to try once more by itself
                    code = "invalidRequest" if error.code == "serverError" else error.code
                    raise ProviderError(code, said, **error.details, learned=healing.note) from error
                yield Adjusted(healing.note)
            else:
                return
        raise ProviderError(
            "invalidRequest",
            worded(
                "{name} refuses one parameter after another. Check the agent's parameters.",
                name=self._endpoint.name,
            ),
            provider=self._endpoint.name,
        )


class Refusal:
    """Fails every request with what stood in the way."""

    def __init__(self, error: LoomError) -> None:
        self._error = error

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:  # noqa: ARG002 - the protocol's
        """Nothing comes. Raises: the error it was made with."""
        raise self._error
        yield  # a generator, as other providers' streams are
