"""Runs: a request on a worker thread, several at once, with a watchdog."""
