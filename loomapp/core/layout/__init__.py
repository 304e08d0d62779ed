"""Layout: where the cards of a tree stand.

Contents:
  card_table: Card table: the cards of a tree by number, in arrays that grow, patched from changes.
  card_table_build: Card table of a whole tree, built at once.
  cards: Cards of a graph and the way they hang together: families, versions, notes, loose sources; their
      arrays.
  incremental: Growth: a layout that cards join, leave and stretch in at once, without being laid out anew.
  layout: Layout of cards: breadth-first rows of those that are shown with branches folded, and their tidy
      places.
  tidy_tree: Tidy trees: where each subtree goes beside its siblings, by card, by level or by runs without a
      fork.
"""
