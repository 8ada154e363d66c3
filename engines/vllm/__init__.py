"""vLLM behind `python3 -m dynamo.vllm`.

`engine` is what the rest of the project sees, and what does not fit. `options` holds what may be set.
"""
