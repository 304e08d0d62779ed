"""The context that would be sent, as rows and as JSON."""
