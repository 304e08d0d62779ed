"""Work beside the GUI thread, or in its idle turns.

Contents:
  background_work: Work that the GUI thread need not wait for: tasks on threads of their own, timers for its
      idle turns.
  garbage: Memory let go of while nobody wants anything of the window: garbage, and large trees in slices.
  subprocess_command: A command of Loomapp's own, done in a process beside the window: large files stop
      nothing there.
"""
