"""Sending what is asked for; what is too much waits above the composer until the user has decided."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from loomapp.core.errors import LargeAsk, OverLimit
from loomapp.ui.inspector import mending
from loomapp.ui.strings import told, tr

if TYPE_CHECKING:
    from loomapp.ui.window.main_window import MainWindow


def send(window: MainWindow, start: Callable[..., None], done: Callable[[], None]) -> None:
    """Start what is asked for. What is too long, or comes to very many tokens, waits above the composer for
    the user to decide; nothing is asked in a dialog.
    """

    def go(**allowed: bool) -> None:
        start(**allowed)
        done()

    try:
        start(ask_above=window.preferences.settings.ask_above_tokens)
        done()
    except OverLimit as error:
        steps: list[tuple[str, str, Callable[[], None]]] = [
            ("look", tr("What helps…"), partial(mending.show_over_limit, window)),
            ("model", tr("Another model…"), window.header.agents.on_clicked),
            ("send", tr("Send anyway"), partial(go, over_limit=True)),
        ]
        window.offer_steps(told(error.message), steps)
    except LargeAsk as error:
        window.offer(told(error.message), tr("Send"), go)
