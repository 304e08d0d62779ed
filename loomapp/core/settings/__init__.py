"""The user's settings: their values, the kinds of values, and the registry that describes each.

Contents:
  registry: The registry of settings: each with its place in the file, its kind and check, and its words for
      people.
  values: The values of the user's settings, one frozen value with the program's own as defaults.
"""
