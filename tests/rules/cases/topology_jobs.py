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
            "asks for 16 CPUs and 24 GiB, but a node of pool p6e-gb200.36xlarge (p6e-gb200.36xlarge) has "
            "14.57 CPUs and 95.34 GiB beside its workers and what EKS reserves",
            "nothing says which other nodes there are",
        ),
    ),
    Case(
        FITS,
        "what the worker leaves of its tray, but EKS reserves a part of it",
        "agg-gb200",
        (put(_AGG, f"{_REQUESTS}.cpu", "14900m"),),
        undecided(FITS, "gpt-oss-120b-bench"),
        ("asks for 14.9 CPUs", "has 14.57 CPUs"),
    ),
    Case(
        FITS,
        "just less than the worker and EKS leave of a tray",
        "agg-gb200",
        (put(_AGG, f"{_REQUESTS}.cpu", "14500m"),),
        frozenset(),
    ),
    Case(
        FITS,
        "the memory that the worker leaves of its tray, but EKS reserves a part of it",
        "agg-gb200",
        (
            put(_AGG, f"{_REQUESTS}.memory", "97700Mi"),
            put(_AGG, "spec.template.spec.containers[0].resources.limits.memory", "97700Mi"),
        ),
        undecided(FITS, "gpt-oss-120b-bench"),
        ("95.4102 GiB, but", "95.34 GiB beside"),
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
        undecided(FITS, "gpt-oss-120b-disagg-bench"),
        ("3072 GiB, but a node of pool p6-b200.48xlarge",),
    ),
    Case(
        FITS,
        "a download that asks for more than system nodes have",
        "disagg-gb200-on-eks",
        (resource("Job/*", "inputs.spec.template.spec.containers[0].resources.requests.cpu", "8"),),
        failed(FITS, "model-cache-download"),
        (
            "asks for 8 CPUs and 8 GiB, but a node of group",
            "(m7g.2xlarge) has 7.91 CPUs and 31.34 GiB beside what EKS reserves",
        ),
    ),
    Case(
        FITS,
        "a download that asks for what EKS reserves of a system node",
        "disagg-gb200-on-eks",
        (resource("Job/*", "inputs.spec.template.spec.containers[0].resources.requests.cpu", "7950m"),),
        failed(FITS, "model-cache-download"),
    ),
    Case(
        FITS,
        "a download that asks for less than EKS leaves of a system node",
        "disagg-gb200-on-eks",
        (resource("Job/*", "inputs.spec.template.spec.containers[0].resources.requests.cpu", "7900m"),),
        frozenset(),
    ),
)
