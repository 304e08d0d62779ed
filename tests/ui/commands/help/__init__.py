"""Tests of loomapp.ui.commands.help."""
