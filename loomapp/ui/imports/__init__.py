"""The import page: what is in a file, which trees of it come in, and what came of it."""
