"""A refusal: the provider in place of one that cannot even be asked, such as one without its key."""

from __future__ import annotations

from collections.abc import Iterator

from loomapp.core.errors import LoomError
from loomapp.core.generation.events import StreamEvent
from loomapp.core.generation.request import Request, Stop


class Refusal:
    """Fails every request with what stood in the way."""

    def __init__(self, error: LoomError) -> None:
        self._error = error

    def stream(self, request: Request, stop: Stop) -> Iterator[StreamEvent]:  # noqa: ARG002 - the protocol's
        """Nothing comes. Raises: the error it was made with."""
        raise self._error
        yield  # a generator, as other providers' streams are
