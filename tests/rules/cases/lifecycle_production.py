"""What a production stack keeps."""

from tests.rules.case import On
from tests.rules.exports import resource

EKS, OURS, OUR_EKS = "program-on-eks", "disagg-b200-state", "disagg-gb200-on-eks"

PROTECTED = "stateful-things-protected"

OUR_COMPONENT = "components:DynamoGraph/gpt-oss-disagg"
CLAIM, NAMESPACE = "PersistentVolumeClaim/models", "Namespace/serving"
FOREIGN = ("Key/disks", "Vpc/network", "Cluster/cluster", "FileSystem/models", "Volume/results")
OUR_CLAIM = "PersistentVolumeClaim/model-cache-claim"
SERVERS = "StatefulSet/nats"
DELETED = "inputs.spec.persistentVolumeClaimRetentionPolicy.whenDeleted"
DISPOSABLE = tuple(
    resource(name, "inputs.lifecycle", "disposable")
    for name in (
        OUR_COMPONENT,
        "components:Namespace/platform-namespace",
        "components:Namespace/serving-namespace",
    )
)

CASES = (
    On(PROTECTED, OUR_EKS, "network-vpc", "eks", "cache-storage-file-system").fails(
        "our network, cluster and file system without protection",
        "is not protected, in a stack of lifecycle production",
        resource("Vpc/network-vpc", "protect", False),
        resource("Cluster/eks", "protect", False),
        resource("FileSystem/cache-storage-file-system", "protect", False),
    ),
    On(PROTECTED, OURS).passes(
        "a disposable stack",
        DISPOSABLE,
        resource(OUR_CLAIM, "protect", False),
        resource(OUR_CLAIM, "retainOnDelete", False),
        resource("Namespace/platform-namespace", "protect", False),
        resource(SERVERS, DELETED, "Delete"),
    ),
    On(PROTECTED, OURS, "model-cache-claim").is_undecided(
        "a lifecycle of its own invention",
        "lifecycle of gpt-oss-disagg is 'staging', not production or disposable",
        resource(OUR_COMPONENT, "inputs.lifecycle", "staging"),
        resource(OUR_CLAIM, "protect", False),
    ),
    On(PROTECTED, EKS, "disks", "network", "cluster", "models", "results", "serving").is_undecided(
        "a foreign program that does not say what it is for",
        "no component says by its input lifecycle",
        tuple(resource(name, "protect", False) for name in (*FOREIGN, CLAIM, NAMESPACE)),
    ),
    On("state-retained", OURS, "model-cache-claim", "serving-namespace", "nats").fails(
        "a claim, its namespace and servers' volumes that are not kept",
        "it takes claim model-cache-claim along",
        resource(OUR_CLAIM, "retainOnDelete", False),
        resource("Namespace/serving-namespace", "retainOnDelete", False),
        "persistentVolumeClaimRetentionPolicy.whenDeleted: Delete",
        resource(SERVERS, DELETED, "Delete"),
    ),
    On("state-retained", EKS).passes(
        "a foreign program that does not say what it is for", resource(CLAIM, "retainOnDelete", False)
    ),
)
