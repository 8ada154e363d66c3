"""What a production stack keeps."""

from tests.rules.case import Case, failed, undecided
from tests.rules.exports import resource

EKS, OURS, OUR_EKS = "program-on-eks", "disagg-b200-state", "disagg-gb200-on-eks"

PROTECTED = "stateful-things-protected"
RETAINED = "state-retained"

OUR_COMPONENT = "components:DynamoGraph/gpt-oss-disagg"
CLAIM, NAMESPACE = "PersistentVolumeClaim/models", "Namespace/serving"
OUR_CLAIM = "PersistentVolumeClaim/model-cache-claim"
OUR_PLATFORM = "Namespace/platform-namespace"
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
    Case(
        PROTECTED,
        "our network, cluster and file system without protection",
        OUR_EKS,
        (
            resource("Vpc/network-vpc", "protect", False),
            resource("Cluster/eks", "protect", False),
            resource("FileSystem/cache-storage-file-system", "protect", False),
        ),
        failed(PROTECTED, "network-vpc", "eks", "cache-storage-file-system"),
        ("is not protected, in a stack of lifecycle production",),
    ),
    Case(
        PROTECTED,
        "a disposable stack",
        OURS,
        (
            *DISPOSABLE,
            resource(OUR_CLAIM, "protect", False),
            resource(OUR_CLAIM, "retainOnDelete", False),
            resource(OUR_PLATFORM, "protect", False),
            resource(SERVERS, DELETED, "Delete"),
        ),
    ),
    Case(
        PROTECTED,
        "a lifecycle of its own invention",
        OURS,
        (resource(OUR_COMPONENT, "inputs.lifecycle", "staging"), resource(OUR_CLAIM, "protect", False)),
        undecided(PROTECTED, "model-cache-claim"),
        ("lifecycle of gpt-oss-disagg is 'staging', not production or disposable",),
    ),
    Case(
        PROTECTED,
        "a foreign program that does not say what it is for",
        EKS,
        tuple(
            resource(name, "protect", False)
            for name in (
                "Key/disks",
                "Vpc/network",
                "Cluster/cluster",
                "FileSystem/models",
                "Volume/results",
                CLAIM,
                NAMESPACE,
            )
        ),
        undecided(PROTECTED, "disks", "network", "cluster", "models", "results", "serving"),
        ("no component says by its input lifecycle",),
    ),
    Case(
        RETAINED,
        "a claim and its namespace that are not kept",
        OURS,
        (
            resource(OUR_CLAIM, "retainOnDelete", False),
            resource("Namespace/serving-namespace", "retainOnDelete", False),
        ),
        failed(RETAINED, "model-cache-claim", "serving-namespace"),
        ("it takes claim model-cache-claim along",),
    ),
    Case(
        RETAINED,
        "servers whose volumes go with them",
        OURS,
        (resource(SERVERS, DELETED, "Delete"),),
        failed(RETAINED, "nats"),
        ("persistentVolumeClaimRetentionPolicy.whenDeleted: Delete",),
    ),
    Case(
        RETAINED,
        "a foreign program that does not say what it is for",
        EKS,
        (resource(CLAIM, "retainOnDelete", False),),
    ),
)
