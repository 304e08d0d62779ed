"""Words of the inspector: reasons, outcomes, remedies, verdicts."""
