"""Tags and labels: giving them, taking them, and the list of tags in the side bar."""
