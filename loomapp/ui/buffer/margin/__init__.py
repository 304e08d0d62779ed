"""The margin beside the text: authorship, versions, pagers.

Contents:
  margins: Margins beside the text: bars of its authors, pagers of siblings, chips of versions, marks of
      cuts.
  marks: Marks beside the text, of passages, cuts of the context and versions; and authorship as colour.
  version_list: The list of a passage's versions: each with what is different in it; a press puts it into
      the text.
"""
