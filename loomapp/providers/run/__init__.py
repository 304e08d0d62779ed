"""Runs: a request on a worker thread, several at once, with a watchdog.

Contents:
  fan_out: Several answers: one run where the model writes them itself, else a run for each, told as one.
  run: A run: one request, answered on a worker thread, retried after faults that pass, watched for silence.
  summary: A summary on its way: its portions asked for one after the other, each with the summary of those
      before.
"""
