"""Work beside the GUI thread, or in its idle turns.

Contents:
  background_task: A background task: long work done on a thread of its own, with progress and an end.
  disposal: Putting away: what a large tree takes up is let go of in slices, for which the window never
      waits.
  garbage: When the garbage collector looks for garbage: while nobody wants anything of the window.
  idle_timer: A timer for heavy work: it waits for a turn of the event loop in which nothing else took long.
  subprocess_command: A command of Loomapp's own, done in a process beside the window: large files stop
      nothing there.
  typing_steps: Steps of typing: which strokes are one step of undo, in every field alike.
"""
