"""Command lines and start scripts, read without a shell."""
