"""The journal: words that are not committed yet, kept against a crash."""
