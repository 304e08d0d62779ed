"""Writing in a buffer: from keystrokes to passages, undone step by step."""
