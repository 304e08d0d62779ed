"""How everything looks: themes, their colours by role, style sheet, icons."""
