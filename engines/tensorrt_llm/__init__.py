"""TensorRT-LLM behind `python3 -m dynamo.trtllm`.

`engine` is what the rest of the project sees, and what does not fit. `options` holds what may be set;
`keys` and `kernels` are facts of the engine.
"""
