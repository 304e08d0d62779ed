"""Work beside the GUI thread, or in its idle turns.

Contents:
  background_task: A background task: long work done on a thread of its own, with progress and an end.
  garbage: Memory let go of while nobody wants anything of the window: garbage, and large trees in slices.
  idle_timer: A timer for heavy work: it waits for a turn of the event loop in which nothing else took long.
  subprocess_command: A command of Loomapp's own, done in a process beside the window: large files stop
      nothing there.
"""
