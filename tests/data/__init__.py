"""Files that tests read."""
