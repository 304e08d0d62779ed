"""Files beside the grove: drafts, media, settings, prices."""
