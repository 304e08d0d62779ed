"""The margin beside the text: authorship, versions, pagers."""
