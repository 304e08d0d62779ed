"""Commands around Generate: sending, retrying a failed draft, and the forecast of what would be sent."""
