"""The side bar: its sections, the outline of the open tree, bookmarks, tags, search in the whole grove."""
