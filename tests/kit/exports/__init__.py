"""Files of other programs for tests, in the structure of real ones and with words of our own."""
