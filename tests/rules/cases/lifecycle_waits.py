"""How long things are waited for, and by which names they are found again."""

from tests.rules.case import On
from tests.rules.exports import resource, unset

EKS = "program-on-eks"

WAITS = "waits-have-timeouts"

GRAPH = "DynamoGraphDeployment/graph"

CASES = (
    On(WAITS, EKS).passes(
        "a graph whose limit is an annotation",
        resource(GRAPH, "timeouts", {"delete": 180}),
        resource(GRAPH, "inputs.metadata.annotations.[pulumi.com/timeoutSeconds]", "3600"),
    ),
    On(WAITS, EKS, "download", "graph").fails(
        "a download with the provider's own limit, and a graph that nobody waits for",
        "until it has filled the cache, and nothing says how long at create:",
        resource("Job/download", "timeouts", {"delete": 300}),
        "has no annotation pulumi.com/waitFor",
        unset(GRAPH, "inputs.metadata.annotations.[pulumi.com/waitFor]"),
        resource(GRAPH, "timeouts", {"delete": 180}),
        advises=("graph",),
    ),
    On(WAITS, EKS, "graph").advises(
        "a wait that is skipped",
        "pulumi.com/skipAwait is true",
        resource(GRAPH, "inputs.metadata.annotations.[pulumi.com/skipAwait]", "true"),
    ),
)
