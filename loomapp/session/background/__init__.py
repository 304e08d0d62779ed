"""Work beside the GUI thread, or in its idle turns.

Contents:
  background_work: Work that the GUI thread need not wait for: tasks on threads, idle timers, a head start,
      garbage.
  subprocess_command: A command of Loomapp's own, done in a process beside the window: large files stop
      nothing there.
"""
