"""Files beside the grove: drafts, media, settings, prices.

Contents:
  displaced_groves: Displaced groves: open ones whose file was moved, replaced or written over, noted for
      the next start.
  draft_claims: Claims on drafts: a process that still writes one holds it, so that nobody takes it for left
      behind.
  draft_folders: Draft folders that hold something: noted in the user's state folder, to be found after a
      grove was moved.
  draft_writer: The draft writer: a thread that keeps the newest of each draft on disk, so that nobody waits
      for a sync.
  drafts: Drafts on disk: what was typed or streamed and is no node yet, a small file each beside the grove.
  media: Images and other attachments beside a grove, each in a file named by the SHA-256 of its bytes.
  prices: Prices in the settings file: a table for each model, `[prices."openai:gpt-x"]`, for a million
      tokens.
  settings_file: The settings file: TOML that people edit too. Comments and unknown keys stay; faults are
      named by line.
"""
