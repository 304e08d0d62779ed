"""Actions: what can be done, each a row; their keys, and when they are enabled."""
