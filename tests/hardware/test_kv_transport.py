import dataclasses
from itertools import product

import pytest

from engines.registry import ENGINES, Framework
from hardware import (
    INSTANCE_TYPES,
    KV_TRANSPORTS,
    KvPath,
    KvTransportName,
    Standing,
    kv_path,
)

IMPOSSIBLE, UNPROVEN, DOCUMENTED = Standing.IMPOSSIBLE, Standing.UNPROVEN, Standing.DOCUMENTED
TRTLLM: Framework = "tensorrt-llm"
VLLM: Framework = "vllm"
GB200, B200 = "p6e-gb200.36xlarge", "p6-b200.48xlarge"
X86 = [B200, "p6-b300.48xlarge", "p5en.48xlarge", "p5e.48xlarge", "p5.48xlarge"]
EVERY = [*X86, GB200, "p5.4xlarge"]

# transport, instance type, engine, runtime, an RDMA resource on the nodes, standing
TABLE: list[tuple[KvTransportName, str, Framework, tuple[int, int, int], bool, Standing]] = [
    *(("mnnvl", name, TRTLLM, (1, 2, 1), False, IMPOSSIBLE) for name in [*X86, "p5.4xlarge"]),
    ("mnnvl", B200, VLLM, (1, 5, 0), True, IMPOSSIBLE),
    ("mnnvl", GB200, TRTLLM, (1, 2, 1), False, UNPROVEN),
    ("mnnvl", GB200, TRTLLM, (1, 5, 0), False, UNPROVEN),
    ("mnnvl", GB200, VLLM, (1, 4, 2), False, UNPROVEN),
    *(("rdma", name, TRTLLM, (1, 2, 1), False, IMPOSSIBLE) for name in EVERY),
    *(("rdma", name, TRTLLM, (1, 2, 1), True, DOCUMENTED) for name in EVERY),
    ("rdma", B200, VLLM, (1, 4, 2), True, DOCUMENTED),
    ("rdma", B200, VLLM, (1, 4, 2), False, IMPOSSIBLE),
    *(("efa", name, TRTLLM, (1, 2, 1), False, UNPROVEN) for name in X86),
    *(("efa", name, TRTLLM, (1, 5, 0), False, UNPROVEN) for name in X86),
    *(("efa", name, VLLM, (1, 4, 2), False, DOCUMENTED) for name in X86),
    ("efa", "p5.4xlarge", TRTLLM, (1, 4, 2), False, IMPOSSIBLE),
    ("efa", "p5.4xlarge", VLLM, (1, 4, 2), False, IMPOSSIBLE),
    ("efa", GB200, TRTLLM, (1, 2, 1), False, IMPOSSIBLE),
    ("efa", GB200, TRTLLM, (1, 3, 0), False, IMPOSSIBLE),
    ("efa", GB200, TRTLLM, (1, 3, 1), False, UNPROVEN),
    ("efa", GB200, TRTLLM, (1, 10, 0), False, UNPROVEN),
    ("efa", GB200, VLLM, (1, 3, 0), False, IMPOSSIBLE),
    ("efa", GB200, VLLM, (1, 4, 2), False, UNPROVEN),
    *(("tcp", name, TRTLLM, (1, 2, 1), False, UNPROVEN) for name in EVERY),
    ("tcp", B200, VLLM, (1, 5, 0), True, UNPROVEN),
]


def _path(
    transport: KvTransportName,
    name: str,
    engine: Framework = TRTLLM,
    runtime: tuple[int, int, int] = (1, 3, 1),
    rdma: bool = True,
    *,
    one_machine: bool = False,
) -> KvPath:
    return kv_path(
        transport,
        INSTANCE_TYPES[name],
        efa=ENGINES[engine].efa,
        runtime=runtime,
        rdma=rdma,
        one_machine=one_machine,
    )


def test_a_way_of_the_kv_cache_stands_as_published() -> None:
    for *case, standing in TABLE:
        path = _path(*case)
        assert (path.transport, path.standing) == (case[0], standing), case


def test_whatever_stands_there_says_why_and_from_where_and_what_would_change_it() -> None:
    for case in product(KV_TRANSPORTS, EVERY, (TRTLLM, VLLM), ((1, 2, 1), (1, 3, 1)), (False, True)):
        path = _path(*case)
        assert all((len(path.reason) > 20, path.lifted_by, path.source.text)), case
        assert path.source.date[:4].isdigit(), case
        impossible = path.standing is IMPOSSIBLE
        assert (path.gbit_per_second is None) == impossible, case
        assert not (impossible and (path.same_clique or path.different_nodes or path.one_pod_per_node)), case


