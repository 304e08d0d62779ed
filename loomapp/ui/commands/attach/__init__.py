"""Commands that attach nodes, files and images to the coming generation."""
