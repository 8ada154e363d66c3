import copy
from typing import Any

import pytest

from hardware import Standing
from recipes.placed import ComputeDomain
from stacks.plan.placement.kv_transport import request_bytes
from tests.support.dev_settings import (
    agg_gb200_settings,
    dev_settings,
    disagg_b200_settings,
    disagg_gb200_settings,
    problems_of,
    resolved,
)
from tests.support.shipped_stacks import shipped_settings

INFINIBAND = {"resource": "rdma/ib", "fabric": "infiniband"}


def _untyped(settings: dict[str, Any]) -> dict[str, Any]:
    del settings["serving"]["kvTransport"]
    return settings


def _typed(settings: dict[str, Any], name: str) -> dict[str, Any]:
    settings["serving"]["kvTransport"] = name
    return settings


def test_a_way_that_nobody_proved_is_never_chosen_for_a_person() -> None:
    [problem] = problems_of(_untyped(disagg_b200_settings()))
    assert problem.key == "serving.kvTransport"
    assert (
        "no way between these nodes is documented to work with tensorrt-llm in runtime 1.2.1"
        in problem.message
    )
    listed = str(problem.allowed).splitlines()
    assert [line.split(",")[0].strip() for line in listed] == ["one of", "efa", "tcp"]
    assert "unproven: it works and is slow" in listed[2]
    assert (
        "inside one machine, where it passes no network card; 3.3 to 9.9 prompts a second at the 1 to 3 GB/s"
        in listed[2]
    )


def test_efa_does_not_lead_from_one_zone_to_another() -> None:
    settings = shipped_settings("disagg-b200-tcp")
    settings["serving"] |= {"kvTransport": "efa", "pools": {"prefill": "b200", "decode": "other"}}
    del settings["serving"]["pool"]
    other = copy.deepcopy(settings["nodePools"][0]) | {"name": "other", "zone": "us-east-1b"}
    settings["nodePools"][0]["labels"], other["labels"] = {"pool": "one"}, {"pool": "two"}
    settings["nodePools"].append(other)
    settings["modelCache"] = {"size": "200Gi", "storage": {"kind": "efs"}}
    [problem] = problems_of(settings)
    assert problem.key == "serving.kvTransport"
    assert "EFA ends at a zone, and the pools are in us-east-1a and us-east-1b" in problem.message


def test_an_image_without_libfabric_is_refused_beside_efa() -> None:
    settings = _typed(disagg_b200_settings(), "efa")
    settings["nodePools"][0]["nodes"] = 2
    settings["serving"]["imageVersions"] = {"prefill": "1.2.1", "decode": "1.2.1"}
    first, second = problems_of(settings)
    assert (first.key, first.suggestion) == ("serving.imageVersions.prefill", "1.2.1-efa-amd64")
    assert second.key == "serving.imageVersions.decode"


def test_the_transfer_backend_is_chosen_by_the_transport_alone() -> None:
    settings = disagg_b200_settings()
    backend = {"cache_transceiver_config": {"backend": "NIXL"}}
    settings["serving"]["overrides"] = {"prefill": backend}
    [problem] = problems_of(settings)
    assert problem.key == "serving.overrides.prefill.cache_transceiver_config.backend"
    assert "serving.kvTransport decides it" in problem.message


def test_rdma_is_documented_so_nobody_has_to_type_it() -> None:
    settings = _untyped(disagg_b200_settings())
    settings["nodePools"][0]["rdma"] = INFINIBAND
    transport = resolved(settings).serving.placed.kv_transport
    assert transport is not None
    assert (transport.path.transport, transport.explicit) == ("rdma", False)
    assert transport.path.standing is Standing.DOCUMENTED


def test_a_pod_asks_for_one_slot_of_the_rdma_plugin() -> None:
    settings = _untyped(disagg_b200_settings())
    settings["nodePools"][0]["rdma"] = INFINIBAND
    for worker in resolved(settings).serving.placed.workers:
        assert worker.placement is not None
        assert worker.placement.extended_resources == {"rdma/ib": "1"}


