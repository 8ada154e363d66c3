"""Mutations of a worker's GPUs and parallelism, in every place where they can be set."""

from tests.rules.judging import DECODE, GPUS
from tests.rules.mutation import Mutation

_DECODE_FLAGS = "--disaggregation-mode decode"
_DECODE_FILE_VARIABLE = "value: /opt/dynamo/configs/decode.yaml"
_EIGHT_GPUS = ('gpu: "4"', 'gpu: "8"')
_DECODE_GPUS = frozenset({(GPUS, "failed", DECODE)})

MUTATIONS = (
    Mutation("published", (), frozenset()),
    Mutation("more GPUs than the engine uses", (_EIGHT_GPUS,), _DECODE_GPUS, ("asks for 8 GPUs", "uses 4")),
    Mutation(
        "fewer GPUs than the engine uses",
        (('gpu: "4"', 'gpu: "2"'),),
        _DECODE_GPUS,
        ("asks for 2 GPUs", "uses 4"),
    ),
    Mutation(
        "parallelism in the engine file",
        (("tensor_parallel_size: 4", "tensor_parallel_size: 2"),),
        _DECODE_GPUS,
        ("asks for 4 GPUs", "tensor parallelism 2 (decode.yaml of ConfigMap llm-config)"),
    ),
    Mutation(
        "pipeline parallelism multiplies",
        (
            (
                "pipeline_parallel_size: 1\n    tensor_parallel_size: 4",
                "pipeline_parallel_size: 2\n    tensor_parallel_size: 4",
            ),
        ),
        _DECODE_GPUS,
        ("uses 8", "pipeline parallelism 2"),
    ),
    Mutation(
        "context parallelism multiplies",
        (("tensor_parallel_size: 4", "tensor_parallel_size: 4\n    context_parallel_size: 2"),),
        _DECODE_GPUS,
        ("uses 8", "context parallelism 2"),
    ),
    Mutation(
        "attention data parallelism and expert parallelism add no GPU",
        (
            ("enable_attention_dp: false", "enable_attention_dp: true"),
            (
                "moe_expert_parallel_size: 1\n    pipeline_parallel_size: 1\n    tensor_parallel_size: 4",
                "moe_expert_parallel_size: 4\n    pipeline_parallel_size: 1\n    tensor_parallel_size: 4",
            ),
        ),
        frozenset(),
    ),
    Mutation(
        "the file overrides the flag",
        ((_DECODE_FLAGS, f"{_DECODE_FLAGS} --tensor-parallel-size 8"),),
        frozenset(),
    ),
    Mutation(
        "the flag acts where the file is silent",
        ((_DECODE_FLAGS, f"{_DECODE_FLAGS} --tensor-parallel-size=8"), ("    tensor_parallel_size: 4\n", "")),
        _DECODE_GPUS,
        ("tensor parallelism 8 (--tensor-parallel-size)",),
    ),
    Mutation(
        "without flag and file the default is one",
        (("    tensor_parallel_size: 4\n", ""),),
        _DECODE_GPUS,
        ("tensor parallelism 1 (the default of --tensor-parallel-size)",),
    ),
    Mutation(
        "the engine's own variable acts where the file is silent",
        (
            ("    tensor_parallel_size: 4\n", ""),
            (
                _DECODE_FILE_VARIABLE,
                f"{_DECODE_FILE_VARIABLE}}}\n            - {{name: DYN_TRTLLM_TENSOR_PARALLEL_SIZE, "
                'value: "2"',
            ),
        ),
        _DECODE_GPUS,
        ("tensor parallelism 2 (DYN_TRTLLM_TENSOR_PARALLEL_SIZE)",),
    ),
    Mutation(
        "the JSON override wins over the file",
        ((_DECODE_FLAGS, f"{_DECODE_FLAGS} --override-engine-args '{{\"tensor_parallel_size\": 8}}'"),),
        _DECODE_GPUS,
        ("tensor parallelism 8 (--override-engine-args)",),
    ),
    Mutation(
        "the dotted override wins over the file",
        ((_DECODE_FLAGS, f"{_DECODE_FLAGS} --trtllm.tensor_parallel_size 8"),),
        _DECODE_GPUS,
        ("tensor parallelism 8 (--trtllm.*)",),
    ),
)
