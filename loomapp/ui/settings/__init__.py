"""The page of the settings, in the place of the graph: one row a setting, and the keys."""
