"""The buffer editor: the active path as one continuous text that a person and models write together."""
