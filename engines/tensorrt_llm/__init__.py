"""TensorRT-LLM behind `python3 -m dynamo.trtllm`.

`engine` is what the rest of the project sees. `options` holds what may be set, `blocks` its nested parts,
`command` what a worker gets of them, `kv_profiles` what each KV transport asks of it, `refusals` what does
not fit; `keys`, `kernels` and `runtime_defects` are facts of the engine.
"""
