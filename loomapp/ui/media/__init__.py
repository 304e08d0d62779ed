"""Images and text files: read beside the window, kept by what they hold, shown small."""
