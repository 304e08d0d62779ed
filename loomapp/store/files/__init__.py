"""Files beside the grove: drafts, media, settings.

Contents:
  draft_claims: Claims on drafts: a process that still writes one holds it, so that nobody takes it for left
      behind.
  draft_folders: Draft folders that hold something, and groves displaced while they were open: noted to be
      found again.
  drafts: Drafts on disk: what was typed or streamed and is no node yet, a small file each beside the grove.
  media: Images and other attachments beside a grove, each in a file named by the SHA-256 of its bytes.
  settings_file: The settings file: TOML that people edit too. Comments and unknown keys stay; faults are
      named by line.
"""
