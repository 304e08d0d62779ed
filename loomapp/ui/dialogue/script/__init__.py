"""The script of the dialogue: entries, heights and cut marks of a path."""
