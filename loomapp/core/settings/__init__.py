"""The user's settings: their values, the kinds of values, and the registry that describes each.

Contents:
  economy: Settings of context economy that every tree inherits, in the words of a tree's own settings.
  registry: The registry of settings: each with its place in the file, its kind and check, and its words for
      people.
  setting: One setting as a row, its place, words and effect, and the kinds of values that it can have.
  values: The values of the user's settings, one frozen value with the program's own as defaults.
"""
