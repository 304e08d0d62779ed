"""The command line: one module a group of commands; opens no window but through loomapp.app."""
