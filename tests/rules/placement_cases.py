"""Mutations of where a worker runs, and of formats and kernels that need a certain GPU."""

from tests.rules.judging import DECODE, FITS, GPUS, OF_A_WORKER, PREFILL, QUANTIZATION, both
from tests.rules.mutation import Mutation

_EIGHT_GPUS = ('gpu: "4"', 'gpu: "8"')
_DECODE_GPUS = frozenset({(GPUS, "failed", DECODE)})
_GB200 = ("p6e-gb200.36xlarge", "p6e-gb200.36xlarge")
_H200 = ("p5en.48xlarge", "p5en.48xlarge")
_NO_TRTLLM = ("backend: TRTLLM", "backend: CUTLASS")
_MXFP8 = "value: W4A8_MXFP4_MXFP8"

MUTATIONS = (
    Mutation("published on GB200", (), frozenset(), instance_types=_GB200),
    Mutation(
        "a worker that spans two nodes",
        (
            (
                'resources:\n        limits:\n          gpu: "4"',
                'multinode: {nodeCount: 2}\n      resources:\n        limits:\n          gpu: "4"',
            ),
        ),
        _DECODE_GPUS,
        ("asks for 8 GPUs (2 pods of 4)",),
    ),
    Mutation(
        "an amount that is no number",
        (('gpu: "4"', 'gpu: "four"'),),
        frozenset({(rule, "undecided", DECODE) for rule in OF_A_WORKER}),
        ("resources.limits.gpu is 'four', not a whole number",),
    ),
    Mutation(
        "a worker larger than a GB200 tray",
        (_EIGHT_GPUS, ("tensor_parallel_size: 4", "tensor_parallel_size: 8")),
        frozenset({(FITS, "failed", DECODE)}),
        ("asks for 8 GPUs in one pod", "p6e-gb200.36xlarge) has 4"),
        instance_types=_GB200,
    ),
    Mutation(
        "GPUs under their resource's own name",
        (('          gpu: "4"', '          custom: {nvidia.com/gpu: "8"}'),),
        _DECODE_GPUS,
        ("asks for 8 GPUs",),
    ),
    Mutation(
        "GPUs among the requests alone",
        (
            (
                '        limits:\n          gpu: "4"\n        requests:\n          gpu: "4"',
                '        requests:\n          custom: {nvidia.com/gpu: "8"}',
            ),
        ),
        _DECODE_GPUS,
        ("asks for 8 GPUs",),
    ),
    Mutation(
        "the same worker on a B200 node",
        (_EIGHT_GPUS, ("tensor_parallel_size: 4", "tensor_parallel_size: 8")),
        frozenset(),
    ),
    Mutation(
        "a pool of an unknown instance type",
        (),
        both(FITS, "undecided") | both(QUANTIZATION, "undecided"),
        ("instance type p4d.24xlarge is not one of",),
        instance_types=("p4d.24xlarge", "p4d.24xlarge"),
    ),
    Mutation(
        "Blackwell formats and kernels on Hopper",
        (),
        both(QUANTIZATION, "failed"),
        (
            "moe_config.backend TRTLLM (prefill.yaml of ConfigMap llm-config) with W4A8_MXFP4_MXFP8 "
            "(OVERRIDE_QUANT_ALGO) stops with an error while it loads or warms up on H200 (hopper",
        ),
        instance_types=_H200,
    ),
    Mutation(
        "TRTLLM kernels alone on Hopper",
        (("OVERRIDE_QUANT_ALGO", "OTHER_VARIABLE"),),
        both(QUANTIZATION, "failed"),
        ("with W4A16_MXFP4 (the default on H200) stops", "IndexError"),
        instance_types=_H200,
    ),
    Mutation(
        "8-bit activations alone on Hopper, in small letters",
        (_NO_TRTLLM, (_MXFP8, "value: w4a8_mxfp4_mxfp8")),
        both(QUANTIZATION, "failed"),
        ("CUTLASS has W4A8_MXFP4_MXFP8 for Blackwell only",),
        instance_types=_H200,
    ),
    Mutation(
        "8-bit activations per tensor with CUTLASS on Hopper, which is not known to stop the worker",
        (_NO_TRTLLM, (_MXFP8, "value: W4A8_MXFP4_FP8")),
        frozenset(),
        instance_types=_H200,
    ),
    Mutation(
        "8-bit activations per tensor with TRITON on Hopper",
        (("backend: TRTLLM", "backend: TRITON"), (_MXFP8, "value: W4A8_MXFP4_FP8")),
        frozenset(),
        instance_types=_H200,
    ),
    Mutation(
        "16-bit activations with CUTLASS on Hopper",
        (_NO_TRTLLM, (_MXFP8, "value: W4A16_MXFP4")),
        frozenset(),
        instance_types=_H200,
    ),
    Mutation(
        "only prefill on Hopper",
        (),
        frozenset({(QUANTIZATION, "failed", PREFILL)}),
        instance_types=("p5en.48xlarge", "p6-b200.48xlarge"),
    ),
)
