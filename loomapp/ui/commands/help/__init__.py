"""Help: the page of keys, of ways to use the program, of signs, and of where the data is.

Contents:
  data_places: Places of the user's data, as the help page tells them: the real paths of the open grove.
  help_list: List of words under headings, each with a sign before it: searched, walked by keys, and copied
      from.
  keys_page: The help page: every action with the keys that it has now, uses, signs, places of data, and a
      search.
  signs: Signs of the window and their meanings, as the help page tells them, in the words of their tips.
  uses: Three uses of the program, as the help page tells them.
"""
