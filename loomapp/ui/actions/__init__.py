"""Actions a person can choose, one table a menu: their names, commands, keys and when they are enabled."""
