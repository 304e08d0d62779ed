"""Record of the request behind every answer, sending it again, and comparing it with a request of today."""
