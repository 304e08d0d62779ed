"""Language models behind one protocol; the only place with vendor SDKs."""
