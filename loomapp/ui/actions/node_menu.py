"""Actions of the Node menu: edit, mark, attach, split, move and prune a node."""

from __future__ import annotations

from loomapp.ui.actions.action import Action
from loomapp.ui.commands import availability, node_actions
from loomapp.ui.commands import tags as tagging
from loomapp.ui.commands.attach import attachments
from loomapp.ui.commands.buffer import passages
from loomapp.ui.commands.comparison import can_compare, compare_chosen
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.commands.graph import move_branch
from loomapp.ui.commands.inspector import context as inspector_commands
from loomapp.ui.commands.palette.bookmark_label import ask_label

NO_MESSAGE = "No message is selected, or the grove can only be read."
NO_TEXT = "Only messages of plain text can be edited, in a grove that can be written."
NOT_PRUNED = "This node is not pruned, or the grove can only be read."
NO_BUFFER = "This is for the text of a buffer, in a grove that can be written."

NODE_MENU: tuple[Action, ...] = (
    Action(
        "edit",
        "Edit",
        "Node",
        node_actions.edit,
        ("F2",),
        enabled=availability.can_edit,
        on_node=True,
        unless=NO_TEXT,
    ),
    Action(
        "bookmark",
        "Bookmark",
        "Node",
        node_actions.toggle_bookmark,
        ("Ctrl+D",),
        ("B",),
        enabled=availability.can_mark_chosen,
        unless=NO_MESSAGE,
        checked=availability.is_bookmarked,
        on_node=True,
    ),
    Action("bookmarkAs", "Bookmark as…", "Node", ask_label, enabled=availability.can_mark, unless=NO_MESSAGE),
    Action(
        "tag",
        "Tag…",
        "Node",
        tagging.ask_tag,
        graph_keys=("T",),
        enabled=availability.can_mark_chosen,
        unless=NO_MESSAGE,
        on_node=True,
    ),
    Action(
        "exclude",
        "Exclude from context",
        "Node",
        node_actions.toggle_excluded,
        ("Ctrl+Shift+X",),
        ("X",),
        enabled=availability.can_mark_chosen,
        unless=NO_MESSAGE,
        checked=availability.is_excluded,
        on_node=True,
    ),
    Action(
        "excludeBranch",
        "Exclude branch from context",
        "Node",
        graph_commands.exclude_branches,
        graph_keys=("Shift+X",),
        enabled=availability.can_mark_chosen,
        unless=NO_MESSAGE,
        checked=graph_commands.are_branches_excluded,
        on_node=True,
    ),
    Action(
        "attachContext",
        "Attach as context",
        "Node",
        attachments.attach_context,
        ("Ctrl+Shift+C",),
        enabled=attachments.can_attach,
        on_node=True,
        unless=NO_MESSAGE,
    ),
    Action(
        "attachInstruction",
        "Attach as instruction",
        "Node",
        attachments.attach_instruction,
        ("Ctrl+Shift+N",),
        enabled=attachments.can_attach,
        on_node=True,
        unless=NO_MESSAGE,
    ),
    Action(
        "annotate",
        "Add a note…",
        "Node",
        node_actions.annotate,
        enabled=availability.can_mark,
        on_node=True,
        unless=NO_MESSAGE,
    ),
    Action(
        "includeNote",
        "Include note in context",
        "Node",
        node_actions.toggle_note_included,
        enabled=availability.can_include_note,
        unless="This node is not a note, or the grove can only be read.",
        checked=availability.is_note_included,
        on_node=True,
    ),
    Action(
        "splitPassage",
        "Split at the caret",
        "Node",
        passages.split,
        ("Ctrl+Shift+K",),
        enabled=passages.is_prose,
        new_group=True,
        unless=NO_BUFFER,
    ),
    Action(
        "mergeWithParent",
        "Merge with the passage before",
        "Node",
        passages.merge,
        ("Ctrl+Shift+J",),
        enabled=passages.is_prose,
        unless=NO_BUFFER,
    ),
    Action(
        "mergeChain",
        "Merge the whole stretch",
        "Node",
        passages.merge_chain,
        enabled=passages.is_prose,
        unless=NO_BUFFER,
    ),
    Action(
        "keepPath",
        "Keep only this path",
        "Node",
        passages.keep_path,
        enabled=passages.is_prose,
        unless=NO_BUFFER,
    ),
    Action(
        "reparent",
        "Hang branch elsewhere…",
        "Node",
        move_branch.ask_where,
        ("Ctrl+Shift+M",),
        ("M",),
        enabled=availability.can_reparent,
        on_node=True,
        unless="The first node hangs on nothing, or the grove can only be read.",
    ),
    Action(
        "compare",
        "Compare selected",
        "Node",
        compare_chosen,
        ("Ctrl+Shift+D",),
        enabled=can_compare,
        on_node=True,
        unless="Select two messages or more: Ctrl+click, or Shift+drag around them.",
        new_group=True,
    ),
    Action(
        "compareSent",
        "Compare what they were sent",
        "Node",
        inspector_commands.compare_sent,
        enabled=inspector_commands.can_compare_sent,
        on_node=True,
        unless="Select two answers of models or more.",
    ),
    Action(
        "prune",
        "Prune branch",
        "Node",
        node_actions.prune,
        graph_keys=("Del",),
        enabled=availability.can_prune,
        unless="The first node stays, and a pruned one is pruned already.",
        new_group=True,
        on_node=True,
        destructive=True,
    ),
    Action(
        "restore",
        "Restore branch",
        "Node",
        node_actions.restore,
        enabled=availability.can_restore,
        on_node=True,
        unless=NOT_PRUNED,
    ),
)
