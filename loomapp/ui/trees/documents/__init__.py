"""Documents of the open tree: their list in the side bar, and the page on which one is read and written.

Contents:
  document_list: The list of documents in the side bar: name, mark of who wrote last, and number of its
      versions.
  page: The page of a document in the graph's place: its text to read and write, and its versions.
"""
