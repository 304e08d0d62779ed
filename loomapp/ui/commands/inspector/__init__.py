"""Commands of the inspector: context, sources, remedies, what-if."""
