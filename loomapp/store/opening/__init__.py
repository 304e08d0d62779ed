"""Opening a grove file: how it may be read, locked and trusted."""
