"""Commands: what actions do, and the controllers that join views to the session."""
