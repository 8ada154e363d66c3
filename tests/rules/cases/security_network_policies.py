"""Network policies that somebody has to enforce."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import Edit, document
from tests.rules.exports import resource, unset

ENFORCED = "network-policies-enforced"
EKS, OURS = "program-on-eks", "disagg-gb200-on-eks"
CLUSTER = "Cluster/cluster"
OUR_CNI = "Addon/eks-vpc-cni"
SWITCH = "inputs.configurationValues"

_POLICY = document("""
type: kubernetes:networking.k8s.io/v1:NetworkPolicy
name: frontend
provider: kubernetes/cluster
inputs:
  apiVersion: networking.k8s.io/v1
  kind: NetworkPolicy
  metadata: {name: frontend, namespace: gpt-oss}
  spec: {podSelector: {}, policyTypes: [Ingress]}
""")


def _cni(configuration: str) -> Edit:
    return document(f"""
type: aws:eks/addon:Addon
name: cni
dependsOn: [Cluster/cluster]
inputs: {{clusterName: serving, addonName: vpc-cni{configuration}}}
""")


CASES = (
    Case(
        ENFORCED,
        "our CNI as EKS installs it",
        OURS,
        (unset(OUR_CNI, SWITCH),),
        failed(ENFORCED, "eks-vpc-cni"),
        ("has no enableNetworkPolicy among its configurationValues, so no NetworkPolicy acts",),
    ),
    Case(
        ENFORCED,
        "somebody's CNI that is told not to",
        EKS,
        (_POLICY, _cni(", configurationValues: 'enableNetworkPolicy: \"false\"'")),
        failed(ENFORCED, "cni"),
        ("has enableNetworkPolicy: false",),
    ),
    Case(
        ENFORCED,
        "somebody's CNI with YAML that is none",
        EKS,
        (_POLICY, _cni(", configurationValues: '{'")),
        undecided(ENFORCED, "cni"),
        ("configurationValues cannot be read",),
    ),
    Case(
        ENFORCED,
        "a cluster with the CNI that EKS installs by itself",
        EKS,
        (_POLICY,),
        failed(ENFORCED, "cluster"),
        ("gets EKS's own vpc-cni without an add-on",),
    ),
    Case(
        ENFORCED,
        "a cluster whose CNI is none of EKS'",
        EKS,
        (_POLICY, resource(CLUSTER, "inputs.bootstrapSelfManagedAddons", False)),
        undecided(ENFORCED, "cluster"),
        ("another CNI decides",),
    ),
    Case(
        ENFORCED,
        "somebody's CNI that enforces them",
        EKS,
        (_POLICY, _cni(", configurationValues: 'enableNetworkPolicy: true'")),
    ),
)
