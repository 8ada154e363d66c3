"""How the KV cache travels: what is chosen, what is refused with what is possible, and what it demands."""

import pytest

from hardware import Standing
from recipes.placed import KvTransport, PlacedRecipe
from tests.stacks.changed_settings import (
    GONE,
    ON_EFS,
    SECOND_NODE,
    Change,
    Settings,
    changed,
    override,
    pools,
    replicas,
    said,
)
from tests.support.dev_settings import (
    agg_gb200_settings,
    dev_settings,
    disagg_b200_settings,
    disagg_gb200_settings,
    resolved,
)
from tests.support.shipped_stacks import shipped_settings

KEY = "serving.kvTransport"
B200 = disagg_b200_settings()
GB200 = disagg_gb200_settings()
DEV = dev_settings()
UNTYPED: Change = {KEY: GONE}
TCP: Change = {KEY: "tcp"}
EFA: Change = {KEY: "efa"}
RDMA = {"resource": "rdma/ib", "fabric": "infiniband"}
INFINIBAND: Change = {"nodePools[0].rdma": RDMA}
BOTH_ON_INFINIBAND: Change = INFINIBAND | {"nodePools[1].rdma": RDMA}
ROCE: Change = {"nodePools[1].rdma": {"resource": "rdma/roce", "fabric": "roce"}}
TWO_POOLS = pools(prefill="b200", decode="gb200")
RACKS: Change = {
    "nodePools": [GB200["nodePools"][0] | {"name": name, "labels": {"rack": name}} for name in ("l", "r")]
}
OF_TWO_RACKS = changed(GB200, RACKS, pools(prefill="l", decode="r"))
ZONES: Change = {
    "nodePools": [
        shipped_settings("disagg-b200-tcp")["nodePools"][0]
        | {"name": zone, "zone": zone, "labels": {"in": zone}}
        for zone in ("us-east-1a", "us-east-1b")
    ]
}
OF_TWO_ZONES = changed(
    shipped_settings("disagg-b200-tcp"), ZONES, ON_EFS, pools(prefill="us-east-1a", decode="us-east-1b")
)
BACKEND = override("prefill", cache_transceiver_config={"backend": "NIXL"})
OWN_IMAGES: Change = {"serving.imageVersions": {"prefill": "1.2.1", "decode": "1.2.1"}}
NO_LIBFABRIC = (
    "Pulumi.dev.yaml: serving.imageVersions.{} = '1.2.1'\n"
    "  the release's own image has no libfabric, which kvTransport efa needs\n"
    "  try: 1.2.1-efa-amd64"
)
AN_AGGREGATED = "an aggregated recipe of gpt-oss-120b transfers no KV cache"
WIDE = {"kv_cache_config": {"dtype": "auto"}}


def _placed(settings: Settings) -> PlacedRecipe:
    return resolved(settings).serving.placed


def _transport(settings: Settings) -> KvTransport:
    transport = _placed(settings).kv_transport
    assert transport
    return transport


