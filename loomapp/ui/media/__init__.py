"""Images and text files: read beside the window, kept by what they hold, shown small.

Contents:
  attachment_queue: Attachments: what a clipboard or a drag offers, read one batch after the other beside
      the window.
  attachment_reader: Reading what is attached: an image or a text, from a file or the clipboard; for threads
      beside the window.
  pictures: Pictures: images of the grove made small on a thread, shown as buttons, and large in a window.
"""
