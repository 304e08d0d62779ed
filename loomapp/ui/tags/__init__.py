"""The tags of the open tree in the side bar."""
