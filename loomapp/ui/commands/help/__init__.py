"""Help: the page of keys, of ways to use the program, of signs, and of where the data is.

Contents:
  help_lists: Lists of the help page: uses of the program, signs and their meanings, places of the user's
      data.
  keys_page: The help page: uses, every action with the keys that it has now, signs, places of data, and a
      search.
"""
