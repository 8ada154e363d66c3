"""How long things are waited for, and by which names they are found again."""

from tests.rules.case import Case, failed
from tests.rules.exports import LATER, resource, unset

EKS = "program-on-eks"

WAITS = "waits-have-timeouts"
NAMES = "names-fixed"

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
        "deletions without limits",
        EKS,
        (
            resource(GRAPH, "timeouts", {"create": 3660, "update": 3660}),
            resource("Release/platform", "timeouts", {"create": 660}),
            resource("Job/download", "timeouts", {"create": 3660}),
            unset(CLAIM, "timeouts"),
            unset(NAMESPACE, "timeouts"),
        ),
        failed(WAITS, "graph", "platform", "download", "models", "serving"),
        ("deletion of this DynamoGraphDeployment", "deletion of this release"),
    ),
    Case(
        WAITS,
        "an installation with Helm's own limit",
        EKS,
        (
            unset("Release/platform", "inputs.timeout"),
            resource("Release/platform", "timeouts", {"delete": 60}),
        ),
        failed(WAITS, "platform"),
        ("Helm gives up after its own 5 minutes",),
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
    Case(
        NAMES,
        "names that the provider chose",
        EKS,
        (
            resource("Secret/token", "inputs.metadata.annotations", {"pulumi.com/autonamed": "true"}),
            unset("Job/download", "inputs.metadata.name"),
            unset("Release/platform", "inputs.name"),
        ),
        failed(NAMES, "token", "download", "platform"),
        ("this Secret has no metadata.name", "this release has no name"),
    ),
    Case(
        NAMES,
        "a name that is another resource's output",
        EKS,
        (resource("Job/download", "inputs.metadata.name", LATER),),
    ),
)
