"""The ChatGPT data export."""
