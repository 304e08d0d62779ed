"""Actions of the Generate menu: ask models, fill in, try another context, stop."""

from __future__ import annotations

from loomapp.ui.actions.action import Action
from loomapp.ui.commands import availability, node_actions
from loomapp.ui.commands.availability import NO_TREE, READ_ONLY
from loomapp.ui.commands.buffer import fill_in
from loomapp.ui.commands.inspector import what_if

GENERATE_MENU: tuple[Action, ...] = (
    Action(
        "generate",
        "Generate",
        "Generate",
        node_actions.generate,
        ("Ctrl+Enter", "Ctrl+Return"),
        ("G",),
        enabled=availability.can_generate,
        unless=READ_ONLY,
    ),
    Action(
        "generateSiblings",
        "Generate siblings of this one",
        "Generate",
        node_actions.generate_siblings,
        ("Ctrl+Shift+Enter", "Ctrl+Shift+Return"),
        ("S",),
        enabled=availability.can_retry,
        unless=availability.why_no_retry,
        named=availability.retry_name,
    ),
    Action(
        "generateAll",
        "Generate with all checked agents",
        "Generate",
        node_actions.generate,
        ("Ctrl+Alt+Enter", "Ctrl+Alt+Return"),
        enabled=availability.asks_several,
        unless="Only one agent is checked, in the header.",
    ),
    Action(
        "fillIn",
        "Fill in at the caret",
        "Generate",
        fill_in.fill_in,
        ("Ctrl+Shift+L",),
        enabled=fill_in.can_fill_in,
        unless=fill_in.NOBODY,
    ),
    Action(
        "fillsIn",
        "Generate fills in at the caret",
        "Generate",
        fill_in.toggle,
        enabled=fill_in.can_fill_in,
        checked=fill_in.is_on,
        unless=fill_in.NOBODY,
    ),
    Action(
        "whatIf",
        "Try another context…",
        "Generate",
        what_if.toggle,
        enabled=availability.has_tree,
        checked=what_if.is_trying,
        unless=NO_TREE,
    ),
    Action(
        "stop",
        "Stop",
        "Generate",
        node_actions.stop,
        ("Esc",),
        new_group=True,
        enabled=availability.can_stop,
        unless="Nothing is being written here.",
        is_beside_text=True,
    ),
    Action(
        "stopAll",
        "Stop everything",
        "Generate",
        node_actions.stop_all,
        ("Shift+Esc",),
        enabled=availability.is_streaming,
        unless="Nothing is being written.",
        is_beside_text=True,
    ),
)
