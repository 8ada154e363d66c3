"""vLLM behind `python3 -m dynamo.vllm`.

`engine` is what the rest of the project sees. `options` holds what may be set, `blocks` the options that are
JSON objects, `command` what a worker gets of them, `kv_profiles` what each KV transport asks of it,
`refusals` what does not fit; `kernels` is facts of the engine.
"""
