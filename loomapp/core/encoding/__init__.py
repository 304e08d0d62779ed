"""Trees and agents as JSON values, and back.

Contents:
  agent_json: Agents as JSON values in the names of Loom JSON, and back; bad input is told by its place.
  tree_json: Rows as JSON values in the names of Loom JSON, and back; bad input is told by its place.
"""
