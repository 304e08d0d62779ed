"""Pure values and functions: trees, edits, context assembly, provenance. No Qt, SQL, SDK, clock or files."""
