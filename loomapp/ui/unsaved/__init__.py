"""Words that are in no node yet: begun edits and notes, what the file did not take, what was left over."""
