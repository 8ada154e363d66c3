"""Settings that are well-formed and cannot work together, and the text that a person reads."""

import pytest

from recipes.load import recipe_names
from tests.stacks.changed_settings import GONE, changed, pools, said
from tests.support.dev_settings import dev_settings

CASES: list[tuple[str, str, object, str]] = [
    (
        "an unknown platform version",
        "platform.version",
        "1.3.0",
        "Pulumi.dev.yaml: platform.version = '1.3.0'\n"
        "  not a platform release that this project was written for\n"
        '  allowed: "1.2.1", "1.4.2"\n'
        '  try: "1.4.2"',
    ),
    (
        "an unknown recipe",
        "serving.recipe",
        "gpt-oss-120b/trtlm-disagg",
        "Pulumi.dev.yaml: serving.recipe = 'gpt-oss-120b/trtlm-disagg'\n"
        "  no recipe has this name\n"
        f"  allowed: {', '.join(recipe_names())}\n"
        "  try: gpt-oss-120b/trtllm-disagg",
    ),
    (
        "a recipe without its model",
        "serving.recipe",
        "trtllm-agg",
        "Pulumi.dev.yaml: serving.recipe = 'trtllm-agg'\n"
        "  no recipe has this name\n"
        f"  allowed: {', '.join(recipe_names())}\n"
        "  try: gpt-oss-120b/trtllm-agg or gpt-oss-20b/trtllm-agg",
    ),
    (
        "an unknown instance type",
        "nodePools[0].instanceType",
        "p6-b20.48xlarge",
        "Pulumi.dev.yaml: nodePools[0].instanceType = 'p6-b20.48xlarge'\n"
        "  not an instance type whose GPUs are known here\n"
        "  allowed: p6-b200.48xlarge, p6-b300.48xlarge, p6e-gb200.36xlarge, p5en.48xlarge, p5e.48xlarge, "
        "p5.48xlarge, p5.4xlarge\n"
        "  try: p6-b200.48xlarge",
    ),
    (
        "an unknown pool",
        "serving.pool",
        "b20",
        "Pulumi.dev.yaml: serving.pool = 'b20'\n"
        "  no node pool has this name\n"
        "  allowed: b200, gb200\n"
        "  try: b200",
    ),
    (
        "both ways to name pools",
        "serving.pools",
        {"prefill": "b200", "decode": "b200"},
        "Pulumi.dev.yaml: serving.pool = 'b200'\n"
        "  name one pool for all workers with `pool`, or one for each role with `pools`; not both\n"
        "  allowed: b200, gb200",
    ),
    (
        "more workers than the pool holds",
        "serving.replicas",
        {"decode": 3},
        "Pulumi.dev.yaml: serving.replicas = 'prefill: 1, decode: 3'\n"
        "  pool b200 (1 x p6-b200.48xlarge, 8 GPUs) cannot hold 1 x TrtllmPrefillWorker (1 GPU each) and "
        "3 x TrtllmDecodeWorker (4 GPUs each): 13 GPUs in all, and no worker may span nodes\n"
        "  try: 2 nodes in pool b200, or fewer replicas",
    ),
    (
        "workers that an option made too large",
        "serving.overrides",
        {"decode": {"tensor_parallel_size": 8}},
        "Pulumi.dev.yaml: serving.replicas = 'prefill: 1, decode: 1'\n"
        "  pool b200 (1 x p6-b200.48xlarge, 8 GPUs) cannot hold 1 x TrtllmPrefillWorker (1 GPU each) and "
        "1 x TrtllmDecodeWorker (8 GPUs each): 9 GPUs in all, and no worker may span nodes\n"
        "  try: 2 nodes in pool b200, or fewer replicas",
    ),
    (
        "a cache that is too small",
        "modelCache.size",
        "20Gi",
        "Pulumi.dev.yaml: modelCache.size = '20Gi'\n"
        "  openai/gpt-oss-120b takes 65.2 GB, which needs 67Gi with room for the download\n"
        "  allowed: 67Gi or more\n"
        "  try: 67Gi",
    ),
    (
        "a transport that nobody typed",
        "serving.kvTransport",
        GONE,
        "Pulumi.dev.yaml: serving.kvTransport\n"
        "  not typed, and no way between these nodes is documented to work with tensorrt-llm in runtime "
        "1.2.1: a person has to type one and accept what is known of it\n"
        "  allowed: one of\n"
        "    efa, unproven: nobody has published TensorRT-LLM serving over EFA: the one proof is a handshake "
        "between two p5 nodes with a custom image, and NVIDIA's documents disagree on libfabric or UCX; at "
        "most 166 prompts a second over 400 Gbit/s of EFA of one GPU\n"
        "    tcp, unproven: it works and is slow: NVIDIA's guide gives about 98 s to the first token, 0.2 to "
        "0.5 s over RDMA; nobody publishes what TCP carries inside one machine, where it passes no network "
        "card; 3.3 to 9.9 prompts a second at the 1 to 3 GB/s that NVIDIA's EFA guide gives for TCP\n"
        "  try: kvTransport: tcp, if a slow first token is acceptable",
    ),
    (
        "one namespace for graph and platform",
        "serving.namespace",
        "dynamo-system",
        "Pulumi.dev.yaml: serving.namespace = 'dynamo-system'\n"
        "  the graph needs a namespace of its own, apart from the platform's",
    ),
]


@pytest.mark.parametrize(
    ("key", "value", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_mistake_is_named_with_what_may_stand_there_and_what_was_probably_meant(
    key: str, value: object, text: str
) -> None:
    assert said(changed(dev_settings(), {key: value})) == text


H200 = {"name": "h200", "instanceType": "p5en.48xlarge", "nodes": 1}


@pytest.mark.parametrize(
    ("change", "places"),
    [
        (
            {"nodePools[0].instanceType": "p5en.48xlarge"},
            [("pool = 'b200'", "TrtllmPrefillWorker"), ("pool = 'b200'", "TrtllmDecodeWorker")],
        ),
        (
            {"nodePools": [*dev_settings()["nodePools"], H200], **pools(prefill="b200", decode="h200")},
            [("pools.decode = 'h200'", "TrtllmDecodeWorker")],
        ),
    ],
)
def test_a_pool_of_the_wrong_gpus_is_refused_for_every_worker_by_the_setting_that_chose_it(
    change: dict[str, object], places: list[tuple[str, str]]
) -> None:
    assert said(changed(dev_settings(), change)) == "\n".join(
        f"Pulumi.dev.yaml: serving.{key}\n"
        f"  {worker} uses W4A8_MXFP4_MXFP8, which H200 (hopper) has no kernels for\n"
        "  allowed: a pool of Blackwell GPUs"
        for key, worker in places
    )
