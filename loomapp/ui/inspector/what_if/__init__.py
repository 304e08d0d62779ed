"""Variants of the coming context, side by side: “What if…”."""
