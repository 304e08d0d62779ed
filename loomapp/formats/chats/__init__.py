"""Chats of other programs, each with all of its branches.

Contents:
  claude_ai: The Claude.ai data export, and single conversations as browsers save them.
  claude_code: Sessions of Claude Code, with the branches that going back left in the file.
  librechat: LibreChat's export of one conversation: nested, flat with parent ids, or one path alone.
  open_webui: Open WebUI's export of chats, each with all of its branches and the answers of several models.
  pi: Sessions of pi: a header, then entries with parent ids; in version 1 without any.
  session_lines: Sessions of coding agents as JSON Lines: entries by parent ids, read line by line.
  sillytavern/: Chats and character cards of SillyTavern.
"""
