"""Whether any node has room for a Job."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import put
from tests.rules.exports import resource

FITS = "job-fits-a-node"

_REQUESTS = "spec.template.spec.containers[0].resources.requests"
_AGG, _DISAGG = "Job/gpt-oss-120b-bench", "Job/gpt-oss-120b-disagg-bench"

CASES = (
    Case(
        FITS,
        "more than a worker leaves of its tray",
        "agg-gb200",
        (put(_AGG, f"{_REQUESTS}.cpu", "16"),),
        undecided(FITS, "gpt-oss-120b-bench"),
        (
            "asks for 16 CPUs and 24 GiB, but a node of pool p6e-gb200.36xlarge (p6e-gb200.36xlarge) has 15 "
            "CPUs and 96 GiB beside its workers",
            "nothing says which other nodes there are",
        ),
    ),
    Case(
        FITS,
        "as much on a machine that is half empty",
        "disagg-b200",
        (put(_DISAGG, f"{_REQUESTS}.cpu", "64"),),
        frozenset(),
    ),
    Case(
        FITS,
        "more memory than the whole machine has",
        "disagg-b200",
        (put(_DISAGG, f"{_REQUESTS}.memory", "3Ti"),),
        undecided(FITS, "gpt-oss-120b-disagg-bench")
        | failed("requests-within-limits", "gpt-oss-120b-disagg-bench"),
        ("3072 GiB, but a node of pool p6-b200.48xlarge",),
    ),
    Case(
        FITS,
        "a download that asks for more than system nodes have",
        "disagg-gb200-on-eks",
        (resource("Job/*", "inputs.spec.template.spec.containers[0].resources.requests.cpu", "8"),),
        failed(FITS, "model-cache-download"),
        ("asks for 8 CPUs and 8 GiB, but a node of group", "(m7g.2xlarge) has 8 CPUs and 32 GiB"),
    ),
)
