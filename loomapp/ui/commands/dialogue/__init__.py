"""Commands of the dialogue."""
