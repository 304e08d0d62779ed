"""The field of the buffer: an exact text, laid out and typed in."""
