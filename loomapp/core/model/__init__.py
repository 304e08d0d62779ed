"""The model: nodes, edges and trees, content, agents, changes, and their hashes."""
