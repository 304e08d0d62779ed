"""One action: what it does and when it can be done; its title, menu and keys are in the core's table."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMenu

from loomapp.core.action_table import ACTIONS_BY_MENU, ActionEntry
from loomapp.core.dataclass import dataclass
from loomapp.ui.workbench import Workbench

LISTED = {entry.name: (menu, entry) for menu, entries in ACTIONS_BY_MENU.items() for entry in entries}


@dataclass(frozen=True, slots=True)
class Enabled:
    """When an action can be done, and what is missing where it cannot.

    The reason is in English, to be translated; where there are several, the workbench is asked for it.
    """

    test: Callable[[Workbench], bool]
    why_not: str | Callable[[Workbench], str]


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do, by the name that the core's table of actions has for it.

    After one that `leaves_text`, what was offered beside the text stays on offer: the text is neither read
    nor moved.
    """

    name: str
    run: Callable[[Workbench], None]
    enabled: Enabled | None = None  # asked whenever something changed; None: always
    checked: Callable[[Workbench], bool] | None = None
    on_node: bool = False  # also in the menu of a card
    fill: Callable[[Workbench, QMenu], None] | None = None  # it opens a menu, filled when it opens
    destructive: bool = False  # in the menu of a card it stands one step further
    leaves_text: bool = False
    named: Callable[[Workbench], str] | None = None  # what it is called now, where that depends

    @property
    def entry(self) -> ActionEntry:
        return LISTED[self.name][1]

    @property
    def menu(self) -> str:
        return LISTED[self.name][0]

    @property
    def text(self) -> str:
        """Title in English."""
        return self.entry.title

    def is_enabled(self, bench: Workbench) -> bool:
        return self.enabled is None or self.enabled.test(bench)

    def why_not(self, bench: Workbench) -> str:
        """Return what is missing where it cannot be done now, to be translated; "" if nothing can be."""
        if self.enabled is None:
            return ""
        why = self.enabled.why_not
        return why if isinstance(why, str) else why(bench)
