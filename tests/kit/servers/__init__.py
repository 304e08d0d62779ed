"""Servers on loopback: scripted answers of every protocol, and every fault."""
