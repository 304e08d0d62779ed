"""What was sent: the record kept with every answer, sending it again, and what would be sent instead."""
