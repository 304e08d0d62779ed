"""The coming context: previewed, its tokens counted, tried otherwise, with what is attached to it.

Contents:
  pending_sources: Pending sources and attachments of the coming generation, of each tree, until it is asked
      for.
  preview: The preview of the coming context: assembled again whenever the tree, the place or the composer
      changes.
  token_counter: Counter of the tokens of the coming context, by the tokenizer of the embedded engine while
      that runs.
  what_if: Variants of the coming context, side by side, assembled again whenever the context changes.
"""
