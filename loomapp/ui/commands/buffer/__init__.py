"""Commands and controllers of the buffer."""
