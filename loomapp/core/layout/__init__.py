"""Layout: where the cards of a tree stand."""
