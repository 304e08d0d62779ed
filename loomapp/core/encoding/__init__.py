"""Trees and agents as JSON values, and back."""
