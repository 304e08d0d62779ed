"""Queries of an open grove: search, the steps of a tree, and what models used."""
