"""Whether the ranks of one worker may open each other's memory."""

from tests.rules.case import Case, failed
from tests.rules.edits import engine_file
from tests.rules.serving_edits import DECODE, main, variable

SHARE = "ranks-can-share-memory"

_PROFILE = main(DECODE, "securityContext.seccompProfile", {"type": "RuntimeDefault"})
_DATA_PARALLEL = engine_file("decode.yaml", "enable_attention_dp", value=True)

CASES = (
    Case(
        SHARE,
        "the runtime's profile on ranks of attention data parallelism",
        "disagg-b200",
        (_DATA_PARALLEL, _PROFILE),
        failed(SHARE, DECODE),
        ("its 4 ranks (decode.yaml", "forbids without the capability SYS_PTRACE: DeepEP is taken"),
    ),
    Case(
        SHARE,
        "the same without DeepEP",
        "disagg-b200",
        (_DATA_PARALLEL, _PROFILE, variable(DECODE, "TRTLLM_CAN_USE_DEEP_EP", "0")),
        failed(SHARE, DECODE),
        ("without the capability SYS_PTRACE: all-gather, a slower way, is taken",),
    ),
    Case(
        SHARE,
        "the same with the capability that opens it",
        "disagg-b200",
        (_DATA_PARALLEL, _PROFILE, main(DECODE, "securityContext.capabilities.add", ["SYS_PTRACE"])),
        frozenset(),
    ),
    Case(SHARE, "ranks without a profile", "disagg-b200", (_DATA_PARALLEL,), frozenset()),
    Case(
        SHARE,
        "a profile on arm64, where handles take its place",
        "agg-gb200",
        (main("TrtllmWorker", "securityContext.seccompProfile", {"type": "RuntimeDefault"}),),
        frozenset(),
    ),
)
