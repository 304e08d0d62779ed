"""Protocols: each vendor's bodies, streams and errors, over one recorded wire."""
