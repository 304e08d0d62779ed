"""Usage of the call behind a node in words: its tokens, their share of the window, and a missed cache."""

from __future__ import annotations

from loomapp.core.economy.cache_misses import CacheChange, NodeUsage
from loomapp.core.economy.calls import TokenTotals
from loomapp.ui import figures
from loomapp.ui.strings import tr
from loomapp.ui.widgets.words import amounts


def usage_facts(usage: NodeUsage | None, window: int | None) -> list[tuple[str, str]]:
    """Return names and words of what a call used; `window` is that of its model, if it is known."""
    if usage is None:
        return []
    return [
        (tr("Tokens in"), _sent(usage, window)),
        (tr("Tokens out"), _count(usage.call.output_tokens)),
        (tr("Cache"), _cache(usage)),
        (tr("Cache missed"), _missed(usage)),
        *([] if usage.totals is None else [(tr("This path so far"), _totals(usage.totals))]),
    ]


def _totals(totals: TokenTotals) -> str:
    return tr("{sent} tokens in, {received} out, in {calls}").format(
        sent=figures.number(totals.input_tokens),
        received=figures.number(totals.output_tokens),
        calls=tr("1 call") if totals.calls == 1 else tr("{count} calls").format(count=totals.calls),
    )


def _sent(usage: NodeUsage, window: int | None) -> str:
    said, share = _count(usage.call.input_tokens), None if window is None else usage.window_share(window)
    if share is None or window is None:
        return said
    words = tr("{tokens}, {percent} % of the {window} of its window")
    percent, size = figures.number(int(share * 100 + 0.5)), figures.number(window)
    return words.format(tokens=said, percent=percent, window=size)


def _count(count: int | None) -> str:
    return tr("not reported") if count is None else amounts.tokens(count)


def _cache(usage: NodeUsage) -> str:
    read, written = usage.call.cached_tokens, usage.call.cache_written_tokens
    said = [
        "" if read is None else tr("{count} read").format(count=figures.number(read)),
        "" if not written else tr("{count} written").format(count=figures.number(written)),
    ]
    return ", ".join(filter(None, said))


def _missed(usage: NodeUsage) -> str:
    """Return what changed since the call before, where the cache was missed, else ""."""
    if not usage.is_cache_missed:
        return ""
    words: dict[CacheChange, str] = {
        "system": tr("the system context changed"),
        "summary": tr("another summary was used"),
        "exclusion": tr("other messages were excluded"),
        "shortened": tr("other parts were shortened"),
    }
    return ", ".join(words[one] for one in usage.changed) or tr("nothing that was sent before changed")
