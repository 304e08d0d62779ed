"""Words of what helps: remedies of the core with their numbers, and steps that lead elsewhere."""

from __future__ import annotations

from loomapp.core.errors import LoomError
from loomapp.core.model.tree import Tree
from loomapp.core.sent.remedies import Remedy
from loomapp.ui.figures import number
from loomapp.ui.strings import tr
from loomapp.ui.widgets.words.context_words import strategy_choices


def words_of(remedy: Remedy, tree: Tree | None = None) -> str:
    """Return a remedy as a button says it; the tree names the node that it leaves out."""
    value = remedy.value
    match remedy.kind:
        case "include":
            return tr("Include what is excluded ({count})").format(count=value)
        case "strategy":
            words = dict(strategy_choices()).get(str(value), str(value))
            return tr("{strategy}: sends {count} tokens").format(strategy=words, count=number(remedy.tokens))
        case "room" | "answer":
            tokens = number(value) if isinstance(value, int) else ""
            if remedy.kind == "room":
                return tr("Room for the answer: only {count} tokens").format(count=tokens)
            return tr("This agent's longest answer: only {count} tokens").format(count=tokens)
        case "exclude":
            node = tree.nodes.get(remedy.node_id or "") if tree else None
            name = node.local_id if node else ""
            return tr("Exclude {name}: sends {count} tokens").format(name=name, count=number(remedy.tokens))
        case "withoutSystem":
            return tr("Send no system context in this buffer")


def acts_against(error: LoomError) -> tuple[str, ...]:
    """Return the other acts that help against an error of assembly, by name: it is decided elsewhere."""
    return {
        "CONTEXT_TOO_LONG": ("chooseModel", "whatIf"),
        "SYSTEM_TOO_LARGE": ("treeSettings", "chooseModel", "whatIf"),
        "INVALID_BUDGET": ("treeSettings", "chooseModel", "whatIf"),
        "INVALID_SELECTION": ("forgetChoices",),
        "EMPTY_CONTEXT": ("write",),
    }.get(error.code, ())


def act_words(name: str) -> str:
    return {
        "chooseModel": tr("Choose another model…"),
        "treeSettings": tr("Open the tree settings"),
        "whatIf": tr("Try something else…"),
        "forgetChoices": tr("Choose the newest versions again"),
        "write": tr("Write something"),
    }[name]
