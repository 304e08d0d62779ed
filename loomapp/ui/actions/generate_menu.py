"""Actions of the Generate menu: ask models, fill in, try another context, stop."""

from __future__ import annotations

from loomapp.ui.actions.action import Action, Enabled
from loomapp.ui.commands import availability, node_actions
from loomapp.ui.commands.availability import NO_TREE, READ_ONLY
from loomapp.ui.commands.buffer import fill_in
from loomapp.ui.commands.inspector import what_if

GENERATE_MENU: tuple[Action, ...] = (
    Action("generate", node_actions.generate, Enabled(availability.can_generate, READ_ONLY)),
    Action(
        "generateSiblings",
        node_actions.generate_siblings,
        Enabled(availability.can_retry, availability.why_no_retry),
        named=availability.retry_name,
    ),
    Action(
        "generateAll",
        node_actions.generate,
        Enabled(availability.asks_several, availability.why_not_several),
    ),
    Action("fillIn", fill_in.fill_in, Enabled(fill_in.can_fill_in, fill_in.NOBODY)),
    Action("fillsIn", fill_in.toggle, Enabled(fill_in.can_fill_in, fill_in.NOBODY), checked=fill_in.is_on),
    Action("whatIf", what_if.toggle, Enabled(availability.has_tree, NO_TREE), checked=what_if.is_trying),
    Action(
        "stop",
        node_actions.stop,
        Enabled(availability.can_stop, "Nothing is being written here."),
        leaves_text=True,
    ),
    Action(
        "stopAll",
        node_actions.stop_all,
        Enabled(availability.is_streaming, "Nothing is being written."),
        leaves_text=True,
    ),
)
