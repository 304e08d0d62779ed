"""Work beside the GUI thread, or in its idle turns."""
