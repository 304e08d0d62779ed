"""One action: what it is called, where it stands, what it does and when it can be done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QMenu

from loomapp.ui.commands.availability import always
from loomapp.ui.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do. `keys` work anywhere in the window, `graph_keys` while the graph has focus.

    `menu` is one of MENUS, `submenu` a menu inside of it; a separator stands before a row with `new_group`.
    `enabled` is asked whenever something changed; `unless` says what is missing where it is not, or tells it
    of a workbench where there are several reasons.
    """

    name: str
    text: str
    menu: str
    run: Callable[[Workbench], None]
    keys: tuple[str, ...] = ()
    graph_keys: tuple[str, ...] = ()
    enabled: Callable[[Workbench], bool] = always
    checked: Callable[[Workbench], bool] | None = None
    new_group: bool = False
    on_node: bool = False  # also in the menu of a card
    fill: Callable[[Workbench, QMenu], None] | None = None  # it opens a menu, filled when it opens
    unless: str | Callable[[Workbench], str] = ""
    submenu: str = ""
    destructive: bool = False  # in the menu of a card it stands one step further
    is_beside_text: bool = False  # see `leaves_text`
    named: Callable[[Workbench], str] | None = None  # what it is called now, where that depends

    def why_not(self, bench: Workbench) -> str:
        """Return what is missing where it cannot be done now, to be translated; "" if nobody says."""
        return self.unless if isinstance(self.unless, str) else self.unless(bench)

    @property
    def leaves_text(self) -> bool:
        """True if the text is neither read nor moved by it: what is offered after it stays on offer. So it is
        with all that only shows something.
        """
        return self.is_beside_text or self.menu in ("View", "Help")