@pytest.mark.parametrize(
    ("transport", "name", "gbit"),
    [
        ("mnnvl", GB200, 7200),
        ("rdma", B200, 400),
        ("rdma", GB200, 400),
        ("efa", B200, 400),
        ("efa", "p6-b300.48xlarge", 800),
        ("efa", GB200, 400),
        ("efa", "p5en.48xlarge", 400),
        ("efa", "p5e.48xlarge", 400),
        ("efa", "p5.48xlarge", 400),
        ("tcp", B200, 200),
        ("tcp", "p6-b300.48xlarge", 350),
        ("tcp", GB200, 100),
    ],
)
def test_the_line_rate_between_two_gpus_is_the_published_one(
    transport: KvTransportName, name: str, gbit: float
) -> None:
    assert _path(transport, name).gbit_per_second == gbit


@pytest.mark.parametrize(("transport", "gbit"), [("tcp", None), ("rdma", 400), ("efa", 400)])
def test_inside_one_machine_tcp_alone_passes_no_network_card(
    transport: KvTransportName, gbit: float | None
) -> None:
    path = _path(transport, B200, one_machine=True)
    assert path.standing is not IMPOSSIBLE
    assert path.gbit_per_second == gbit


@pytest.mark.parametrize(
    ("transport", "name", "demands"),
    [
        # same clique, different nodes, one pod on a node
        ("mnnvl", GB200, (True, False, True)),
        ("rdma", B200, (False, False, False)),
        ("efa", B200, (False, True, False)),
        ("efa", GB200, (False, True, True)),
        ("tcp", B200, (False, False, False)),
        ("tcp", GB200, (False, False, False)),
    ],
)
def test_a_way_demands_of_placement_what_breaks_otherwise(
    transport: KvTransportName, name: str, demands: tuple[bool, bool, bool]
) -> None:
    path = _path(transport, name)
    assert (path.same_clique, path.different_nodes, path.one_pod_per_node) == demands


@pytest.mark.parametrize(
    ("transport", "name", "words"),
    [
        ("mnnvl", GB200, "reported failing on AWS GB200"),
        ("mnnvl", B200, "p6-b200.48xlarge ends at the node"),
        ("efa", "p5.4xlarge", "GPUDirect RDMA"),
        ("efa", GB200, "fail silently"),
        ("tcp", B200, "98 s"),
    ],
)
def test_a_person_reads_the_evidence(transport: KvTransportName, name: str, words: str) -> None:
    assert words in _path(transport, name).reason
    assert "fall back to TCP" in _path("rdma", B200, rdma=False).reason
    assert "1.3.1" in _path("efa", GB200, runtime=(1, 2, 1)).lifted_by


def test_a_node_without_efa_interfaces_cannot_use_efa() -> None:
    node = INSTANCE_TYPES[B200]
    bare = dataclasses.replace(node, network=dataclasses.replace(node.network, interfaces=()))
    path = kv_path("efa", bare, efa=ENGINES[VLLM].efa, runtime=(1, 4, 2), rdma=False, one_machine=False)
    assert path.standing is IMPOSSIBLE
    assert "has no EFA interface" in path.reason


def _in_one_pod(transport: KvTransportName, name: str = B200) -> KvPath:
    return kv_path(
        transport,
        INSTANCE_TYPES[name],
        efa=ENGINES[TRTLLM].efa,
        runtime=(1, 2, 1),
        rdma=True,
        one_machine=False,
        one_pod=True,
    )


@pytest.mark.parametrize(("name", "gbit"), [(B200, 7200), (GB200, 7200), ("p5.48xlarge", 3600)])
def test_processes_of_one_pod_reach_each_other_at_the_rate_of_their_nvlink(name: str, gbit: float) -> None:
    path = _in_one_pod("nvlink", name)
    assert (path.standing, path.gbit_per_second, path.ends_at_pod) == (DOCUMENTED, gbit, True)


def test_tcp_inside_a_pod_passes_no_network_card_and_says_what_is_faster() -> None:
    path = _in_one_pod("tcp")
    assert (path.standing, path.gbit_per_second) == (UNPROVEN, None)
    assert path.lifted_by.startswith("nvlink")
