"""The dialogue view: the active path as messages, or as one document."""
