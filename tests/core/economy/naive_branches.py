"""Branch summaries from the sentences of the rules: the chain of heads, its text, the statistics."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from tests.core.context.naive_loom import Json, NaiveError, NaiveLoom, Path
from tests.core.economy.naive_pieces import EconomyLoom, first_words, node_text

MOST_HEADS = 50
COUNTS = ("updateCount", "firstContentLength", "currentContentLength", "cumulativeInputLength")


@dataclass
class Head:
    """A node that heads a branch of the chain, at its place on the path."""

    node_id: str
    place: int
    title: str
    summary: str


def tokens(code_points: int) -> int:
    """ "Tokens here: `ceil(code points / 3.5)`" """
    return ceil(Fraction(code_points * 2, 7))


def percent(part: int, whole: int) -> int:
    """ "floor((1 - t/raw)*100 + 0.5)"; of nothing: 0."""
    return 0 if whole == 0 else floor((1 - Fraction(part, whole)) * 100 + Fraction(1, 2))


def counted_row(row: Json) -> Json:
    """ "a row with a text counts as one update of its length", where its counts are missing"""
    text = row.get("text")
    made = dict.fromkeys(COUNTS, 0)
    if text:
        made = {**dict.fromkeys(COUNTS, len(text)), "updateCount": 1}
    return {**row, **{name: made[name] if row.get(name) is None else row[name] for name in COUNTS}}


def rows_of(file: Json) -> list[Json]:
    """The rows of the branch summaries in the order in which they were made."""
    return [counted_row(row) for row in file.get("branchSummaries", [])]


def row_of(loom: NaiveLoom, file: Json, node_id: str) -> Json | None:
    """The row of a node; "In a Buffer a head stands for all versions of its node." """
    rows = {row["nodeId"]: row for row in rows_of(file)}
    if node_id in rows:
        return rows[node_id]
    if loom.dialogue:
        return None
    versions = loom.family(node_id)
    return next((row for row in rows.values() if row["nodeId"] in versions), None)


def chain(loom: NaiveLoom, file: Json, path: Path) -> list[Head]:
    """ "The heads from root to the current node [...], whatever their flags; the root is always one, titled
    as the tree whatever its row says." All of them: the cap comes later.
    """
    heads: list[Head] = []
    for place, node_id in enumerate(path.nodes):
        row = row_of(loom, file, node_id)
        if row is None and place > 0:
            continue
        title = (row or {}).get("title") or ""
        if place == 0:
            title = tree_title(loom)
        # "it has a branch title (default: its first words)"
        title = title if title.strip() else first_words(loom.nodes[node_id])
        heads.append(Head(node_id, place, title, (row or {}).get("text") or ""))
    return heads


def tree_title(loom: NaiveLoom) -> str:
    """ "default: the first words of the root, else `Loom Tree <n>`" """
    return loom.tree.get("title") or first_words(loom.nodes[loom.tree["rootNodeId"]]) or "Loom Tree 1"


def capped(heads: list[Head]) -> list[Head]:
    """ "at most 50 heads, the nearest to the active one" """
    return heads[-MOST_HEADS:]


def threads_text(loom: NaiveLoom, heads: list[Head]) -> str:
    """ "sections joined by `\\n\\n---\\n\\n`. First `## System Context\\n\\n{tree system context}`, then for
    each head `## Thread: {title}\\n\\n{summary}`, the last head's title followed by ` (active)`; both texts
    stripped, blank ones skipped (no mark then [...])"
    """
    sections: list[str] = []
    system = (loom.tree.get("systemContext") or "").strip()
    if system:
        sections.append(f"## System Context\n\n{system}")
    for head in heads:
        mark = " (active)" if head is heads[-1] else ""
        if head.summary.strip():
            sections.append(f"## Thread: {head.title}{mark}\n\n{head.summary.strip()}")
    return "\n\n---\n\n".join(sections)


def updates(file: Json) -> int:
    """ "n = all updates of the tree, [...] pruned heads counted" """
    return sum(row["updateCount"] for row in rows_of(file))


def raw_tokens(file: Json) -> int:
    """ "raw = ceil(sum of all its summary input lengths / 3.5)" """
    return tokens(sum(row["cumulativeInputLength"] for row in rows_of(file)))


def footer(file: Json, text: str, depth: int) -> str:
    t, raw, n = tokens(len(text)), raw_tokens(file), updates(file)
    said = f"\n\n---\n_ThreadMind context: ~{t} tokens | depth: {depth} threads_"
    if n:  # "once any summary was updated a second line"
        pct = max(0, percent(t, raw))
        said += f"\n_Estimated raw history: ~{raw:,} tokens (~{pct}% reduction from {n} summary updates)_"
    return said


def active_path(loom: NaiveLoom, file: Json) -> Path:
    return walked(loom, file["activePath"]["leafNodeId"])


def walked(loom: NaiveLoom, at: str) -> Path:
    """The path to a node by the stored choices; a cycle names "the node met twice"."""
    try:
        return loom.path(at, loom.selections)
    except NaiveError as error:
        if error.code != "CYCLE":
            raise
    met = [at]
    while True:
        edge = loom.edge_into(met[-1])
        assert edge is not None
        above = loom.chosen(edge, loom.selections)
        if above in met:
            raise NaiveError("CYCLE", message=f'Circular reference detected at thread "{above}"')
        met.append(above)


def naive_context(file: Json, at: str | None) -> str:
    """What `loomapp context --assembler summaries` prints. Raises: NaiveError."""
    loom = EconomyLoom(file)
    path = active_path(loom, file) if at is None else walked(loom, at)
    heads = capped(chain(loom, file, path))
    text = threads_text(loom, heads)
    return text + footer(file, text, len(heads))


# Statistics


def head_rows(loom: NaiveLoom, file: Json, path: Path) -> list[Json]:
    """A row for each head: in a Buffer one for all versions of a node, that of the path if it is there."""
    found: list[Json] = []
    seen: set[str] = set()
    for row in rows_of(file):
        versions = {row["nodeId"]} if loom.dialogue else loom.family(row["nodeId"])
        if row["nodeId"] in seen:
            continue
        seen |= versions
        on_path = next((node_id for node_id in path.nodes if node_id in versions), row["nodeId"])
        found.append(row_of(loom, file, on_path) or row)
    return found


def slug(title: str) -> str:
    """ "lower case, runs of other than a-z 0-9 become `-`, [...] `thread` if empty" """
    return re.sub("[^a-z0-9]+", "-", title.lower()).strip("-") or "thread"


def names(loom: NaiveLoom, file: Json, root: str, rows: list[Json]) -> dict[str, str]:
    """ "name = `main` for the root, else the title's slug: [...] `-2` on a collision": of these rows."""
    found = {root: "main"}
    root_row = row_of(loom, file, root)
    for row in rows:
        node_id = row["nodeId"]
        if root_row is not None and node_id == root_row["nodeId"]:
            found[node_id] = "main"
            continue
        title = row.get("title") or ""
        wanted = slug(title if title.strip() else first_words(loom.nodes[node_id]))
        name, number = wanted, 1
        while name in found.values():
            number += 1
            name = f"{wanted}-{number}"
        found[node_id] = name
    return found


def naive_stats(file: Json) -> Json:
    """What `loomapp stats --json` prints. Raises: NaiveError."""
    loom = EconomyLoom(file)
    path = active_path(loom, file)
    root = loom.tree["rootNodeId"]
    all_heads = chain(loom, file, path)
    heads = capped(all_heads)
    t, raw, n = tokens(len(threads_text(loom, heads))), raw_tokens(file), updates(file)
    # "threads = heads not pruned; rows = those with updates, main first, then as they became heads"
    rows = [row for row in head_rows(loom, file, path) if not loom.flagged(row["nodeId"], "pruned")]
    root_row = row_of(loom, file, root)
    main = [row for row in rows if root_row is not None and row["nodeId"] == root_row["nodeId"]]
    others = [row for row in rows if row not in main]
    bare_root = root_row is None and not loom.flagged(root, "pruned")
    tracked = [row for row in main + others if row["updateCount"] > 0]
    called = names(loom, file, root, rows)
    return {
        "title": tree_title(loom),
        "threads": len(rows) + bare_root,
        "tracked": len(tracked),
        "updates": n,
        "contextTokens": t,
        "depth": len(heads),
        "depthCapped": len(all_heads) > len(heads),
        "rawTokens": raw,
        "reduction": percent(t, raw) if n else None,
        "rows": [
            {
                "nodeId": row["nodeId"],
                "name": called[row["nodeId"]],
                "updates": row["updateCount"],
                "currentTokens": tokens(row["currentContentLength"]),
                "cumulativeTokens": tokens(row["cumulativeInputLength"]),
                "ratio": max(0, percent(row["currentContentLength"], row["cumulativeInputLength"])),
            }
            for row in tracked
        ],
        "pathTokens": tokens(sum(len(node_text(loom.nodes[node_id])) for node_id in path.nodes)),
    }


def naive_stats_text(file: Json) -> str:
    """What `loomapp stats` prints. Raises: NaiveError."""
    stats = naive_stats(file)
    lines = [
        f'ThreadMind Stats: "{stats["title"]}"',
        "",
        "Overview:",
        f"  Threads: {stats['threads']} ({stats['tracked']} with tracked updates)",
        f"  Summary updates: {stats['updates']}",
        f"  Current context: ~{stats['contextTokens']} tokens (depth: {stats['depth']})",
        "",
    ]
    if stats["updates"]:
        lines += [
            "Token Savings (estimated):",
            f"  Estimated raw history: ~{stats['rawTokens']:,} tokens",
            f"  ThreadMind context:    ~{stats['contextTokens']} tokens",
            f"  Reduction:             ~{max(0, stats['reduction'])}%",
            "",
            "Per-Thread Breakdown:",
            columns("Thread", "Updates", "Current", "Cumulative", "Ratio"),
        ]
        lines += [
            columns(
                row["name"],
                str(row["updates"]),
                f"~{row['currentTokens']}",
                f"~{row['cumulativeTokens']}",
                f"{row['ratio']}%",
            )
            for row in stats["rows"]
        ]
    else:
        lines += [
            "Token Savings:",
            "  No summary updates tracked yet. Use summary_update to start tracking.",
        ]
    return "\n".join(
        [
            *lines,
            "",
            "Method: Cumulative summary input vs current context size.",
            "Token estimates use ~3.5 chars/token approximation.",
        ]
    )


def columns(name: str, count: str, current: str, cumulative: str, ratio: str) -> str:
    """ "two spaces, columns padded to 20/9/10/14, one space after each" """
    return f"  {name:<20} {count:<9} {current:<10} {cumulative:<14} {ratio}"
