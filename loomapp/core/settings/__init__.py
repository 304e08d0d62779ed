"""The user's settings: their values, the kinds of values, and the registry that describes each.

Contents:
  registry: The registry of settings: each with its place in the file, its kind and check, and its words for
      people.
  setting: Settings: their values, one frozen value with defaults; and each as a row, with place, words and
      kind.
"""
