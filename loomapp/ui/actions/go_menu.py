"""Actions of the Go menu: from node to node, along the path, the siblings, the versions and the cards."""

from __future__ import annotations

from loomapp.ui.actions.action import Action, Enabled
from loomapp.ui.commands import availability, navigate
from loomapp.ui.commands.graph import branches as graph_commands
from loomapp.ui.graph.input.key_walk import Direction

NO_CHILD = "Nothing follows this node."
NO_SIBLING = "There is no other way on from its parent."
NO_VERSION = "This text was never edited."
NOT_BEGUN = "There is only the first node."
DIRECTIONS: tuple[Direction, ...] = ("left", "right", "up", "down")

GO_MENU: tuple[Action, ...] = (
    Action(
        "visitBack", navigate.visit_back, Enabled(navigate.can_visit_back, "Nothing was visited before this.")
    ),
    Action(
        "visitForward", navigate.visit_forward, Enabled(navigate.can_visit_forward, "You have not gone back.")
    ),
    Action("goParent", navigate.go_parent, Enabled(navigate.has_parent, "This is the first node.")),
    Action("goChild", navigate.go_child, Enabled(navigate.has_child, NO_CHILD)),
    *(
        Action(
            f"goChild{number}",
            navigate.nth_child(number),
            Enabled(navigate.has_nth_child(number), "This node has fewer children."),
        )
        for number in range(1, 10)
    ),
    Action(
        "previousSibling",
        navigate.previous_sibling,
        Enabled(navigate.has_siblings, NO_SIBLING),
        leaves_text=True,
    ),
    Action(
        "nextSibling", navigate.next_sibling, Enabled(navigate.has_siblings, NO_SIBLING), leaves_text=True
    ),
    Action("previousVersion", navigate.previous_version, Enabled(navigate.has_versions, NO_VERSION)),
    Action("nextVersion", navigate.next_version, Enabled(navigate.has_versions, NO_VERSION)),
    Action("previousFork", navigate.previous_fork, Enabled(availability.is_begun, NOT_BEGUN)),
    Action("nextFork", navigate.next_fork, Enabled(availability.is_begun, NOT_BEGUN)),
    Action(
        "nextUnread",
        graph_commands.next_unread,
        Enabled(graph_commands.has_unread, "Everything has been looked at."),
    ),
    Action("goRoot", navigate.go_root, Enabled(availability.is_begun, NOT_BEGUN)),
    Action("goLeaf", navigate.go_leaf, Enabled(availability.is_begun, NOT_BEGUN)),
    Action("readHere", graph_commands.read),
    *(Action(f"walk{name.capitalize()}", graph_commands.walk(name), leaves_text=True) for name in DIRECTIONS),
    *(
        Action(f"extend{name.capitalize()}", graph_commands.extend(name), leaves_text=True)
        for name in DIRECTIONS
    ),
)
