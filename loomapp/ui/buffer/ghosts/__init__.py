"""Ghosts: answers on offer after the end of the text."""
