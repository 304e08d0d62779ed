"""The coming context: previewed, tried otherwise, with what is attached to it."""
