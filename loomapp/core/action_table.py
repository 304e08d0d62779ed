"""Table of actions: the name, title, menu and keys of everything a person can do in the window.

What each does and when it can be done is said by `ui.actions`, where every name here has its row.
"""

from __future__ import annotations

from collections.abc import Mapping

from loomapp.core.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ActionEntry:
    """One action as menus, palette, key settings and the keys page list it.

    `keys` work anywhere in the window, `graph_keys` while the graph has the keyboard; both as Qt writes
    them ("Ctrl+Shift+Z"), the one that is shown first; `ui.keys.refusal` says which cannot be
    had. A separator stands before an entry with `new_group`.
    """

    name: str
    title: str
    keys: tuple[str, ...] = ()
    graph_keys: tuple[str, ...] = ()
    submenu: str = ""  # a menu inside of the menu
    new_group: bool = False


ACTIONS_BY_MENU: Mapping[str, tuple[ActionEntry, ...]] = {
    "File": (
        ActionEntry("newDialogue", "New dialogue", ("Ctrl+N",)),
        ActionEntry("newBuffer", "New buffer", ("Ctrl+Shift+B",)),
        ActionEntry("newDocument", "New document…"),
        ActionEntry("treeSettings", "Tree settings", ("Ctrl+Shift+T",)),
        ActionEntry("settings", "Settings", ("Ctrl+,",)),
        ActionEntry("agents", "Agents…"),
        ActionEntry("endpoints", "Endpoints and keys…"),
        ActionEntry("usage", "Usage and prices…"),
        ActionEntry("otherPrograms", "Other programs (MCP)…"),
        ActionEntry("openGrove", "Open grove…", ("Ctrl+O",), new_group=True),
        ActionEntry("newGrove", "New grove…"),
        ActionEntry("openRecent", "Open recent"),
        ActionEntry("restoreBackup", "Restore a backup…"),
        ActionEntry("backUpNow", "Back up now"),
        ActionEntry("checkGrove", "Check this grove"),
        ActionEntry("importTree", "Import…", new_group=True),
        ActionEntry("exportTree", "Export…"),
        ActionEntry("exportEvidence", "Export evidence…"),
        ActionEntry("quit", "Quit", ("Ctrl+Q",), new_group=True),
    ),
    "Edit": (
        ActionEntry("undo", "Undo", ("Ctrl+Z",)),
        ActionEntry("redo", "Redo", ("Ctrl+Shift+Z", "Ctrl+Y")),
        ActionEntry("copyText", "Copy text", new_group=True),
        ActionEntry("findInPath", "Find in path", ("Ctrl+F", "Ctrl+H")),
        ActionEntry("searchGrove", "Search in the grove", ("Ctrl+Shift+F",)),
        ActionEntry("attachFiles", "Attach files…", ("Ctrl+Shift+A",), new_group=True),
    ),
    "View": (
        ActionEntry("commandPaletteAction", "Search or command…", ("Ctrl+P",)),
        ActionEntry("commandsAction", "All commands…", ("Ctrl+Shift+P",)),
        ActionEntry("fitAll", "Fit all", ("Ctrl+0",), new_group=True),
        ActionEntry("fitSelection", "Fit selection", ("Ctrl+9",)),
        ActionEntry("zoomIn", "Zoom in", ("Ctrl++", "Ctrl+=")),
        ActionEntry("zoomOut", "Zoom out", ("Ctrl+-",)),
        ActionEntry("zoomFull", "Zoom to 100 %", ("Ctrl+8",)),
        ActionEntry("showPrunedAction", "Show deleted"),
        ActionEntry("graphDirection", "Graph from the top down"),
        ActionEntry("moveOverview", "Move or hide the overview"),
        ActionEntry("fold", "Fold branch", graph_keys=("C",), new_group=True),
        ActionEntry("unfoldAll", "Unfold all"),
        ActionEntry("hoist", "Show only this branch", graph_keys=("H",)),
        ActionEntry("unhoist", "Show the whole tree", graph_keys=("Shift+H",)),
        ActionEntry("peek", "Peek at the whole text", graph_keys=("Space",)),
        ActionEntry("pinPreview", "Pin preview", graph_keys=("P",)),
        ActionEntry("toggleTheme", "Dark or light", new_group=True),
        ActionEntry("toggleSideBar", "Side bar", ("F9",)),
        ActionEntry("swapSides", "Swap side bar and text"),
        ActionEntry("foldInspector", "Fold the inspector"),
        ActionEntry("history", "History"),
        ActionEntry("contextInspector", "Context inspector", ("Ctrl+Shift+I",)),
        ActionEntry("showSources", "Sources"),
        ActionEntry("showSent", "What was this sent?"),
        ActionEntry("sinceLast", "Difference to the last request"),
        ActionEntry("focusGraph", "Go to the graph", ("Ctrl+1",), new_group=True),
        ActionEntry("focusText", "Go to the text", ("Ctrl+2",)),
        ActionEntry("focusInspector", "Go to the inspector", ("Ctrl+3",)),
        ActionEntry("focusOutline", "Go to the outline", ("Ctrl+4",)),
        ActionEntry("focusDocuments", "Go to the documents", ("Ctrl+5",)),
        ActionEntry("openMenus", "Open the menus", ("F10",)),
        ActionEntry("cycleFocus", "Next pane", ("F6",)),
        ActionEntry("focusMode", "Focus mode", ("F11",)),
    ),
    "Go": (
        ActionEntry("visitBack", "Back to where you were", ("Alt+Shift+Left",)),
        ActionEntry("visitForward", "Forward again", ("Alt+Shift+Right",)),
        ActionEntry("goParent", "Parent", ("Alt+Left",), new_group=True),
        ActionEntry("goChild", "Child", ("Alt+Right",)),
        *(
            ActionEntry(f"goChild{number}", f"Child {number}", (f"Alt+{number}",), submenu="Child by number")
            for number in range(1, 10)
        ),
        ActionEntry("previousSibling", "Previous sibling", ("Alt+Up",)),
        ActionEntry("nextSibling", "Next sibling", ("Alt+Down",)),
        ActionEntry("previousVersion", "Previous version", ("Alt+PgUp",)),
        ActionEntry("nextVersion", "Next version", ("Alt+PgDown",)),
        ActionEntry("previousFork", "Previous fork", ("Ctrl+Alt+PgUp",)),
        ActionEntry("nextFork", "Next fork", ("Ctrl+Alt+PgDown",)),
        ActionEntry("nextUnread", "Next unread", graph_keys=("N",)),
        ActionEntry("goRoot", "Root", ("Alt+Home",), new_group=True),
        ActionEntry("goLeaf", "Deepest leaf", ("Alt+End",)),
        ActionEntry("readHere", "Read this path", graph_keys=("Return", "Enter")),
        ActionEntry(
            "walkLeft", "Go to the card to the left", graph_keys=("Left",), submenu="Go to the card beside"
        ),
        ActionEntry(
            "walkRight", "Go to the card to the right", graph_keys=("Right",), submenu="Go to the card beside"
        ),
        ActionEntry("walkUp", "Go to the card above", graph_keys=("Up",), submenu="Go to the card beside"),
        ActionEntry(
            "walkDown", "Go to the card below", graph_keys=("Down",), submenu="Go to the card beside"
        ),
        ActionEntry(
            "extendLeft",
            "Select the card to the left too",
            graph_keys=("Shift+Left",),
            submenu="Select the card beside too",
        ),
        ActionEntry(
            "extendRight",
            "Select the card to the right too",
            graph_keys=("Shift+Right",),
            submenu="Select the card beside too",
        ),
        ActionEntry(
            "extendUp",
            "Select the card above too",
            graph_keys=("Shift+Up",),
            submenu="Select the card beside too",
        ),
        ActionEntry(
            "extendDown",
            "Select the card below too",
            graph_keys=("Shift+Down",),
            submenu="Select the card beside too",
        ),
    ),
    "Node": (
        ActionEntry("edit", "Edit", ("F2",)),
        ActionEntry("bookmark", "Bookmark", ("Ctrl+D",), graph_keys=("B",)),
        ActionEntry("bookmarkAs", "Bookmark as…"),
        ActionEntry("tag", "Tag…", graph_keys=("T",)),
        ActionEntry("exclude", "Exclude from context", ("Ctrl+Shift+X",), graph_keys=("X",)),
        ActionEntry("excludeBranch", "Exclude branch from context", graph_keys=("Shift+X",)),
        ActionEntry("attachContext", "Attach as context", ("Ctrl+Shift+C",)),
        ActionEntry("attachInstruction", "Attach as instruction", ("Ctrl+Shift+N",)),
        ActionEntry("annotate", "Add a note…"),
        ActionEntry("includeNote", "Include note in context"),
        ActionEntry("openDocument", "Open document"),
        ActionEntry("nameBranch", "Name this branch…"),
        ActionEntry("splitPassage", "Split at the caret", ("Ctrl+Shift+K",), new_group=True),
        ActionEntry("mergeWithParent", "Merge with the passage before", ("Ctrl+Shift+J",)),
        ActionEntry("mergeChain", "Merge all passages between two forks"),
        ActionEntry("keepPath", "Keep only this path"),
        ActionEntry("summariseHere", "Summarise up to here", new_group=True),
        ActionEntry("compactBranch", "Compact branch"),
        ActionEntry("reparent", "Move branch…", ("Ctrl+Shift+M",), graph_keys=("M",)),
        ActionEntry("compare", "Compare selected", ("Ctrl+Shift+D",), new_group=True),
        ActionEntry("compareSent", "Compare what they were sent"),
        ActionEntry("prune", "Delete branch", graph_keys=("Del",), new_group=True),
        ActionEntry("restore", "Restore branch"),
    ),
    "Generate": (
        ActionEntry("generate", "Generate", ("Ctrl+Enter", "Ctrl+Return"), graph_keys=("G",)),
        ActionEntry(
            "generateSiblings",
            "Retry (generate siblings)",
            ("Ctrl+Shift+Enter", "Ctrl+Shift+Return"),
            graph_keys=("S",),
        ),
        ActionEntry("generateAll", "Generate with every ticked agent", ("Ctrl+Alt+Enter", "Ctrl+Alt+Return")),
        ActionEntry("addMessage", "Add message without asking a model", ("Ctrl+Shift+O",)),
        ActionEntry("addBeside", "Add sibling message without asking a model", ("Ctrl+Shift+Y",)),
        ActionEntry("fillIn", "Fill in at the caret", ("Ctrl+Shift+L",)),
        ActionEntry("fillsIn", "Within the text, Generate always fills in"),
        ActionEntry("whatIf", "Try another context…"),
        ActionEntry("stop", "Stop", ("Esc",), new_group=True),
        ActionEntry("stopAll", "Stop everything", ("Shift+Esc",)),
    ),
    "Help": (
        ActionEntry("showKeys", "Help and keys", ("F1",)),
        ActionEntry("showLog", "Show the log"),
        ActionEntry("about", "About Loomapp"),
    ),
}

