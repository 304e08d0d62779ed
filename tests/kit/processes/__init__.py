"""Other processes: warm children, the installed command, a sealed home, leaks."""