@pytest.mark.parametrize(
    ("settings", "reason", "possible", "suggestion"),
    [
        (
            changed(B200, {KEY: "mnnvl"}),
            "the NVLink of p6-b200.48xlarge ends at the node",
            "efa tcp",
            AN_AGGREGATED,
        ),
        (changed(B200, {KEY: "mnnvl"}, INFINIBAND), "the NVLink of", "rdma efa tcp", "kvTransport: rdma"),
        (changed(B200, {KEY: "rdma"}), "the nodes offer no InfiniBand or RoCE", "efa tcp", AN_AGGREGATED),
        (
            changed(B200, {KEY: "nvlink"}),
            "within one process namespace, and each pod has its own",
            "efa tcp",
            "a recipe whose prefill and decode are processes of one pod",
        ),
        (changed(GB200, EFA), "fails on GB200 with every backend before", "mnnvl tcp", AN_AGGREGATED),
        (OF_TWO_RACKS, "all workers must be in one NVLink domain, so in one pool", "tcp", AN_AGGREGATED),
        (
            changed(OF_TWO_ZONES, EFA),
            "EFA ends at a zone, and the pools are in us-east-1a and us-east-1b",
            "tcp",
            AN_AGGREGATED,
        ),
        (
            changed(DEV, {KEY: "rdma"}, TWO_POOLS, INFINIBAND, ROCE),
            "one pool is on InfiniBand and the other on RoCE, and nothing leads from one to the other",
            "tcp",
            AN_AGGREGATED,
        ),
    ],
)
def test_what_the_hardware_cannot_do_is_refused_with_what_it_can(
    settings: Settings, reason: str, possible: str, suggestion: str
) -> None:
    text = said(settings)
    first, second, _, *ways, last = text.splitlines()
    assert first == f"Pulumi.dev.yaml: {KEY} = '{settings['serving']['kvTransport']}'"
    assert second.startswith("  impossible here: ")
    assert reason in second
    assert [way.strip().partition(",")[0] for way in ways] == possible.split()
    assert "    tcp, unproven: it works and is slow" in text
    assert last == f"  try: {suggestion}"


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        (
            changed(B200, EFA, SECOND_NODE, OWN_IMAGES),
            f"{NO_LIBFABRIC.format('prefill')}\n{NO_LIBFABRIC.format('decode')}",
        ),
        (
            changed(B200, BACKEND),
            "Pulumi.dev.yaml: serving.overrides.prefill.cache_transceiver_config.backend = 'NIXL'\n"
            "  serving.kvTransport decides it, and would write over it\n"
            "  try: leave it out, and type serving.kvTransport",
        ),
        (
            changed(agg_gb200_settings(), {KEY: "mnnvl"}),
            "Pulumi.dev.yaml: serving.kvTransport = 'mnnvl'\n"
            "  gpt-oss-120b/trtllm-agg is aggregated: its KV cache never leaves the worker\n"
            "  try: leave kvTransport out",
        ),
    ],
)
def test_what_contradicts_the_transport_is_refused(settings: Settings, text: str) -> None:
    assert said(settings) == text


@pytest.mark.parametrize(
    ("settings", "why", "suggestion"),
    [
        (
            disagg_gb200_settings(1),
            "5 GPUs in all, and with this KV transport each takes a whole node",
            "2 nodes in pool gb200, or fewer replicas",
        ),
        (
            changed(GB200, replicas(prefill=2)),
            "6 GPUs in all, and with this KV transport each takes a whole node",
            "3 nodes in pool gb200, or fewer replicas",
        ),
        (
            changed(disagg_gb200_settings(40), replicas(prefill=5, decode=5)),
            "9 nodes are one NVLink domain, which all workers must be in",
            "fewer replicas: one NVLink domain has no more nodes",
        ),
        (
            changed(B200, EFA),
            "5 GPUs in all, and with this KV transport prefill and decode share no node",
            "2 nodes in pool b200, or fewer replicas",
        ),
    ],
)
def test_workers_that_the_transport_leaves_no_room_for_are_refused(
    settings: Settings, why: str, suggestion: str
) -> None:
    text = said(settings)
    assert text.startswith("Pulumi.dev.yaml: serving.replicas = ")
    assert f"{why}\n  try: {suggestion}" in text


@pytest.mark.parametrize(
    ("settings", "used", "exclusive"),
    [
        (GB200, 2, 2),
        (changed(GB200, TCP, replicas(prefill=2)), 2, 0),
        (
            changed(
                disagg_gb200_settings(40),
                replicas(prefill=5, decode=5),
                {"nodePools[0].nvlinkDomainGpus": 72},
            ),
            10,
            10,
        ),
        (changed(B200, EFA, SECOND_NODE), 2, 0),
    ],
)
def test_workers_take_the_nodes_that_the_transport_demands(
    settings: Settings, used: int, exclusive: int
) -> None:
    [pool] = resolved(settings).pools
    assert (pool.used_nodes, pool.exclusive_nodes) == (used, exclusive)


