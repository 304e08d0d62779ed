"""The page of an empty tree."""
