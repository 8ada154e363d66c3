"""vLLM behind `python3 -m dynamo.vllm`.

`engine` is what the rest of the project sees. `options` holds what may be set, `refusals` what does not fit;
`kernels` is facts of the engine.
"""
