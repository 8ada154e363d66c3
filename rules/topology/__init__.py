"""Rules about GPUs, nodes, NVLink domains and the way of the KV cache."""
