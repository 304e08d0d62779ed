"""The registry of providers: who answers for `provider:model`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from loomapp.core.generation import Provider, ProviderError
from loomapp.providers.engine import Engine
from loomapp.providers.local import LocalModel

Factory: TypeAlias = Callable[[str, Engine], Provider]


def provider_for(model_ref: str, engine: Engine) -> Provider:
    """The provider of a model. Imports no SDK. Raises: ProviderError if nobody knows the prefix."""
    prefix = model_ref.partition(":")[0]
    factory = PROVIDERS.get(prefix)
    if factory is None:
        known = ", ".join(f"{name}:…" for name in PROVIDERS)
        raise ProviderError(
            "modelNotFound", f"No provider answers for {model_ref!r}. Choose a model of: {known}"
        )
    return factory(model_ref, engine)


def _local(model_ref: str, engine: Engine) -> Provider:
    return LocalModel(engine, model_ref)


PROVIDERS: Mapping[str, Factory] = {"local": _local}
