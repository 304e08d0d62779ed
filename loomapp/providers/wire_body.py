"""The body of a request as it will go over the wire, told before it is sent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from loomapp.core.generation.request import Request
from loomapp.providers.endpoints import endpoint_settings
from loomapp.providers.protocols.images import shortened
from loomapp.providers.protocols.protocols import PROTOCOLS
from loomapp.providers.registry import PROVIDERS, rules_for


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
        spoken = "chat" if request.document is None else "completions"  # of an endpoint nobody knows
        arguments = PROTOCOLS[spoken if setting is None else setting.api].body(one_call, rules)
    beside = arguments.pop("extra_body", None) or {}  # the SDK puts what is in it beside the rest
    return {**arguments, **beside}
