"""Keys: environment, keychain, and a file of their owner's.

Contents:
  kept_keys: Kept keys: what keychain and file have for a name, looked up once, and keeping or forgetting
      one.
  key_file: Keys in a file that only its owner can read: for computers without a keychain, with the owner's
      consent.
  keychain: The system's keychain, asked on a thread of its own: it may take long, ask the user, or not be
      there.
  keys: Keys: where they are found, in which order; they go nowhere but to their endpoint.
"""
