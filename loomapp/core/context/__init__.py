"""Context assembly: what a model is sent for a node, exactly, and a report of why."""
