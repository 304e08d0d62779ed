"""Paths through a tree: the active path, siblings, versions, sources.

Contents:
  circles: Circles: nodes that come before themselves by the edges of a damaged tree.
  kinship: Kinship of versions: the node at which the first words that they share were written first.
  last_read: Children that were read last, one below each node, and the path that goes on by them.
  living_place: The place to go on from: a node that is there and shown, else the nearest living one on the
      path.
  navigation: Walks for people: parent, siblings, versions, forks and leaves. Damaged data only ends a walk.
  path: A way: nodes in an order, and where each stands; a path is one through a tree. What two have in
      common.
  piece_table: Pieces: which stretches of other nodes a text was made of, and what was written anew between
      them.
  resolve: Paths: which nodes lead to a node, by which choices; one goes on from those found last, never
      recursing.
  siblings: Variants of a passage: its versions, which stand in its place, and the other ways the text goes
      on.
  sources: Arrivals: what leads to a node and in which role, and what a node is itself used for.
  version_groups: Version groups: nodes that are versions of one text, and which of them is read where none
      was chosen.
"""