@pytest.mark.parametrize(
    "settings",
    [changed(B200, UNTYPED, INFINIBAND), changed(DEV, UNTYPED, TWO_POOLS, BOTH_ON_INFINIBAND)],
    ids=["one pool", "two pools"],
)
def test_rdma_is_documented_so_nobody_has_to_type_it(settings: Settings) -> None:
    transport = _transport(settings)
    assert (transport.path.transport, transport.explicit) == ("rdma", False)
    assert transport.path.standing is Standing.DOCUMENTED


def test_of_two_pools_the_worse_one_decides_what_can_be_typed() -> None:
    text = said(changed(DEV, UNTYPED, TWO_POOLS, INFINIBAND))
    assert text.startswith(
        "Pulumi.dev.yaml: serving.kvTransport\n  not typed, and no way between these nodes"
    )
    assert "rdma, " not in text
    assert "efa, " not in text


@pytest.mark.parametrize(
    ("settings", "resources"),
    [
        (changed(B200, UNTYPED, INFINIBAND), {"prefill": {"rdma/ib": "1"}, "decode": {"rdma/ib": "1"}}),
        (
            changed(B200, EFA, SECOND_NODE),
            {"prefill": {"vpc.amazonaws.com/efa": "1"}, "decode": {"vpc.amazonaws.com/efa": "4"}},
        ),
    ],
)
def test_a_pod_asks_for_one_slot_of_the_rdma_plugin_or_for_an_efa_interface_a_gpu(
    settings: Settings, resources: dict[str, dict[str, str]]
) -> None:
    workers = _placed(settings).workers
    asked = {each.role: each.placement.extended_resources for each in workers if each.placement}
    assert asked == resources


@pytest.mark.parametrize(
    ("settings", "ceiling"),
    [
        (
            B200,
            "a prompt of 8,192 tokens is 0.30 GB of KV cache: nobody publishes what TCP carries inside one "
            "machine, where it passes no network card; 3.3 to 9.9 prompts a second at the 1 to 3 GB/s that "
            "NVIDIA's EFA guide gives for TCP (computed, not measured)",
        ),
        # Twice the bytes take twice the time.
        (
            changed(B200, override("prefill", **WIDE), override("decode", **WIDE)),
            "1.7 to 5.0 prompts a second at the 1 to 3 GB/s",
        ),
        # Between machines it is held by card zero and by what one flow gets.
        (
            changed(B200, SECOND_NODE),
            "at most 82.8 prompts a second over 200 Gbit/s of the network between machines and 2.1 "
            "over one TCP flow of 5 Gbit/s",
        ),
        (
            changed(GB200, TCP),
            "at most 41.4 prompts a second over 100 Gbit/s of the network between machines and 2.1 "
            "over one TCP flow of 5 Gbit/s",
        ),
    ],
)
def test_a_typed_way_carries_its_evidence_and_its_ceiling(settings: Settings, ceiling: str) -> None:
    transport = _transport(settings)
    assert (transport.path.transport, transport.explicit, transport.placement) == ("tcp", True, "")
    assert transport.path.reason.startswith("it works and is slow")
    assert ceiling in transport.ceiling


@pytest.mark.parametrize(
    ("settings", "domain"),
    [
        (GB200, "gpt-oss-disagg-compute-domain"),
        (changed(GB200, {"serving.name": "second"}), "second-compute-domain"),
        (B200, None),
        (changed(GB200, TCP), None),
        (agg_gb200_settings(), None),
    ],
)
def test_only_nvlink_between_trays_needs_a_compute_domain_which_is_named_after_its_graph(
    settings: Settings, domain: str | None
) -> None:
    placed = _placed(settings)
    assert (placed.compute_domain, placed.same_clique) == (domain, domain is not None)
