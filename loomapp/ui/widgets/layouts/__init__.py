"""Layouts of widgets: lines that flow, rows of a page, parts side by side, parts that scroll."""
