"""How an empty tree begins: its page, the model made ready, files dropped."""
