"""Paths through a tree: the active path, siblings, versions, sources.

Contents:
  navigation: Walks for people: parent, siblings, versions, forks, leaves, the last read, and the sources of
      a node.
  path: A path: nodes in an order, and where each stands; what two sequences share; circles of damaged
      trees.
  piece_table: Pieces: which stretches of other nodes a text was made of, and what was written anew between
      them.
  resolve: Paths: which nodes lead to a node, by which choices; one goes on from those found last, never
      recursing.
  siblings: Variants of a passage: its versions, which stand in its place, and the other ways the text goes
      on.
  version_groups: Version groups: versions of one text, the one that is read unless chosen, and where their
      words began.
"""
