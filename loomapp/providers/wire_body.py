"""The body of a request as it will go over the wire, told before it is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from loomapp.core.generation.request import Request
from loomapp.providers.endpoints import endpoint_settings
from loomapp.providers.protocols import anthropic_body, openai_body
from loomapp.providers.protocols.answer_room import answer_tokens
from loomapp.providers.protocols.images import shortened
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.registry import PROVIDERS, rules_for

Body: TypeAlias = Callable[[Request, ModelRules], dict[str, Any]]

BODIES: Mapping[str, Body] = {
    "messages": anthropic_body.message_arguments,
    "chat": openai_body.chat_arguments,
    "responses": openai_body.response_arguments,
    "completions": openai_body.completion_arguments,
}


def wire_body(request: Request) -> dict[str, Any]:
    """The JSON value of the first call that a request makes; the bytes of images are told by their name.

    Raises: InvalidInput if the user's endpoints can't be read.
    """
    prefix = request.model_ref.partition(":")[0]
    setting = None if prefix in PROVIDERS else endpoint_settings().get(prefix)
    spoken = "chat" if request.document is None else "completions"
    rules = rules_for(request.model_ref)
    one_call = replace(request, n=min(request.n, rules.max_choices), encode_image=shortened)
    if prefix in PROVIDERS:
        one_call = replace(one_call, max_tokens=answer_tokens(one_call, rules))
    arguments = BODIES[setting.api if setting is not None else spoken](one_call, rules)
    beside = arguments.pop("extra_body", None) or {}  # the SDK puts what is in it beside the rest
    return {**arguments, **beside}
