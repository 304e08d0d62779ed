"""The side bar: its sections, the outline of the open tree, bookmarks, tags, search in the whole grove.

Contents:
  section: A section of the side bar: a title that folds what stands below it, and little more while that is
      empty.
  side_bar: The side bar: trees, outline, bookmarks, tags and search, one below the other; each can be
      folded.
  tag_list: The tags of the open tree as chips in the side bar; each opens a menu of what carries it.
  grove_search/: Search in every tree of the grove, in the side bar.
  outline/: The side bar below the trees: the outline of the open tree, and its bookmarks.
"""
