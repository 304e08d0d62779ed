"""The registry of providers: who answers for `provider:model`, and what is known of it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TypeAlias

from loomapp.core.generation import Provider, ProviderError
from loomapp.providers.endpoint import Endpoint
from loomapp.providers.endpoints import EndpointSetting, endpoint_settings
from loomapp.providers.engine import Engine
from loomapp.providers.kept_keys import key_for
from loomapp.providers.learned import learned
from loomapp.providers.local import LocalModel
from loomapp.providers.model_rules import ModelRules, seeded_rules
from loomapp.providers.protocols import PROTOCOLS, Protocol, base_of
from loomapp.providers.remote import RemoteModel

Factory: TypeAlias = Callable[[str, Engine], Provider]


def provider_for(model_ref: str, engine: Engine) -> Provider:
    """The provider of a model. Imports no SDK.

    Raises: ProviderError if nobody knows the prefix; InvalidInput if the user's endpoints can't be read.
    """
    prefix, _, model = model_ref.partition(":")
    factory = PROVIDERS.get(prefix)
    if factory is not None:
        return factory(model_ref, engine)
    settings = endpoint_settings()
    if prefix not in settings:
        known = ", ".join(f"{name}:…" for name in (*PROVIDERS, *settings))
        raise ProviderError(
            "modelNotFound", f"No provider answers for {model_ref!r}. Choose a model of: {known}"
        )
    return remote_model(settings[prefix], model)


def rules_for(model_ref: str) -> ModelRules:
    """What is known of a model: from the table, and from what it was found to refuse."""
    prefix, _, model = model_ref.partition(":")
    setting = None if prefix in PROVIDERS else endpoint_settings().get(prefix)
    if setting is None:
        return seeded_rules(model_ref)
    return _rules(setting, PROTOCOLS[setting.api], model)


def remote_model(setting: EndpointSetting, model: str) -> RemoteModel:
    """A model at an endpoint. Its key is looked for when it is asked: a keychain may take its time."""
    protocol = PROTOCOLS[setting.api]
    endpoint = Endpoint(
        name=setting.name,
        base_url=base_of(setting.base_url, protocol),
        api_key="",
        headers=setting.headers,
        key_header=setting.key_header,
    )
    ask_key = functools.partial(_key, setting) if setting.key_name else None
    return RemoteModel(endpoint, protocol, model, _rules(setting, protocol, model), learned(), ask_key)


def _key(setting: EndpointSetting) -> str:
    """The key of an endpoint. Blocks. Raises: ProviderError if it is nowhere, or may not travel."""
    key = key_for(setting.key_name)
    if key is None:
        raise ProviderError(
            "authenticationFailed",
            f"{setting.name} needs a key. Set {setting.key_name}, or enter one in Settings.",
            provider=setting.name,
        )
    if setting.is_open_to_others and not setting.plain_http:
        raise ProviderError(
            "invalidRequest",
            f"{setting.name}: the key would go unencrypted to {setting.base_url}. "
            "Use an https:// address, or allow it in Models, Endpoints.",
            provider=setting.name,
        )
    return key.text


def _rules(setting: EndpointSetting, protocol: Protocol, model: str) -> ModelRules:
    seeded = seeded_rules(f"{setting.id}:{model}", protocol.usual)
    return learned().applied(base_of(setting.base_url, protocol), model, seeded)


def _local(model_ref: str, engine: Engine) -> Provider:
    return LocalModel(engine, model_ref)


PROVIDERS: Mapping[str, Factory] = {"local": _local}