def test_a_typed_way_carries_its_evidence_and_its_ceiling() -> None:
    settings = dev_settings()
    transport = resolved(settings).serving.placed.kv_transport
    assert transport is not None
    assert (transport.path.transport, transport.explicit) == ("tcp", True)
    assert request_bytes(resolved(settings).serving.placed.recipe) == 301_989_888
    assert transport.ceiling == (
        "a prompt of 8,192 tokens is 0.30 GB of KV cache: nobody publishes what TCP carries inside one "
        "machine, where it passes no network card; 3.3 to 9.9 prompts a second at the 1 to 3 GB/s that "
        "NVIDIA's EFA guide gives for TCP (computed, not measured)"
    )
    assert transport.placement == ""
    assert transport.path.reason.startswith("it works and is slow")


def test_a_kv_cache_of_twice_the_bytes_takes_twice_the_time() -> None:
    settings = disagg_b200_settings()
    wide = {"kv_cache_config": {"dtype": "auto"}}
    settings["serving"]["overrides"] = {"prefill": wide, "decode": wide}
    stack = resolved(settings)
    assert request_bytes(stack.serving.placed.recipe) == 2 * 301_989_888
    assert stack.serving.placed.kv_transport is not None
    assert "1.7 to 5.0 prompts a second at the 1 to 3 GB/s" in stack.serving.placed.kv_transport.ceiling


@pytest.mark.parametrize(
    ("settings", "gbit", "prompts"),
    [(disagg_b200_settings(), 200, "82.8"), (disagg_gb200_settings(), 100, "41.4")],
)
def test_between_machines_tcp_is_held_by_card_zero_and_by_what_one_flow_gets(
    settings: dict[str, Any], gbit: int, prompts: str
) -> None:
    settings["nodePools"][0]["nodes"] = 2
    settings["serving"]["kvTransport"] = "tcp"
    transport = resolved(settings).serving.placed.kv_transport
    assert transport is not None
    assert (
        f"at most {prompts} prompts a second over {gbit} Gbit/s of the network between machines and 2.1 "
        "over one TCP flow of 5 Gbit/s"
    ) in transport.ceiling


@pytest.mark.parametrize(
    ("settings", "name", "reason"),
    [
        (disagg_b200_settings(), "mnnvl", "the NVLink of p6-b200.48xlarge ends at the node"),
        (disagg_b200_settings(), "rdma", "the nodes offer no InfiniBand or RoCE device"),
        (disagg_gb200_settings(), "efa", "fails on GB200 with every backend before runtime 1.3.1"),
    ],
)
def test_what_the_hardware_cannot_do_is_refused_with_what_it_can(
    settings: dict[str, Any], name: str, reason: str
) -> None:
    [problem] = problems_of(_typed(settings, name))
    assert (problem.key, problem.value) == ("serving.kvTransport", name)
    assert problem.message.startswith("impossible here: ")
    assert reason in problem.message
    assert "tcp, unproven" in str(problem.allowed)
    assert f"{name}, " not in str(problem.allowed)
    assert problem.suggestion == "an aggregated recipe of gpt-oss-120b transfers no KV cache"


def test_a_documented_way_is_proposed_instead_of_an_impossible_one() -> None:
    settings = _typed(disagg_b200_settings(), "mnnvl")
    settings["nodePools"][0]["rdma"] = INFINIBAND
    [problem] = problems_of(settings)
    assert problem.suggestion == "kvTransport: rdma"


def test_workers_on_nvlink_between_trays_share_one_domain_and_no_tray() -> None:
    stack = resolved(disagg_gb200_settings())
    placed = stack.serving.placed
    assert placed.compute_domain == ComputeDomain("gpt-oss-disagg-compute-domain", "gpt-oss-disagg-channel")
    assert placed.same_clique
    [pool] = stack.pools
    assert (pool.used_gpus, pool.packing.used_nodes, pool.packing.exclusive_nodes) == (5, 2, 2)
    assert stack.serving.placed.kv_transport is not None
    assert stack.serving.placed.kv_transport.path.reason.startswith("reported failing on AWS GB200")
    assert stack.serving.placed.kv_transport.placement.startswith(
        "all workers on nodes of one NVLink domain, at most 2 in this pool, and each on a node of its own"
    )


def test_a_compute_domain_is_named_after_its_graph() -> None:
    settings = disagg_gb200_settings()
    settings["serving"]["name"] = "second"
    placed = resolved(settings).serving.placed
    assert placed.compute_domain == ComputeDomain("second-compute-domain", "second-channel")


def test_only_nvlink_between_trays_needs_a_compute_domain() -> None:
    for settings in (disagg_b200_settings(), _typed(disagg_gb200_settings(), "tcp"), agg_gb200_settings()):
        placed = resolved(settings).serving.placed
        assert placed.compute_domain is None
        assert not placed.same_clique


