"""What holds of every stack that makes its own cluster, once it is built."""

from tests.components.committed_urns import committed_urns
from tests.rehearsals.shipped import CLIQUE, NAMESPACE, Shipped
from tests.serving_stacks.pods import claims_of, gpus_of, nodes_of, variables_of

_CHANNEL = "compute-domain.nvidia.com"
_OPERATORS = {
    "dynamo-system": "control-plane=controller-manager",
    "gpu-operators": "app=gpu-operator",
}


class EveryStack:
    """Inherited by the tests of each stack: they come first there, in this order."""

    def test_one_up_makes_everything_and_a_second_one_and_a_refresh_find_nothing_to_do(
        self, shipped: Shipped
    ) -> None:
        assert list(shipped.built) == ["lab", "preview", "up", "up again", "refresh"]
        assert shipped.built["up again"].changes == shipped.built["refresh"].changes == "no change"

    def test_node_groups_are_nodes_with_the_devices_of_their_type(self, shipped: Shipped) -> None:
        expected = shipped.expected
        assert shipped.nodes(expected.node_group) == expected.gpu_nodes
        assert shipped.nodes(f"{expected.stack}-system") == expected.system_nodes
        for name in expected.gpu_nodes:
            allocatable = shipped.lab.get("node", name)["status"]["allocatable"]
            assert {key: allocatable[key] for key in expected.allocatable} == expected.allocatable

    def test_every_worker_runs_simulated_on_the_nodes_that_it_was_meant_for(self, shipped: Shipped) -> None:
        expected, pods = shipped.expected, shipped.pods()
        assert pods.keys() == {"frontend", *expected.gpus}
        used: set[str] = set()
        for role, gpus in expected.gpus.items():
            assert [gpus_of(pod) for pod in pods[role]] == [gpus] * expected.workers
            used |= set(nodes_of(pods[role]))
        assert used == expected.gpu_nodes

    def test_frontend_nats_and_operators_run_on_system_nodes(self, shipped: Shipped) -> None:
        expected = shipped.expected
        assert set(nodes_of(shipped.pods()["frontend"])) <= expected.system_nodes
        servers = shipped.lab.get("pods", "-n", "dynamo-system", "-l", "app.kubernetes.io/name=dynamo-nats")
        assert set(nodes_of(servers["items"])) == expected.system_nodes
        for namespace, selector in _OPERATORS.items():
            found = shipped.lab.get("pods", "-n", namespace, "-l", selector)["items"]
            assert found
            assert set(nodes_of(found)) <= expected.system_nodes

    def test_workers_hold_a_channel_of_one_compute_domain_exactly_where_the_kv_cache_crosses_nvlink(
        self, shipped: Shipped
    ) -> None:
        expected, pods = shipped.expected, shipped.pods()
        held = [
            claim for role in expected.gpus for pod in pods[role] for claim in claims_of(shipped.lab, pod)
        ]
        devices = [
            (result["driver"], result["device"], result["pool"])
            for claim in held
            for result in claim["status"]["allocation"]["devices"]["results"]
        ]
        nodes = expected.gpu_nodes if expected.claims else set[str]()
        assert sorted(devices) == sorted((_CHANNEL, "channel-0", node) for node in nodes)
        assert len(held) == expected.claims
        assert shipped.domain_nodes() == nodes
        domains = shipped.lab.get("computedomains.resource.nvidia.com", "-n", NAMESPACE)["items"]
        assert len(domains) == bool(expected.claims)

    def test_nodes_of_one_reservation_are_one_clique_where_nvlink_goes_beyond_the_node(
        self, shipped: Shipped
    ) -> None:
        nodes = [shipped.lab.get("node", name) for name in shipped.expected.gpu_nodes]
        cliques = [node["metadata"]["labels"].get(CLIQUE) for node in nodes]
        assert len(set(cliques)) == 1
        assert (cliques[0] is not None) == ("gb200" in shipped.expected.stack)

    def test_the_engine_registers_the_urns_that_are_committed(self, shipped: Shipped) -> None:
        assert shipped.stack.urns() == sorted(committed_urns(shipped.expected.stack))

    def test_workers_reach_the_stacks_own_nats_servers(self, shipped: Shipped) -> None:
        address = "nats://dynamo-nats.dynamo-system.svc.cluster.local:4222"
        for pods in shipped.pods().values():
            assert {variables_of(pod)["NATS_SERVER"] for pod in pods} == {address}
