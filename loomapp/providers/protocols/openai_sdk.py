"""OpenAI's SDK, made to do nothing by itself: no retries, no look into the environment, no log."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import httpx2
import openai

from loomapp.providers.protocols.endpoint import Endpoint

# The SDK obeys OPENAI_LOG=debug in the environment, and then prints prompts and keys.
for name in ("openai", "httpx2", "httpcore2"):
    logging.getLogger(name).setLevel(logging.WARNING)


def sdk(endpoint: Endpoint, http_client: httpx2.Client) -> openai.OpenAI:
    """A client for one attempt.

    Its own retries can't be stopped and repeat what is hopeless. Without a key it would look for one in the
    environment; the wire sends the endpoint's in any case.
    """
    return openai.OpenAI(
        api_key=endpoint.api_key or "none",
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=http_client.timeout,
        http_client=http_client,
    )


def beside(arguments: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Arguments with the one that may be megabytes where the SDK sends it as it is. The body is the same.

    It looks at every word of any other by the types it may have: a third of a second for a long context, in
    which the window waits for the interpreter again and again.
    """
    extra = {name: arguments[name], **arguments.get("extra_body", {})}
    return {**arguments, name: [], "extra_body": extra}
