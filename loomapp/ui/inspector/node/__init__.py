"""The panel of one node: facts, sources, provenance."""
