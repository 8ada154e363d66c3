"""What is known of engines and models: options, keys, kernels, formats, memory; each with its source."""
