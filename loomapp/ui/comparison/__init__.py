"""The comparison of messages, side by side."""
