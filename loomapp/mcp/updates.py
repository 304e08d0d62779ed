"""Updates: subscribers of both revisions hear that a resource changed, whoever changed the tree."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import field

import anyio
from mcp.server.session import ServerSession
from mcp.server.subscriptions import ListenHandler
from mcp.shared.subscriptions import ResourceUpdated, ServerEvent

from loomapp.core.dataclass import dataclass
from loomapp.mcp.arguments import ToolError
from loomapp.mcp.calls import Caller
from loomapp.mcp.prompts import FOLLOWED, NODE, text_of

LOOK_S = 0.25  # between two looks at the file

log = logging.getLogger(__name__)


class Listeners:
    """Listeners in the way of the newer revision; the SDK calls it a bus."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[ServerEvent], None]] = []

    @property
    def is_empty(self) -> bool:
        return not self._listeners

    async def publish(self, event: ServerEvent) -> None:
        """Tell all of them."""
        for listener in list(self._listeners):
            listener(event)
        await anyio.lowlevel.checkpoint()

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Add one; what is returned takes it away, also if it is called twice."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe


@dataclass(slots=True)
class _Subscriber:
    """A connection of the older revision and what it subscribed to."""

    session: ServerSession
    uris: set[str] = field(default_factory=set)


class Updates:
    """Subscriptions of all connections of one server, and the look at the file that serves them."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._listeners = Listeners()
        self._subscribers: dict[int, _Subscriber] = {}
        self._seen: tuple[str, str, int] | None = None
        self._listened: Counter[str] = Counter()  # the nodes that listeners of the newer revision asked for
        self._nodes: dict[str, str] = {}  # what was read last of each node that anybody follows, by its URI
        self._sequence = -1  # of the file's newest change, when they were read
        self.handler = ListenHandler(self._listeners)

    def begin(self) -> None:
        """Note how things are before somebody subscribes: any later change is told."""
        if self._is_idle:
            self._seen = self._state()

    @property
    def _is_idle(self) -> bool:
        return self._listeners.is_empty and not self._subscribers

    @asynccontextmanager
    async def listened(self, uris: Iterable[str]) -> AsyncIterator[None]:
        """Follow nodes for a listener of the newer revision for as long as the block lasts."""
        self.begin()
        nodes = [uri for uri in uris if uri.startswith(NODE)]
        self._listened.update(nodes)
        try:
            await self._look_at_nodes()
            yield
        finally:
            self._listened -= Counter(nodes)

    async def subscribe(self, session: ServerSession, uri: str) -> None:
        self.begin()
        self._subscribers.setdefault(_number(session), _Subscriber(session)).uris.add(uri)
        await self._look_at_nodes()

    def unsubscribe(self, session: ServerSession, uri: str) -> None:
        subscriber = self._subscribers.get(_number(session))
        if subscriber is not None:
            subscriber.uris.discard(uri)
            if not subscriber.uris:
                del self._subscribers[_number(session)]

    async def follow(self) -> None:
        """Look at the file for as long as the server lives, while anybody has subscribed."""
        while True:
            await anyio.sleep(LOOK_S)
            if self._is_idle:
                continue
            state, changed = self._state(), await self._look_at_nodes()
            if state is not None and state != self._seen:
                self._seen = state
                changed += FOLLOWED
            if changed:
                await self._tell(changed)

    async def _look_at_nodes(self) -> list[str]:
        """Read the nodes that are followed, if the file changed; gives those that are others than before."""
        every = set(self._listened).union(*(one.uris for one in self._subscribers.values()))
        wanted = sorted(uri for uri in every if uri.startswith(NODE))
        self._nodes = {uri: text for uri, text in self._nodes.items() if uri in wanted}
        try:
            sequence = self._caller.grove().sequence() if wanted else self._sequence
        except Exception as error:  # a call tells what it is; no server ends of it
            log.debug("no node to follow: %r", error)
            return []
        changed: list[str] = []
        for uri in wanted:
            if sequence == self._sequence and uri in self._nodes:
                continue
            text = await self._node(uri)
            if self._nodes.get(uri, text) != text:
                changed.append(uri)
            self._nodes[uri] = text
        self._sequence = sequence
        return changed

    async def _node(self, uri: str) -> str:
        """Return what is to be read of a node; nothing while it is not there."""
        try:
            return (await text_of(self._caller, uri, ""))[0]
        except ToolError:
            return ""

    def _state(self) -> tuple[str, str, int] | None:
        """The tree and node of the position, and how often the tree moved; None if it cannot be read."""
        try:
            tree = self._caller.current_tree()
        except Exception as error:  # a call tells what it is; no server ends of it
            log.debug("nothing to follow: %r", error)
            return None
        return tree.loom.id, self._caller.position.at(tree), self._caller.served.moves(tree.loom.id)

    async def _tell(self, uris: Sequence[str]) -> None:
        for uri in uris:
            await self._listeners.publish(ResourceUpdated(uri))
        for number, subscriber in list(self._subscribers.items()):
            for uri in uris:
                if uri not in subscriber.uris:
                    continue
                try:
                    await subscriber.session.send_resource_updated(uri)
                except Exception as error:  # the client is gone, in whatever way its transport says so
                    log.debug("a subscriber is gone: %r", error)
                    self._subscribers.pop(number, None)
                    break


def _number(session: ServerSession) -> int:
    """A number that tells connections of the older revision apart: each has one value from its handshake."""
    return id(session.client_params)
