"""Search in every tree of the grove, in the side bar."""
