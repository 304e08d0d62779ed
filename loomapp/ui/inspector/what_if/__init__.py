"""What if: variants of the coming context, side by side."""
