"""Spelling in what is written: a wavy line, and a menu with what could be meant."""
