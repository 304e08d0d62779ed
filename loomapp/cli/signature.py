"""The name that the change log gives to whoever changes a tree by the command line."""

BY = "command line"
