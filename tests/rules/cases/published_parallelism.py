"""GPUs and parallelism of the published recipe's workers, in every place where they can be set."""

from tests.rules.case import Case, failed
from tests.rules.edits import add, engine_file
from tests.rules.judging import DECODE, GPUS
from tests.rules.published_findings import PUBLISHED
from tests.rules.serving_edits import GRAPH, command, main_container

_FILE = "decode.yaml"
_SILENT = engine_file(_FILE, "tensor_parallel_size", remove=True)
_FLAGS = "--disaggregation-mode decode"
_DECODE_GPUS = failed(GPUS, DECODE)

CASES = (
    Case(
        GPUS,
        "pipeline parallelism multiplies",
        PUBLISHED,
        (engine_file(_FILE, "pipeline_parallel_size", 2),),
        _DECODE_GPUS,
        ("uses 8", "pipeline parallelism 2"),
    ),
    Case(
        GPUS,
        "attention data parallelism and expert parallelism add no GPU",
        PUBLISHED,
        (
            engine_file("prefill.yaml", "enable_attention_dp", True),
            engine_file(_FILE, "enable_attention_dp", True),
            engine_file(_FILE, "moe_expert_parallel_size", 4),
        ),
    ),
    Case(
        GPUS,
        "the file overrides the flag",
        PUBLISHED,
        (command(DECODE, _FLAGS, f"{_FLAGS} --tensor-parallel-size 8"),),
    ),
    Case(
        GPUS,
        "the engine's own variable acts where the file is silent",
        PUBLISHED,
        (
            _SILENT,
            add(
                GRAPH,
                main_container(DECODE, "env"),
                {"name": "DYN_TRTLLM_TENSOR_PARALLEL_SIZE", "value": "2"},
            ),
        ),
        _DECODE_GPUS,
        ("tensor parallelism 2 (DYN_TRTLLM_TENSOR_PARALLEL_SIZE)",),
    ),
    Case(
        GPUS,
        "the JSON override wins over the file",
        PUBLISHED,
        (command(DECODE, _FLAGS, f"{_FLAGS} --override-engine-args '{{\"tensor_parallel_size\": 8}}'"),),
        _DECODE_GPUS,
        ("tensor parallelism 8 (--override-engine-args)",),
    ),
)
