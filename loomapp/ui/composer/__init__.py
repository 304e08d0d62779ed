"""Under the text: the composer, what would be sent in numbers, notes."""
