"""Words about the context: outcomes, reasons, adjustments, remedies, verdicts, and icons beside them."""