def test_two_claimants_do_not_fit_on_one_tray() -> None:
    [problem] = problems_of(disagg_gb200_settings(nodes=1))
    assert problem.key == "serving.replicas"
    assert "with this KV transport each takes a whole node" in problem.message
    assert problem.suggestion == "2 nodes in pool gb200, or fewer replicas"


def test_two_prefill_workers_do_not_share_a_tray_although_their_gpus_would_fit() -> None:
    settings = disagg_gb200_settings(nodes=2)
    settings["serving"]["replicas"] = {"prefill": 2}
    [problem] = problems_of(settings)
    assert problem.suggestion == "3 nodes in pool gb200, or fewer replicas"
    _typed(settings, "tcp")
    assert resolved(settings).pools[0].packing.used_nodes == 2


def test_a_graph_is_no_larger_than_one_nvlink_domain() -> None:
    settings = disagg_gb200_settings(nodes=40)
    settings["serving"]["replicas"] = {"prefill": 5, "decode": 5}
    [problem] = problems_of(settings)
    assert "9 nodes are one NVLink domain, which all workers must be in" in problem.message
    assert problem.suggestion == "fewer replicas: one NVLink domain has no more nodes"
    settings["nodePools"][0]["nvlinkDomainGpus"] = 72
    assert resolved(settings).pools[0].packing.used_nodes == 10


def test_nvlink_between_trays_does_not_cross_pools() -> None:
    settings = disagg_gb200_settings()
    labels = [{"example.com/rack": rack} for rack in ("one", "two")]
    settings["nodePools"] = [
        {"name": name, "instanceType": "p6e-gb200.36xlarge", "nodes": 2, "labels": label}
        for name, label in zip(("left", "right"), labels, strict=True)
    ]
    del settings["serving"]["pool"]
    settings["serving"]["pools"] = {"prefill": "left", "decode": "right"}
    [problem] = problems_of(settings)
    assert "all workers must be in one NVLink domain, so in one pool" in problem.message


def test_the_worse_of_two_pools_decides() -> None:
    settings = _untyped(dev_settings())
    del settings["serving"]["pool"]
    settings["serving"]["pools"] = {"prefill": "b200", "decode": "gb200"}
    settings["nodePools"][0]["rdma"] = INFINIBAND
    [problem] = problems_of(settings)
    assert "rdma, " not in str(problem.allowed)
    assert "efa, " not in str(problem.allowed)
    settings["nodePools"][1]["rdma"] = INFINIBAND
    transport = resolved(settings).serving.placed.kv_transport
    assert transport is not None
    assert transport.path.transport == "rdma"


def test_nothing_leads_from_infiniband_to_roce() -> None:
    settings = _typed(dev_settings(), "rdma")
    del settings["serving"]["pool"]
    settings["serving"]["pools"] = {"prefill": "b200", "decode": "gb200"}
    settings["nodePools"][0]["rdma"] = INFINIBAND
    settings["nodePools"][1]["rdma"] = {"resource": "rdma/roce", "fabric": "roce"}
    [problem] = problems_of(settings)
    assert "one pool is on InfiniBand and the other on RoCE" in problem.message


def test_prefill_and_decode_over_efa_are_on_different_nodes_with_an_interface_a_gpu() -> None:
    settings = _typed(disagg_b200_settings(), "efa")
    [problem] = problems_of(settings)
    assert "with this KV transport prefill and decode share no node" in problem.message
    settings["nodePools"][0]["nodes"] = 2
    stack = resolved(settings)
    assert stack.serving.placed.different_nodes
    assert stack.pools[0].packing.used_nodes == 2
    asked = {
        worker.role: worker.placement.extended_resources
        for worker in stack.serving.placed.workers
        if worker.placement
    }
    assert asked == {"prefill": {"vpc.amazonaws.com/efa": "1"}, "decode": {"vpc.amazonaws.com/efa": "4"}}


def test_an_aggregated_recipe_refuses_a_transport() -> None:
    [problem] = problems_of(_typed(agg_gb200_settings(), "mnnvl"))
    assert problem.message == "gpt-oss-120b/trtllm-agg is aggregated: its KV cache never leaves the worker"
    assert problem.suggestion == "leave kvTransport out"
    assert resolved(agg_gb200_settings()).serving.placed.kv_transport is None
