"""TensorRT-LLM behind `python3 -m dynamo.trtllm`.

`engine` is what the rest of the project sees. `options` holds what may be set, `blocks` its nested parts,
`refusals` what does not fit; `flags`, `keys` and `kernels` are facts of the engine.
"""