REPEATED_BY_HELD_KEY = frozenset(
    {"undo", "redo", "zoomIn", "zoomOut", *(entry.name for entry in ACTIONS_BY_MENU["Go"])}
)
"""Names of the actions that a held key does again and again: steps that one goes on with. Every other is done
once for each press; a key held down too long would ask models again and again, or prune card after card."""

# Words by which other programs know an action, in lower case: the palette finds it by them too.
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "about": ("version of loomapp", "licence", "update"),
    "addBeside": ("fork", "sibling", "alternative"),
    "addMessage": ("fork", "child", "write by hand", "as a person"),
    "agents": (
        "model",
        "models",
        "persona",
        "character",
        "temperature",
        "system prompt",
        "max tokens",
        "longest answer",
        "context window",
        "top p",
        "stop sequences",
        "tools",
    ),
    "annotate": ("comment", "annotation", "notes", "remark"),
    "attachFiles": ("upload", "images", "picture", "photo", "document", "add file"),
    "backUpNow": ("backup", "save a copy", "snapshot"),
    "bookmark": ("star", "favourite", "favorite", "pin"),
    "checkGrove": ("verify", "integrity", "damaged", "hash", "chain"),
    "compactBranch": ("compress", "shorten"),
    "compare": ("diff", "difference", "side by side"),
    "contextInspector": ("preview", "prompt", "what will be sent", "what is kept", "left out"),
    "copyText": ("copy message",),
    "edit": ("change text", "rewrite", "edit message", "correct"),
    "endpoints": (
        "api key",
        "provider",
        "server",
        "account",
        "log in",
        "login",
        "openai",
        "anthropic",
        "ollama",
        "openrouter",
        "lm studio",
        "local model",
    ),
    "exclude": ("hide", "mute", "skip"),
    "exportTree": ("save as", "download", "share", "print", "publish", "word document", "markdown"),
    "fillIn": ("infill", "insert", "fim"),
    "findInPath": ("replace", "search in path", "find and replace"),
    "fitAll": ("show everything", "reset zoom"),
    "focusMode": ("full screen", "fullscreen", "distraction free", "zen"),
    "focusOutline": ("chapters", "table of contents", "navigator"),
    "fold": ("collapse", "expand"),
    "generate": ("send", "continue", "submit", "ask"),
    "generateSiblings": ("regenerate", "swipe", "reroll", "another answer", "try again"),
    "history": ("timeline", "changes", "revisions"),
    "hoist": ("isolate", "focus on branch"),
    "importTree": ("chatgpt", "claude", "sillytavern", "load"),
    "keepPath": ("delete other branches",),
    "mergeWithParent": ("join",),
    "nameBranch": ("rename branch", "label branch", "chapter title"),
    "newBuffer": ("new story", "new text", "new novel"),
    "newDocument": ("note beside the tree", "scratchpad", "own notes"),
    "newDialogue": ("new chat", "new conversation"),
    "nextVersion": ("versions",),
    "openGrove": ("open file", "open project"),
    "otherPrograms": ("claude desktop", "server", "connect", "http", "plugins"),
    "previousVersion": ("versions", "older version"),
    "prune": ("prune", "remove", "delete message"),
    "quit": ("exit", "close"),
    "reparent": ("reparent", "change parent"),
    "restore": ("undelete", "bring back"),
    "restoreBackup": ("recover",),
    "searchGrove": ("find everywhere", "search all chats"),
    "settings": ("preferences", "options", "configuration"),
    "showKeys": ("shortcuts", "keyboard", "help", "hotkeys", "manual"),
    "showLog": ("errors", "debug"),
    "showPrunedAction": ("pruned", "trash", "bin"),
    "showSent": ("request", "evidence", "provenance"),
    "stop": ("cancel", "abort"),
    "summariseHere": ("summarize", "compress"),
    "tag": ("label", "tags", "keyword"),
    "toggleSideBar": ("sidebar", "chat list", "list of trees"),
    "toggleTheme": ("theme", "appearance", "dark mode", "light mode", "night mode"),
    "treeSettings": (
        "rename chat",
        "rename tree",
        "title",
        "system prompt",
        "system context",
        "truncation",
        "custom instructions",
    ),
    "undo": ("revert", "take back"),
    "usage": ("cost", "money", "spending", "tokens used", "statistics"),
    "whatIf": ("what if", "variant", "experiment"),
    "zoomIn": ("larger text", "bigger text", "text size", "font size"),
    "zoomOut": ("smaller text", "text size", "font size"),
}

# Facts told where people look for an action that is not needed, or is done in a place of its own.
TOLD: Mapping[str, tuple[str, ...]] = {
    "To put a tree away: right-click it in the list of trees, then Archive": (
        "delete chat",
        "delete tree",
        "remove chat",
        "archive",
    ),
    "The words of a buffer are counted above its text and in the status bar": ("word count", "count words"),
    "For paper or a PDF: export the path as a Word document, and print that": ("print", "pdf"),
    "All is saved as you write; a copy of it all: Back up now": ("save", "autosave"),
    "Who is asked is chosen at the right of the window's head: Enter for one alone, Space for several": (
        "who is asked",
        "choose model",
        "switch model",
        "change model",
    ),
    "Loomapp itself speaks English; you can write in any language": ("language", "translate"),
}
