"""The grove file and everything else on disk; the only place with SQL."""
