"""Whether prefill and decode are set up to hand KV cache over, and by the same library."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import add, drop, engine_file, put
from tests.rules.kv_edits import BASE, BOTH, DECODE, DGD, PREFILL, connector, main

CONFIGURED = "cache-transceiver-configured"
AGREES = "prefill-and-decode-agree"

TRTLLM_PREFILL, TRTLLM_DECODE = "TrtllmPrefillWorker", "TrtllmDecodeWorker"
_BACKEND = "cache_transceiver_config.backend"
_VLLM = "nvcr.io/nvidia/ai-dynamo/vllm-runtime"
_OLD_WORDS = (
    drop(DGD, main(PREFILL, "args[3]")),
    put(DGD, main(PREFILL, "args[2]"), "--is-prefill-worker"),
)


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
        AGREES,
        "a connector that holds the one of the other side",
        BASE,
        connector(
            PREFILL,
            config='{"kv_connector":"PdConnector","kv_role":"kv_both","kv_connector_extra_config":'
            '{"connectors":[{"kv_connector":"DynamoConnector"},{"kv_connector":"NixlConnector",'
            '"kv_connector_extra_config":{"backends":["LIBFABRIC"]}}]}}',
        ),
    ),
    Case(
        AGREES,
        "UCX there and NIXL here",
        "disagg-b200",
        (engine_file("decode.yaml", _BACKEND, "NIXL"),),
        failed(AGREES, f"{TRTLLM_PREFILL}, {TRTLLM_DECODE}"),
        (
            "TrtllmPrefillWorker hands KV cache over by TensorRT-LLM's UCX, but TrtllmDecodeWorker takes it "
            "by TensorRT-LLM's NIXL",
        ),
    ),
    Case(
        AGREES,
        "another connector",
        BASE,
        connector(DECODE, config='{"kv_connector":"MooncakeConnector","kv_role":"kv_consumer"}'),
        failed(AGREES, "Prefill, Decode"),
        ("KV cache over by NixlConnector (LIBFABRIC), but Decode takes it by MooncakeConnector",),
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
        "a draft model on one side",
        BASE,
        (add(DGD, main(PREFILL, "args"), '--speculative-config={"method":"eagle3","model":"nvidia/draft"}'),),
        failed(AGREES, "Prefill, Decode"),
        ("a draft model (--speculative-config) is given to Prefill and not to Decode",),
    ),
)
