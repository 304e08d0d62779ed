"""Tool tips of words that may come from anywhere: never read as markup."""

from __future__ import annotations

import html


def plain_tip(text: str) -> str:
    """Words for a tool tip, wrapped. Qt reads a tip that looks like HTML as HTML, and fetches its images; so
    every tip that is not ours alone goes through here.
    """
    return f"<p style='white-space: pre-wrap'>{html.escape(text)}</p>" if text else ""
