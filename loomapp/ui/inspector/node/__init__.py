"""What is known of one node: facts, sources, provenance."""
