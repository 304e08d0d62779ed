"""The smallest call: asks a model for one token, to see whether endpoint, key and model are right."""

from __future__ import annotations

import time

from loomapp.core.context.messages import Message, TextPart
from loomapp.core.dataclass import dataclass
from loomapp.core.generation.events import Finished, Usage, UsageReported
from loomapp.core.generation.request import Request
from loomapp.core.progress import Progress
from loomapp.providers.engine.engine import Engine
from loomapp.providers.protocols.exchange import Call
from loomapp.providers.registry import provider_for, rules_for


@dataclass(frozen=True, slots=True)
class Answered:
    """Result of a test that worked: its time, and tokens if the endpoint counted them."""

    seconds: float
    usage: Usage | None


def smallest_call(model_ref: str, engine: Engine, tell: Progress) -> Answered:
    """Ask for one token, once. Blocks: for a worker; `tell` raises once nobody waits any more.

    Raises: LoomError, as every request does.
    """
    said = (Message("user", (TextPart("Hi"),)),)
    takes = rules_for(model_ref).takes_messages
    request = Request(
        model_ref, messages=said if takes else (), document=None if takes else "Hi", max_tokens=1
    )
    call, usage, began = Call(), None, time.monotonic()
    try:
        for event in provider_for(model_ref, engine).stream(request, call):
            tell(0, 0)
            match event:
                case UsageReported(usage=counted):
                    usage = counted
                case Finished(usage=counted) if counted is not None:
                    usage = counted
    finally:
        call.stop()
    return Answered(time.monotonic() - began, usage)
