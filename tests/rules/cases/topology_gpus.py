"""GPUs that a worker asks for, and those that its engine uses."""

from tests.rules.case import Case, failed
from tests.rules.edits import engine_file, put

GPUS = "gpus-match-parallelism"
DECODE = "TrtllmDecodeWorker"
_GPUS_OF_DECODE = f"spec.services.{DECODE}.resources.limits.gpu"

CASES = (
    Case(
        GPUS,
        "more GPUs than the engine uses",
        "disagg-b200",
        (put("DynamoGraphDeployment", _GPUS_OF_DECODE, "5"),),
        failed(GPUS, DECODE),
        ("asks for 5 GPUs", "uses 4"),
    ),
    Case(
        GPUS,
        "tensor parallelism in the engine file",
        "disagg-b200",
        (engine_file("decode.yaml", "tensor_parallel_size", 2),),
        failed(GPUS, DECODE),
        ("asks for 4 GPUs", "tensor parallelism 2 (decode.yaml of ConfigMap"),
    ),
)
