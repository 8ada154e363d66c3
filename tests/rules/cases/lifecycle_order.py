"""What a graph comes after, and what goes after it."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import document
from tests.rules.exports import LATER, removed, resource, undepend

EKS = "program-on-eks"

OPERATOR = "graph-depends-on-operator"
CACHE = "graph-depends-on-filled-cache"
OUTLIVED = "outlived-by-token-and-cache"

GRAPH = "DynamoGraphDeployment/graph"
MOUNT = "inputs.spec.components.1.podTemplate.spec.volumes"

_DEFINITION_OF_GRAPHS = document("""
type: kubernetes:apiextensions.k8s.io/v1:CustomResourceDefinition
name: graphs
inputs:
  apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: dynamographdeployments.nvidia.com}
  spec:
    group: nvidia.com
    scope: Namespaced
    names: {kind: DynamoGraphDeployment, plural: dynamographdeployments}
    versions: [{name: v1alpha1, served: true, storage: true}]
""")
_DOMAIN = document("""
type: kubernetes:resource.nvidia.com/v1beta1:ComputeDomain
name: domain
inputs:
  apiVersion: resource.nvidia.com/v1beta1
  kind: ComputeDomain
  metadata: {name: domain, namespace: gpt-oss}
  spec: {numNodes: 1, channel: {resourceClaimTemplate: {name: domain-channel}}}
""")
_DRIVER = document("""
type: kubernetes:helm.sh/v3:Release
name: driver
inputs: {name: driver, version: 0.5.0, chart: "oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu"}
""")

CASES = (
    Case(
        OPERATOR,
        "a graph beside its operator",
        EKS,
        (undepend(GRAPH, "Release/platform"),),
        failed(OPERATOR, "graph"),
        ("does not depend on platform, which installs its operator",),
    ),
    Case(
        OPERATOR,
        "a graph beside the reference to the stack that runs its operator",
        EKS,
        (
            removed("Release/platform"),
            document("{type: 'pulumi:pulumi:StackReference', name: platform-layer, inputs: {name: a/b/c}}"),
        ),
        failed(OPERATOR, "graph"),
        ("does not depend on platform-layer, which installs its operator",),
    ),
    Case(
        OPERATOR,
        "a definition beside the graph",
        EKS,
        (_DEFINITION_OF_GRAPHS,),
        failed(OPERATOR, "graph"),
        ("does not depend on graphs, the definition dynamographdeployments.nvidia.com",),
    ),
    Case(
        OPERATOR,
        "a compute domain beside its driver",
        EKS,
        (_DRIVER, _DOMAIN),
        failed(OPERATOR, "domain"),
        ("does not depend on driver",),
    ),
    Case(
        CACHE,
        "a graph beside the download",
        EKS,
        (undepend(GRAPH, "Job/download"),),
        failed(CACHE, "graph"),
        ("mounts claim model-cache and does not depend on download, which fills it",),
    ),
    Case(
        CACHE,
        "a download that nobody waits for",
        EKS,
        (resource("Job/download", "inputs.metadata.annotations", {"pulumi.com/skipAwait": "true"}),),
        failed(CACHE, "graph"),
        ("lets it count as done before it has run",),
    ),
    Case(
        CACHE,
        "a claim of somebody else's",
        EKS,
        (removed("Job/download", "PersistentVolumeClaim/models"),),
    ),
    Case(
        CACHE,
        "a claim whose name is not known yet",
        EKS,
        (resource(GRAPH, MOUNT, [{"name": "models", "persistentVolumeClaim": {"claimName": LATER}}]),),
        undecided(CACHE, "graph"),
        ("persistentVolumeClaim.claimName is known only after the update",),
    ),
    Case(
        OUTLIVED,
        "a graph beside everything in its namespace",
        EKS,
        (
            resource(GRAPH, "dependsOn", ["Release/platform"]),
            resource(
                GRAPH,
                "inputs.spec.components.1.podTemplate.spec.imagePullSecrets",
                [{"name": "hf-token-secret"}],
            ),
        ),
        failed(OUTLIVED, "graph"),
        ("Namespace gpt-oss, PersistentVolumeClaim model-cache, Secret hf-token-secret",),
    ),
)
