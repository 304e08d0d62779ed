"""Commands about trees: opened, imported, exported."""
