"""The tables of a grove file, version 4. Rows are known by an integer; tree and text id are their name."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

APPLICATION_ID = 0x4C4F4F4D  # "LOOM"
VERSION = 4
# A digest of what `sqlite_schema` says in a new grove, see `look.schema_digest`; a test says the right one.
AS_MADE = "0f60427d6534e303cc5473959c803ff3325daa0264e526622ff77200efabf790"
SEALED_FROM = 2  # the first version in which the change log is a chain
# The columns that came with a version, those of new tables too; older groves are read without.
ADDED = {
    2: {("change_log", "link")},
    3: {
        ("nodes", "role"),
        ("agents", "run_limits"),
        ("branch_summaries", "response_id"),
        ("context_summaries", "response_id"),
        *(("agent_memory", name) for name in ("id", "tree", "agent_id", "body")),
    },
}
FREED = {2: {("change_log", "tree")}}  # the columns that may be empty since a version
REMOVED = {4: {"documents"}}  # the tables that went with a version; older groves have them

_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
metadata = MetaData(naming_convention=_NAMES)
former_metadata = MetaData(naming_convention=_NAMES)  # of tables that no new grove has


def _id() -> Column[int]:
    return Column("id", Integer, primary_key=True)


def _tree() -> Column[int]:
    return Column("tree", ForeignKey("trees.id"), nullable=False)


def _json(name: str) -> Column[object]:
    """A JSON value; SQL NULL where there is nothing to keep."""
    return Column(name, JSON(none_as_null=True))


settings = Table(
    "settings",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", JSON, nullable=False),
)

agents = Table(
    "agents",
    metadata,
    _id(),
    Column("agent_id", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("model_ref", Text),
    Column("configuration", JSON, nullable=False),
    Column("permissions", JSON, nullable=False),
    Column("loom_aware", Boolean, nullable=False),
    Column("colour", Text),
    Column("archived_at", Integer),
    Column("is_owner", Boolean, nullable=False, server_default=text("0")),
    _json("extra"),
    _json("run_limits"),
)
Index("ix_agents_owner", agents.c.is_owner, unique=True, sqlite_where=agents.c.is_owner)

# Times are milliseconds since 1970. The active path's leaf and the top-level extra keys of its Loom JSON file
# belong to the tree one to one.
trees = Table(
    "trees",
    metadata,
    _id(),
    Column("tree_id", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("description", Text),
    Column("summary", Text),
    Column("mode", Text, nullable=False),
    Column("root_id", Text, nullable=False),
    Column("system_context", Text),
    Column("buffer_mode_system_context", Boolean, nullable=False),
    Column("context_settings", JSON, nullable=False),
    Column("created_at", Integer, nullable=False),
    Column("updated_at", Integer, nullable=False),
    Column("archived_at", Integer),
    Column("leaf_id", Text, nullable=False),
    _json("path_extra"),
    _json("extra"),
    _json("file_extra"),
)

selections = Table(
    "selections",
    metadata,
    _id(),
    _tree(),
    Column("target_id", Text, nullable=False),
    Column("source_id", Text, nullable=False),
    UniqueConstraint("tree", "target_id"),
)

# The agents that a tree's file listed, in its order.
tree_agents = Table(
    "tree_agents",
    metadata,
    _id(),
    _tree(),
    Column("agent_id", Text, nullable=False),
    UniqueConstraint("tree", "agent_id"),
)

# `present` is false while a node's creation is undone: its row stays, so that redo gives the same bytes.
# `content` is null for plain text, which is `text` alone.
nodes = Table(
    "nodes",
    metadata,
    _id(),
    _tree(),
    Column("node_id", Text, nullable=False),
    Column("present", Boolean, nullable=False),
    Column("local_id", Text, nullable=False),
    Column("text", Text, nullable=False),
    _json("content"),
    Column("author_type", Text, nullable=False),
    Column("author_agent_id", Text),
    Column("created_at", Integer, nullable=False),
    Column("content_hash", Text, nullable=False),
    _json("parent_hashes"),
    Column("edited_from", Text),
    _json("interrupted"),
    _json("extra"),
    Column("summary", Text),
    Column("bookmarked", Boolean, nullable=False),
    Column("bookmark_label", Text),
    Column("pruned", Boolean, nullable=False),
    Column("excluded", Boolean, nullable=False),
    _json("metadata_extra"),
    Column("role", Text),
    UniqueConstraint("tree", "node_id"),
)
Index("ix_nodes_tree", nodes.c.tree, nodes.c.present)

edges = Table(
    "edges",
    metadata,
    _id(),
    _tree(),
    Column("edge_id", Text, nullable=False),
    Column("present", Boolean, nullable=False),
    Column("target", ForeignKey("nodes.id"), nullable=False),
    Column("type", Text, nullable=False),
    Column("created_at", Integer, nullable=False),
    _json("extra"),
    UniqueConstraint("tree", "edge_id"),
)
Index("ix_edges_tree", edges.c.tree, edges.c.present)
Index(None, edges.c.target)

edge_sources = Table(
    "edge_sources",
    metadata,
    Column("edge", ForeignKey("edges.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("node", ForeignKey("nodes.id"), nullable=False),
    Column("role", Text, nullable=False),
    _json("extra"),
    sqlite_with_rowid=False,
)
Index(None, edge_sources.c.node)

included_annotations = Table(
    "included_annotations",
    metadata,
    Column("tree", ForeignKey("trees.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("node_id", Text, nullable=False),
    sqlite_with_rowid=False,
)

tags = Table(
    "tags",
    metadata,
    _id(),
    _tree(),
    Column("name", Text, nullable=False),
    Column("colour", Text),
    _json("extra"),
    UniqueConstraint("tree", "name"),
)

tag_nodes = Table(
    "tag_nodes",
    metadata,
    Column("tag", ForeignKey("tags.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("node_id", Text, nullable=False),
    sqlite_with_rowid=False,
)

links = Table(
    "links",
    metadata,
    _id(),
    _tree(),
    Column("from_node_id", Text, nullable=False),
    Column("to_tree_id", Text, nullable=False),
    Column("to_node_id", Text, nullable=False),
    Column("label", Text),
    _json("extra"),
    UniqueConstraint("tree", "from_node_id", "to_tree_id", "to_node_id"),
)

# `response_id` names the response of the same tree that a model's summary was taken from.
branch_summaries = Table(
    "branch_summaries",
    metadata,
    _id(),
    _tree(),
    Column("node_id", Text, nullable=False),
    Column("body", JSON, nullable=False),
    Column("response_id", Text),
    UniqueConstraint("tree", "node_id"),
)

context_summaries = Table(
    "context_summaries",
    metadata,
    _id(),
    _tree(),
    Column("anchor_node_id", Text, nullable=False),
    Column("covered_hash", Text, nullable=False),
    Column("body", JSON, nullable=False),
    Column("response_id", Text),
    UniqueConstraint("tree", "anchor_node_id", "covered_hash"),
)

# What an agent remembers of a tree.
agent_memory = Table(
    "agent_memory",
    metadata,
    _id(),
    _tree(),
    Column("agent_id", Text, nullable=False),
    Column("body", JSON, nullable=False),
    UniqueConstraint("tree", "agent_id"),
)

# One row for each HTTP exchange, written once. Both bodies are gzipped; the response's exactly as it came.
responses = Table(
    "responses",
    metadata,
    _id(),
    _tree(),
    Column("response_id", Text, nullable=False),
    Column("provider", Text, nullable=False),
    Column("request_gzip", LargeBinary, nullable=False),
    Column("body_gzip", LargeBinary, nullable=False),
    Column("request_id", Text),
    Column("model", Text),
    Column("headers", JSON, nullable=False),
    Column("started_at", Integer, nullable=False),
    Column("ended_at", Integer, nullable=False),
    Column("latency_ms", Integer),
    Column("usage", JSON, nullable=False),
    Column("finish_reason", Text),
    _json("extra"),
    UniqueConstraint("tree", "response_id"),
)

node_responses = Table(
    "node_responses",
    metadata,
    Column("node", ForeignKey("nodes.id"), primary_key=True),
    Column("response", ForeignKey("responses.id"), nullable=False),
    Column("choice_index", Integer, nullable=False),
)
Index(None, node_responses.c.response)

# What was typed or streamed and is no node yet; `draft_key` is unique in its tree.
drafts = Table(
    "drafts",
    metadata,
    _id(),
    _tree(),
    Column("draft_key", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("base_node_id", Text),
    Column("base_hash", Text),
    Column("body", JSON, nullable=False),
    Column("updated_at", Integer, nullable=False),
    UniqueConstraint("tree", "draft_key"),
)

NEVER_WRITTEN = frozenset({"documents", "drafts"})  # documents are nodes, drafts lie beside the grove

documents = Table(
    "documents",
    former_metadata,
    _id(),
    Column("document_id", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("mime_type", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("created_at", Integer, nullable=False),
    Column("updated_at", Integer, nullable=False),
    _json("extra"),
)

# Every Change, in the order of committing; without a tree what became of agents and settings. `body` holds
# its rows by id (see change_log); of an undo or a redo only what differs from the step it moves. `link` seals
# the entry and all before it (see core.chain).
change_log = Table(
    "change_log",
    metadata,
    Column("sequence", Integer, primary_key=True),
    Column("tree", ForeignKey("trees.id")),
    Column("label", Text, nullable=False),
    Column("made_by", Text, nullable=False),
    Column("made_at", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("undoable", Boolean, nullable=False),
    Column("done", Boolean, nullable=False),
    Column("abandoned", Boolean, nullable=False),
    Column("undoes", ForeignKey("change_log.sequence")),
    Column("redoes", ForeignKey("change_log.sequence")),
    Column("link", Text, nullable=False),
    sqlite_autoincrement=True,
)
Index("ix_change_log_tree", change_log.c.tree)
Index(
    "ix_change_log_steps",
    change_log.c.tree,
    sqlite_where=change_log.c.undoable & ~change_log.c.abandoned,
)
Index(
    "ix_change_log_undone",
    change_log.c.tree,
    sqlite_where=change_log.c.undoable & ~change_log.c.abandoned & ~change_log.c.done,
)
