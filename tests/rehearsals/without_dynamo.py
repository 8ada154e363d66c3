"""What holds of every stack whose engine serves by itself, once it is built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.components.committed_urns import committed_urns
from tests.rehearsals.shipped import NAMESPACE
from tests.serving_stacks.pods import gpus_of, nodes_of

if TYPE_CHECKING:
    from tests.rehearsals.shipped import Shipped


class WithoutDynamo:
    """Inherited by the tests of each stack: they come first there, in this order."""

    def test_one_up_makes_everything_and_a_second_one_and_a_refresh_find_nothing_to_do(
        self, shipped: Shipped
    ) -> None:
        assert list(shipped.built) == ["lab", "preview", "up", "up again", "refresh"]
        assert shipped.built["up again"].changes == shipped.built["refresh"].changes == "no change"

    def test_the_server_has_all_gpus_of_its_node(self, shipped: Shipped) -> None:
        expected, pods = shipped.expected, shipped.pods()
        assert pods.keys() == {"worker"}
        assert [gpus_of(pod) for pod in pods["worker"]] == [expected.gpus["worker"]]
        assert set(nodes_of(pods["worker"])) == expected.gpu_nodes

    def test_clients_reach_the_server_by_the_name_that_a_graphs_frontend_would_have(
        self, shipped: Shipped
    ) -> None:
        service = f"kubernetes.io/service-name={shipped.expected.graph}-frontend"
        slices = shipped.lab.get("endpointslices", "-n", NAMESPACE, "-l", service)["items"]
        targets = [end["targetRef"]["name"] for each in slices for end in each["endpoints"]]
        assert targets == [pod["metadata"]["name"] for pod in shipped.pods()["worker"]]
        assert [port["port"] for each in slices for port in each["ports"]] == [8000]

    def test_nothing_of_dynamo_is_installed(self, shipped: Shipped) -> None:
        urns = shipped.stack.urns()
        assert urns == sorted(committed_urns(shipped.expected.stack))
        assert [urn for urn in urns if "dynamo-platform" in urn or "dynamo-nats" in urn] == []
        namespaces = shipped.lab.get("namespaces")["items"]
        assert "dynamo-system" not in {each["metadata"]["name"] for each in namespaces}
