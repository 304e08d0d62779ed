"""The command palette: every action, and the trees, bookmarks and texts of the whole grove."""
