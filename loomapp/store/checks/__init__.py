"""Checks: hashes, responses, the chain of the log, and the soundness of a file."""
