"""How long things are waited for, and by which names they are found again."""

from tests.rules.case import Case, failed
from tests.rules.exports import resource, unset

EKS = "program-on-eks"

WAITS = "waits-have-timeouts"

GRAPH = "DynamoGraphDeployment/graph"
WAIT_FOR = "inputs.metadata.annotations.[pulumi.com/waitFor]"
CLAIM, NAMESPACE = "PersistentVolumeClaim/models", "Namespace/serving"

CASES = (
    Case(
        WAITS,
        "a graph whose limit is an annotation",
        EKS,
        (
            resource(GRAPH, "timeouts", {"delete": 180}),
            resource(GRAPH, "inputs.metadata.annotations.[pulumi.com/timeoutSeconds]", "3600"),
        ),
    ),
    Case(
        WAITS,
        "a download with the provider's own limit",
        EKS,
        (resource("Job/download", "timeouts", {"delete": 300}),),
        failed(WAITS, "download"),
        ("until it has filled the cache, and nothing says how long at create:",),
    ),
    Case(
        WAITS,
        "a graph that nobody waits for",
        EKS,
        (unset(GRAPH, WAIT_FOR), resource(GRAPH, "timeouts", {"delete": 180})),
        failed(WAITS, "graph"),
        ("has no annotation pulumi.com/waitFor",),
    ),
    Case(
        WAITS,
        "a wait that is skipped",
        EKS,
        (resource(GRAPH, "inputs.metadata.annotations.[pulumi.com/skipAwait]", "true"),),
        failed(WAITS, "graph"),
        ("pulumi.com/skipAwait is true",),
    ),
)
