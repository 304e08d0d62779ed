"""The graph: one canvas on which a loom tree is read, walked and branched."""
