"""A model at an endpoint: its protocol, what is known of it, and a second try without what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import cast

from loomapp.core.errors import LoomError
from loomapp.core.generation.events import Adjusted, ReasoningDelta, StreamEvent, TextDelta
from loomapp.core.generation.request import ProviderError, Request, Stop
from loomapp.core.sentences import sentence, worded
from loomapp.providers.protocols.endpoint import Admission, Endpoint
from loomapp.providers.protocols.learned import Learned, healed
from loomapp.providers.protocols.model_rules import ModelRules
from loomapp.providers.protocols.protocols import Protocol, spoken

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
        """One attempt, as the models rules want it; see `core.generation.Provider`.

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
                        "{message} Learned: {note}. What is sent next is made so; retry.",
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
