"""Keys of actions, the buttons that say them, and the actions as parts of the window know them."""
