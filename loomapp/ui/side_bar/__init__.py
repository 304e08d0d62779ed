"""The side bar: its sections, the outline of the open tree, bookmarks, tags, search in the whole grove.

Contents:
  grove_search: Search in the grove, in the side bar: a field, and the texts that were found with their
      words marked.
  side_bar: Side bar: trees, outline with its tools, documents, bookmarks, tags, search, each under a head.
  outline/: The side bar below the trees: the outline of the open tree, its bookmarks and tags.
"""
