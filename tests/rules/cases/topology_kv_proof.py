"""How far the KV cache's transport is proven on its nodes, and where it cannot work."""

from typing import Any

from tests.rules.case import TWO_B200, TWO_GB200, On, SettingsCase, failed
from tests.rules.edits import put
from tests.rules.exports import resource
from tests.rules.kv_edits import BASE, BOTH, COST, DGD, GRAPH, ON_GB200, PROVEN, image, variable, without_efa
from tests.support.dev_settings import disagg_b200_settings, disagg_gb200_settings


def _stack(settings: dict[str, Any], transport: str | None, **pool: Any) -> dict[str, Any]:
    settings["nodePools"][0] |= pool
    settings["serving"].pop("kvTransport", None)
    if transport is not None:
        settings["serving"]["kvTransport"] = transport
    return settings


CASES = (
    On(PROVEN, BASE, GRAPH).advises(
        "TCP typed as UCX's list",
        ("moves its KV cache by tcp, as typed (UCX_TLS=tcp,cuda_copy)", COST),
        without_efa(*BOTH),
        variable("UCX_TLS", "tcp,cuda_copy"),
    ),
    On(PROVEN, BASE, GRAPH).is_undecided(
        "nobody knows the nodes", "nothing says which pool it runs in", pools=()
    ),
    On(PROVEN, "disagg-b200-state").passes(
        "a stack says how far its transport is proven",
        resource("components:DynamoGraph/gpt-oss-disagg", "inputs.kvTransport.standing", "documented"),
    ),
    On(PROVEN, BASE, GRAPH).fails(
        "EFA on GB200 before 1.3.1",
        "which cannot work: disaggregated serving over EFA fails on GB200 with every backend before",
        ON_GB200,
        image("1.2.1-efa-amd64"),
        pools=TWO_GB200,
    ),
    On(PROVEN, BASE, GRAPH).is_undecided(
        "EFA on GB200 with an image of no release",
        "the image of Prefill names no release, on which EFA depends on such nodes",
        ON_GB200,
        image("nightly"),
        pools=TWO_GB200,
    ),
    On(PROVEN, "disagg-gb200", "gpt-oss-disagg").fails(
        "NVLink between nodes that have none",
        "the NVLink of p6-b200.48xlarge ends at the node",
        *(
            put(DGD, f"spec.services.{name}.extraPodSpec.nodeSelector[{key}]", value)
            for name in ("TrtllmPrefillWorker", "TrtllmDecodeWorker")
            for key, value in (("kubernetes.io/arch", "amd64"), ("nvidia.com/gpu.product", "NVIDIA-B200"))
        ),
        pools=TWO_B200,
    ),
    SettingsCase(
        PROVEN,
        "TensorRT-LLM over TCP",
        disagg_b200_settings(),
        failed(PROVEN, "gpt-oss-disagg"),
        ("by tcp (serving.kvTransport), which is unproven: ", "; ceiling: "),
    ),
    SettingsCase(
        PROVEN,
        "TensorRT-LLM over EFA",
        _stack(disagg_b200_settings(), "efa", nodes=2),
        failed(PROVEN, "gpt-oss-disagg"),
        ("which is unproven: nobody has published TensorRT-LLM serving over EFA",),
    ),
    SettingsCase(
        PROVEN,
        "a compute domain on AWS",
        disagg_gb200_settings(),
        failed(PROVEN, "gpt-oss-disagg"),
        ("reported failing on AWS GB200",),
    ),
)
