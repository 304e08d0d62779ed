"""Motion in the graph: the camera, and cards that move."""
