"""Keys: environment, keychain, and a file of their owner's."""
