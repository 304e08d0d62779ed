"""Actions of the Node menu: edit, mark, attach, split, move and prune a node."""

from __future__ import annotations

from loomapp.ui.actions.action import Action, Enabled
from loomapp.ui.commands import availability, node_actions
from loomapp.ui.commands import tags as tagging
from loomapp.ui.commands.attach import attachments
from loomapp.ui.commands.buffer import passages
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.commands.graph import move_branch
from loomapp.ui.commands.inspector import context as inspector_commands
from loomapp.ui.commands.inspector.comparison import can_compare, compare_chosen
from loomapp.ui.commands.palette.bookmark_label import ask_label

NO_MESSAGE = "No message is selected, or the grove can only be read."
NO_TEXT = "Only messages of plain text can be edited, in a grove that can be written."
NOT_PRUNED = "This node is not pruned, or the grove can only be read."
NO_BUFFER = "This is for the text of a buffer, in a grove that can be written."

NODE_MENU: tuple[Action, ...] = (
    Action("edit", node_actions.edit, Enabled(availability.can_edit, NO_TEXT), on_node=True),
    Action(
        "bookmark",
        node_actions.toggle_bookmark,
        Enabled(availability.can_mark_chosen, NO_MESSAGE),
        checked=availability.is_bookmarked,
        on_node=True,
    ),
    Action("bookmarkAs", ask_label, Enabled(availability.can_mark, NO_MESSAGE)),
    Action("tag", tagging.ask_tag, Enabled(availability.can_mark_chosen, NO_MESSAGE), on_node=True),
    Action(
        "exclude",
        node_actions.toggle_excluded,
        Enabled(availability.can_mark_chosen, NO_MESSAGE),
        checked=availability.is_excluded,
        on_node=True,
    ),
    Action(
        "excludeBranch",
        graph_commands.exclude_branches,
        Enabled(availability.can_mark_chosen, NO_MESSAGE),
        checked=graph_commands.are_branches_excluded,
        on_node=True,
    ),
    Action(
        "attachContext", attachments.attach_context, Enabled(attachments.can_attach, NO_MESSAGE), on_node=True
    ),
    Action(
        "attachInstruction",
        attachments.attach_instruction,
        Enabled(attachments.can_attach, NO_MESSAGE),
        on_node=True,
    ),
    Action("annotate", node_actions.annotate, Enabled(availability.can_mark, NO_MESSAGE), on_node=True),
    Action(
        "includeNote",
        node_actions.toggle_note_included,
        Enabled(availability.can_include_note, "This node is not a note, or the grove can only be read."),
        checked=availability.is_note_included,
        on_node=True,
    ),
    Action("splitPassage", passages.split, Enabled(passages.is_prose, NO_BUFFER)),
    Action("mergeWithParent", passages.merge, Enabled(passages.is_prose, NO_BUFFER)),
    Action("mergeChain", passages.merge_chain, Enabled(passages.is_prose, NO_BUFFER)),
    Action("keepPath", passages.keep_path, Enabled(passages.is_prose, NO_BUFFER)),
    Action(
        "reparent",
        move_branch.ask_where,
        Enabled(availability.can_reparent, "The first node hangs on nothing, or the grove can only be read."),
        on_node=True,
    ),
    Action(
        "compare",
        compare_chosen,
        Enabled(can_compare, "Select two messages or more: Ctrl+click, or Shift+drag around them."),
        on_node=True,
    ),
    Action(
        "compareSent",
        inspector_commands.compare_sent,
        Enabled(inspector_commands.can_compare_sent, "Select two answers of models or more."),
        on_node=True,
    ),
    Action(
        "prune",
        node_actions.prune,
        Enabled(availability.can_prune, "The first node stays, and a pruned one is pruned already."),
        on_node=True,
        destructive=True,
    ),
    Action("restore", node_actions.restore, Enabled(availability.can_restore, NOT_PRUNED), on_node=True),
)
