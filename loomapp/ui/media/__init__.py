"""Images and text files: read beside the window, kept by what they hold, shown small.

Contents:
  attachment_queue: Reading files that are attached, one batch after the other, beside the window.
  attachment_reader: Reading what is attached: an image or a text, from a file or the clipboard; for threads
      beside the window.
  by_name: Images that go only by name: what is said of them before anything is sent.
  offers: Attachments that a clipboard or a drag offers: files, else an image. Nothing is read or fetched
      yet.
  picture: A picture: an image of the grove made small, as a button that shows it large.
  thumbnails: Thumbnails: images of the grove made small on a thread beside the window, the ones seen last
      kept.
  viewer: An image shown large, in a window of its own; it is decoded beside the window, and goes with Esc.
"""
