"""The inspector: what would be sent, and what is known of a node."""
