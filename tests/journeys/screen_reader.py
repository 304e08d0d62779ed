"""A screen reader for tests: a bus of its own, what a window shows on it, and what it announces.

Speaks AT-SPI, the protocol of screen readers on Linux, by D-Bus. Source: the interface descriptions of
at-spi2-core (org.a11y.atspi.Accessible, .Registry, .Event.Object).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from jeepney import (  # type: ignore[import-untyped]
    DBusAddress,
    MatchRule,
    Message,
    Properties,
    message_bus,
    new_method_call,
)
from jeepney.io.blocking import DBusConnection, open_dbus_connection  # type: ignore[import-untyped]

LAUNCHER = Path("/usr/libexec/at-spi-bus-launcher")
INSTALL_HINT = "apt-get install --no-install-recommends dbus at-spi2-core"
REGISTRY = "org.a11y.atspi.Registry"
ROOT = "/org/a11y/atspi/accessible/root"
ACCESSIBLE = "org.a11y.atspi.Accessible"
EVENTS = "org.a11y.atspi.Event.Object"
HEARD = ("object:announcement", "object:state-changed", "object:selection-changed", "object:children-changed")
PATIENCE_S = 60.0
# Source: the enumeration AtspiStateType of at-spi2-core.
STATES = {9: "expandable", 10: "expanded", 11: "focusable", 12: "focused", 22: "selectable", 23: "selected"}


class ReaderMissing(Exception):
    """What a screen reader needs is not installed."""


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that a reader can speak of: where it is on the bus."""

    bus: str
    path: str


@dataclass(frozen=True, slots=True)
class Heard:
    """An event of a thing: `Announcement`, `StateChanged`, …; its detail, numbers and value."""

    name: str
    detail: str
    first: int
    value: object
    thing: Thing


@contextmanager
def session_bus() -> Iterator[str]:
    """The address of a bus for programs of one session, until the block ends.

    Raises: ReaderMissing, with what to install.
    """
    if shutil.which("dbus-daemon") is None or not LAUNCHER.exists():
        raise ReaderMissing(f"the test of what a screen reader hears needs: {INSTALL_HINT}")
    command = ["dbus-daemon", "--session", "--nofork", "--print-address=1"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=quiet, text=True) as daemon:
        try:
            assert daemon.stdout is not None
            yield daemon.stdout.readline().strip()
        finally:
            daemon.terminate()


class Reader:
    """Looks at what a program shows, and hears what it tells."""

    def __init__(self, session: str) -> None:
        address = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
        with open_dbus_connection(session) as connection:
            (self.address,) = connection.send_and_get_reply(new_method_call(address, "GetAddress")).body
        self._connection: DBusConnection = open_dbus_connection(self.address)
        rule = MatchRule(type="signal", interface=EVENTS)
        self._connection.send_and_get_reply(message_bus.AddMatch(rule))
        for event in HEARD:
            listen = DBusAddress("/org/a11y/atspi/registry", REGISTRY, REGISTRY)
            self._connection.send_and_get_reply(new_method_call(listen, "RegisterEvent", "s", (event,)))
        self._filter = self._connection.filter(rule, bufsize=10_000)
        self._queue = self._filter.__enter__()

    def close(self) -> None:
        """Listen no more."""
        self._filter.__exit__(None, None, None)
        self._connection.close()

    def programs(self) -> list[Thing]:
        """The programs that can be read."""
        return self.children(Thing(REGISTRY, ROOT))

    def children(self, thing: Thing) -> list[Thing]:
        """What a thing is made of, in its order."""
        found = self._ask(thing, ACCESSIBLE, "GetChildren")
        return [Thing(bus, path) for bus, path in found] if isinstance(found, list) else []

    def name(self, thing: Thing) -> str:
        """What it is called aloud."""
        address = DBusAddress(thing.path, thing.bus, ACCESSIBLE)
        reply = self._connection.send_and_get_reply(Properties(address).get("Name"), timeout=PATIENCE_S)
        return str(reply.body[0][1]) if reply.header.message_type.name == "method_return" else ""

    def role(self, thing: Thing) -> str:
        """What kind of thing it is: `tree`, `tree item`, `push button`."""
        return str(self._ask(thing, ACCESSIBLE, "GetRoleName"))

    def states(self, thing: Thing) -> set[str]:
        """What is so of it now."""
        words = cast("list[int]", self._ask(thing, ACCESSIBLE, "GetState"))  # of 32 bits, the low ones first
        bits = sum(word << 32 * place for place, word in enumerate(words))
        return {name for bit, name in STATES.items() if bits >> bit & 1}

    def find(self, start: Thing, *, role: str = "", name: str = "") -> Thing | None:
        """The first thing with a role and a name, those further out before those within."""
        waiting = [start]
        for thing in waiting:
            if (not role or self.role(thing) == role) and (not name or self.name(thing) == name):
                return thing
            waiting += self.children(thing)
        return None

    def parts(self, start: Thing, *, role: str) -> list[Thing]:
        """All things of a role within another, in the order in which they are read."""
        found: list[Thing] = []
        waiting = [*reversed(self.children(start))]
        while waiting:
            thing = waiting.pop()
            if self.role(thing) == role:
                found.append(thing)
            waiting += reversed(self.children(thing))
        return found

    def hears(self, name: str, *, detail: str = "") -> Heard:
        """The next event of a kind. Raises: TimeoutError."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            with suppress(TimeoutError):
                message = self._connection.recv_until_filtered(self._queue, timeout=1)
                heard = _heard(message)
                if heard.name == name and (not detail or heard.detail == detail):
                    return heard
        raise TimeoutError(f"{name} was not heard")

    def _ask(self, thing: Thing, interface: str, method: str) -> object:
        call = new_method_call(DBusAddress(thing.path, thing.bus, interface), method)
        reply = self._connection.send_and_get_reply(call, timeout=PATIENCE_S)
        return reply.body[0] if reply.header.message_type.name == "method_return" else []


def _heard(message: Message) -> Heard:
    fields = {key.name: value for key, value in message.header.fields.items()}
    detail, first, _, value, *_ = message.body
    return Heard(fields["member"], detail, first, value[1], Thing(fields["sender"], fields["path"]))


def environment(session: str) -> dict[str, str]:
    """The variables for a program that is to be read."""
    return os.environ | {"DBUS_SESSION_BUS_ADDRESS": session, "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"}
