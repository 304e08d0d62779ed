"""Answers that stream to a command line: journalled, kept when it ends, found again after a kill."""
