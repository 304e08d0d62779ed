"""Actions of the Go menu: from node to node, along the path, the siblings, the versions and the cards."""

from __future__ import annotations

from loomapp.ui.actions.action import Action
from loomapp.ui.commands import availability, navigate
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.graph.input.key_walk import Direction

NO_CHILD = "Nothing follows this node."
NO_SIBLING = "There is no other way on from its parent."
NO_VERSION = "This text was never edited."
NOT_BEGUN = "There is only the first node."
DIRECTIONS: tuple[tuple[Direction, str], ...] = (
    ("left", "to the left"),
    ("right", "to the right"),
    ("up", "above"),
    ("down", "below"),
)

GO_MENU: tuple[Action, ...] = (
    Action(
        "visitBack",
        "Back to where you were",
        "Go",
        navigate.visit_back,
        ("Alt+Shift+Left",),
        enabled=navigate.can_visit_back,
        unless="Nothing was visited before this.",
    ),
    Action(
        "visitForward",
        "Forward again",
        "Go",
        navigate.visit_forward,
        ("Alt+Shift+Right",),
        enabled=navigate.can_visit_forward,
        unless="You have not gone back.",
    ),
    Action(
        "goParent",
        "Parent",
        "Go",
        navigate.go_parent,
        ("Alt+Left",),
        enabled=navigate.has_parent,
        unless="This is the first node.",
        new_group=True,
    ),
    Action(
        "goChild",
        "Child",
        "Go",
        navigate.go_child,
        ("Alt+Right",),
        enabled=navigate.has_child,
        unless=NO_CHILD,
    ),
    *(
        Action(
            f"goChild{number}",
            f"Child {number}",
            "Go",
            navigate.nth_child(number),
            (f"Alt+{number}",),
            enabled=navigate.has_nth_child(number),
            unless="This node has fewer children.",
            submenu="Child by number",
        )
        for number in range(1, 10)
    ),
    Action(
        "previousSibling",
        "Previous sibling",
        "Go",
        navigate.previous_sibling,
        ("Alt+Up",),
        enabled=navigate.has_siblings,
        unless=NO_SIBLING,
        is_beside_text=True,
    ),
    Action(
        "nextSibling",
        "Next sibling",
        "Go",
        navigate.next_sibling,
        ("Alt+Down",),
        enabled=navigate.has_siblings,
        unless=NO_SIBLING,
        is_beside_text=True,
    ),
    Action(
        "previousVersion",
        "Previous version",
        "Go",
        navigate.previous_version,
        ("Alt+PgUp",),
        enabled=navigate.has_versions,
        unless=NO_VERSION,
    ),
    Action(
        "nextVersion",
        "Next version",
        "Go",
        navigate.next_version,
        ("Alt+PgDown",),
        enabled=navigate.has_versions,
        unless=NO_VERSION,
    ),
    Action(
        "previousFork",
        "Previous fork",
        "Go",
        navigate.previous_fork,
        ("Ctrl+Alt+PgUp",),
        enabled=availability.is_begun,
        unless=NOT_BEGUN,
    ),
    Action(
        "nextFork",
        "Next fork",
        "Go",
        navigate.next_fork,
        ("Ctrl+Alt+PgDown",),
        enabled=availability.is_begun,
        unless=NOT_BEGUN,
    ),
    Action(
        "nextUnread",
        "Next unread",
        "Go",
        graph_commands.next_unread,
        graph_keys=("N",),
        enabled=graph_commands.has_unread,
        unless="Everything has been looked at.",
    ),
    Action(
        "goRoot",
        "Root",
        "Go",
        navigate.go_root,
        ("Alt+Home",),
        new_group=True,
        enabled=availability.is_begun,
        unless=NOT_BEGUN,
    ),
    Action(
        "goLeaf",
        "Deepest leaf",
        "Go",
        navigate.go_leaf,
        ("Alt+End",),
        enabled=availability.is_begun,
        unless=NOT_BEGUN,
    ),
    Action("readHere", "Read this path", "Go", graph_commands.read, graph_keys=("Return", "Enter")),
    *(
        Action(
            f"walk{name.capitalize()}",
            f"Go to the card {where}",
            "Go",
            graph_commands.walk(name),
            graph_keys=(name.capitalize(),),
            submenu="Go to the card beside",
            is_beside_text=True,
        )
        for name, where in DIRECTIONS
    ),
    *(
        Action(
            f"extend{name.capitalize()}",
            f"Select the card {where} too",
            "Go",
            graph_commands.extend(name),
            graph_keys=(f"Shift+{name.capitalize()}",),
            submenu="Select the card beside too",
            is_beside_text=True,
        )
        for name, where in DIRECTIONS
    ),
)
