"""What a benchmark sends, and to whom."""
