"""One message of the dialogue: head, body, rows, editor."""
