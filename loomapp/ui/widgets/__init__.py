"""Small shared widgets: marks, chips, pagers, strips and bars."""
