"""The cluster that a stack makes itself, and that can be looked at from the moment at which it is there."""

import shlex

import pulumi

from components.cluster_reader import ClusterReader

_PROVIDER = "pulumi:providers:kubernetes"


class OwnCluster:
    """Learns the kubeconfig from the provider that the program registers with it."""

    def __init__(self, name: str, region: str) -> None:
        """Take what is known before the cluster is there.

        Args:
            name: of the EKS cluster.
            region: where it is.

        """
        self._name, self._region = name, region
        self._kubeconfig: str | None = None

    def learn(self, registration: pulumi.ResourceTransformationArgs) -> None:
        """Remember the kubeconfig of the cluster's provider, once it is known; leave the rest alone."""
        if registration.type_ == _PROVIDER:
            pulumi.Output.from_input(registration.props.get("kubeconfig")).apply(self._remember)

    def reader(self) -> ClusterReader:
        """Return what looks at the cluster; before the kubeconfig is known, it finds nothing."""
        update = ["aws", "eks", "update-kubeconfig", "--name", self._name, "--region", self._region]
        return ClusterReader(
            self._name, content=self._kubeconfig or "", once=shlex.join([*update, "--alias", self._name])
        )

    def _remember(self, kubeconfig: str | None) -> None:
        self._kubeconfig = kubeconfig
