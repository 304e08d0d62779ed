"""Import without PySide's look at every source; for whoever imports much after Qt."""

from __future__ import annotations

import builtins

import PySide6.QtCore  # noqa: F401 - it puts its own in place

# WORKAROUND for https://bugreports.qt.io/browse/PYSIDE-2029: for `from __feature__ import`, which nobody uses
# here, PySide reads the source of each module that is imported from then on, and keeps it. Without this line
# starting takes a tenth longer, and 16 MB more. It may go when PySide asks for no source.
builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
