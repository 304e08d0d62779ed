"""The user's settings: their values, the kinds of values, and the registry that describes each."""
