"""What a graph comes after, and what goes after it."""

from tests.rules.case import On
from tests.rules.edits import document
from tests.rules.exports import LATER, removed, resource, undepend

EKS = "program-on-eks"

CACHE = "graph-depends-on-filled-cache"

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
    On("graph-depends-on-operator", EKS, "graph", "domain").fails(
        "a graph and a compute domain beside what must be there before them",
        "does not depend on platform, which installs its operator",
        undepend(GRAPH, "Release/platform"),
        "does not depend on graphs, the definition dynamographdeployments.nvidia.com",
        _DEFINITION_OF_GRAPHS,
        "does not depend on driver",
        _DRIVER,
        _DOMAIN,
    ),
    On("graph-depends-on-operator", EKS, "graph").fails(
        "a graph beside the reference to the stack that runs its operator",
        "does not depend on platform-layer, which installs its operator",
        removed("Release/platform"),
        document("{type: 'pulumi:pulumi:StackReference', name: platform-layer, inputs: {name: a/b/c}}"),
    ),
    On(CACHE, EKS, "graph").fails(
        "a graph beside the download",
        "mounts claim model-cache and does not depend on download, which fills it",
        undepend(GRAPH, "Job/download"),
    ),
    On(CACHE, EKS, "graph").fails(
        "a download that nobody waits for",
        "lets it count as done before it has run",
        resource("Job/download", "inputs.metadata.annotations", {"pulumi.com/skipAwait": "true"}),
    ),
    On(CACHE, EKS).passes(
        "a claim of somebody else's", removed("Job/download", "PersistentVolumeClaim/models")
    ),
    On(CACHE, EKS, "graph").is_undecided(
        "a claim whose name is not known yet",
        "persistentVolumeClaim.claimName is known only after the update",
        resource(GRAPH, MOUNT, [{"name": "models", "persistentVolumeClaim": {"claimName": LATER}}]),
    ),
    On("outlived-by-token-and-cache", EKS, "graph").fails(
        "a graph beside everything in its namespace",
        "Namespace gpt-oss, PersistentVolumeClaim model-cache, Secret hf-token-secret",
        resource(GRAPH, "dependsOn", ["Release/platform"]),
        resource(
            GRAPH, "inputs.spec.components.1.podTemplate.spec.imagePullSecrets", [{"name": "hf-token-secret"}]
        ),
    ),
)
