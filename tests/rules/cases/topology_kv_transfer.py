"""Whether prefill and decode are set up to hand KV cache over, and by the same library."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, drop, engine_file, put
from tests.rules.kv_edits import BASE, BOTH, DECODE, DGD, GRAPH, PREFILL, connector, main

CONFIGURED = "cache-transceiver-configured"
AGREES = "kv-transfer-agrees"

TRTLLM_GRAPH = "gpt-oss-disagg"
TRTLLM_PREFILL, TRTLLM_DECODE = "TrtllmPrefillWorker", "TrtllmDecodeWorker"
_BACKEND = "cache_transceiver_config.backend"
_VLLM = "nvcr.io/nvidia/ai-dynamo/vllm-runtime"
_OLD_WORDS = (
    drop(DGD, main(PREFILL, "args[3]")),
    put(DGD, main(PREFILL, "args[2]"), "--is-prefill-worker"),
)


def variable(worker: str, name: str, value: str) -> Edit:
    return put(DGD, f"spec.services.{worker}.envs", [{"name": name, "value": value}])


CASES = (
    Case(
        CONFIGURED,
        "no backend",
        "disagg-gb200",
        (engine_file("prefill.yaml", _BACKEND, remove=True),),
        failed(CONFIGURED, TRTLLM_PREFILL),
        ("is a prefill worker without cache_transceiver_config.backend, so its engine transfers no",),
    ),
    Case(
        CONFIGURED,
        "no transceiver at all",
        "disagg-gb200",
        (engine_file("decode.yaml", "cache_transceiver_config", remove=True),),
        failed(CONFIGURED, TRTLLM_DECODE),
        ("is a decode worker without cache_transceiver_config.backend",),
    ),
    Case(
        CONFIGURED,
        "a backend in lower case",
        "disagg-gb200",
        (engine_file("decode.yaml", _BACKEND, "ucx"),),
        failed(CONFIGURED, TRTLLM_DECODE),
        (
            "has cache_transceiver_config.backend 'ucx' (decode.yaml of ConfigMap",
            "not one of DEFAULT, UCX, NIXL, MOONCAKE, MPI, in upper case",
        ),
    ),
    Case(
        CONFIGURED,
        "vLLM's prefill without a connector",
        BASE,
        (drop(DGD, main(PREFILL, "args[3]")),),
        failed(CONFIGURED, "Prefill"),
        ("is a prefill worker without --kv-transfer-config, so it ends at start",),
    ),
    Case(
        CONFIGURED,
        "vLLM's prefill without a connector, in a release that takes NIXL by itself",
        BASE,
        (*_OLD_WORDS, put(DGD, main(PREFILL, "image"), f"{_VLLM}:0.9.1-efa")),
        frozenset(),
    ),
    Case(
        CONFIGURED,
        "vLLM's prefill without a connector, in a release that is not told",
        BASE,
        (*_OLD_WORDS, put(DGD, main(PREFILL, "image"), f"{_VLLM}:my-tag")),
        undecided(CONFIGURED, "Prefill"),
        ("vllm-runtime:my-tag does not say of which release it is",),
    ),
    Case(
        CONFIGURED,
        "vLLM's prefill without a connector, in words that only newer releases know",
        BASE,
        (drop(DGD, main(PREFILL, "args[3]")), put(DGD, main(PREFILL, "image"), f"{_VLLM}:my-tag")),
        failed(CONFIGURED, "Prefill"),
    ),
    Case(
        CONFIGURED,
        "a backend in lower case, in a release that is not told",
        "disagg-gb200",
        (
            engine_file("decode.yaml", _BACKEND, "default"),
            put(DGD, f"spec.services.{TRTLLM_DECODE}.extraPodSpec.mainContainer.image", "mine:my-tag"),
        ),
        undecided(CONFIGURED, TRTLLM_DECODE),
    ),
    Case(
        CONFIGURED,
        "a worker that aggregates needs none",
        "vllm-agg",
        (put(DGD, "spec.components[1].replicas", 4),),
        frozenset(),
    ),
    Case(
        AGREES,
        "a connector that holds the one of the other side",
        BASE,
        connector(
            PREFILL,
            config='{"kv_connector":"PdConnector","kv_role":"kv_both","kv_connector_extra_config":'
            '{"connectors":[{"kv_connector":"DynamoConnector"},{"kv_connector":"NixlConnector",'
            '"kv_connector_extra_config":{"backends":["LIBFABRIC"]}}]}}',
        ),
        frozenset(),
    ),
    Case(
        AGREES,
        "UCX there and NIXL here",
        "disagg-b200",
        (engine_file("decode.yaml", _BACKEND, "NIXL"),),
        failed(AGREES, TRTLLM_GRAPH),
        (
            "TrtllmPrefillWorker hands KV cache over by TensorRT-LLM's UCX, but TrtllmDecodeWorker takes it "
            "by TensorRT-LLM's NIXL",
        ),
    ),
    Case(
        AGREES,
        "a default that a variable changes on one side",
        "disagg-gb200",
        (variable(TRTLLM_PREFILL, "TRTLLM_USE_UCX_KVCACHE", "1"),),
        failed(AGREES, TRTLLM_GRAPH),
        ("KV cache over by TensorRT-LLM's UCX, but TrtllmDecodeWorker takes it by TensorRT-LLM's NIXL",),
    ),
    Case(
        AGREES,
        "the default beside what it means",
        "disagg-gb200",
        (engine_file("decode.yaml", _BACKEND, "NIXL"),),
        frozenset(),
    ),
    Case(
        AGREES,
        "another connector",
        BASE,
        connector(DECODE, config='{"kv_connector":"MooncakeConnector","kv_role":"kv_consumer"}'),
        failed(AGREES, GRAPH),
        ("Prefill hands KV cache over by NixlConnector, but Decode takes it by MooncakeConnector",),
    ),
    Case(
        AGREES,
        "decode without a connector",
        BASE,
        (drop(DGD, main(DECODE, "args[3]")),),
        failed(AGREES, GRAPH),
        ("Prefill hands KV cache over by NixlConnector, but Decode takes it by no connector",),
    ),
    Case(
        AGREES,
        "roles the wrong way round",
        BASE,
        tuple(
            edit
            for component, role in zip(BOTH, ("kv_consumer", "kv_producer"), strict=True)
            for edit in connector(
                component,
                config=f'{{"kv_connector":"NixlConnector","kv_role":"{role}",'
                '"kv_connector_extra_config":{"backends":["LIBFABRIC"]}}',
            )
        ),
        failed(AGREES, "Prefill", "Decode"),
        (
            "is a prefill worker with kv_role kv_consumer in --kv-transfer-config; of use are kv_both and "
            "kv_producer",
            "is a decode worker with kv_role kv_producer",
        ),
    ),
    Case(
        AGREES,
        "a configuration that is no JSON",
        BASE,
        connector(PREFILL, config="nixl"),
        undecided(AGREES, GRAPH),
        ("--kv-transfer-config is no JSON",),
    ),
)
