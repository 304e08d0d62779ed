"""What is written comes into the file, or is kept until it does; and leaving with nothing lost."""
