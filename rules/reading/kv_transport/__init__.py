"""Who hands KV cache to whom, and by which way."""
