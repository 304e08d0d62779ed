"""The margin beside the text: authorship, versions, pagers.

Contents:
  authorship_colours: Authorship as colour: a writer is ink, a model its tint, what was changed in it has a
      dotted line.
  margins: Margins beside the text: bars of its authors, pagers of siblings, chips of versions, marks of
      cuts.
  marks: Marks beside the text: those of a passage, lines where the context begins or ends, chips of
      versions.
  version_list: The list of a passage's versions: each with what is different in it; a press puts it into
      the text.
"""
