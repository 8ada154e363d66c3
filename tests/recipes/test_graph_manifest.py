"""What the pods of a graph are, whichever API version wrote them."""

import dataclasses
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from recipes.engine_files import engine_files
from recipes.graph_manifest import graph_spec
from recipes.placed import PlacedRecipe
from recipes.pod_placement import COMPONENT_TYPE_LABEL, GRAPH_NAME_LABEL
from tests.support.graph_pods import main_of, pods_of
from tests.support.placed_recipes import (
    AGGREGATED,
    B200,
    GB200,
    SURGE,
    over,
    placed_recipe,
    placement,
)

FRONTEND, PREFILL, DECODE = "Frontend", "TrtllmPrefillWorker", "TrtllmDecodeWorker"
REQUIRED, PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)


def _pods(placed: PlacedRecipe) -> dict[str, dict[str, Any]]:
    return pods_of(graph_spec(placed))


def _main(placed: PlacedRecipe, service: str) -> dict[str, Any]:
    return main_of(_pods(placed)[service])


def _affinity(placed: PlacedRecipe, service: str) -> dict[str, Any]:
    return _pods(placed)[service]["spec"].get("affinity", {})


def _selected_types(term: dict[str, Any], graph_name: str) -> list[str]:
    selector = term["labelSelector"]
    assert selector["matchLabels"][GRAPH_NAME_LABEL] == graph_name
    assert "namespaces" not in term
    if COMPONENT_TYPE_LABEL in selector["matchLabels"]:
        return [selector["matchLabels"][COMPONENT_TYPE_LABEL]]
    [types] = selector["matchExpressions"]
    assert (types["key"], types["operator"]) == (COMPONENT_TYPE_LABEL, "In")
    return types["values"]


def test_a_gb200_worker_lands_on_gb200_nodes_alone_and_accepts_their_taints() -> None:
    pod = _pods(over("mnnvl", GB200))[PREFILL]["spec"]
    assert pod["nodeSelector"] == {"nvidia.com/gpu.product": "NVIDIA-GB200", "kubernetes.io/arch": "arm64"}
    assert pod["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "kubernetes.io/arch", "operator": "Equal", "effect": "NoSchedule", "value": "arm64"},
    ]


def test_a_pod_asks_for_what_it_needs_and_a_worker_may_use_no_more() -> None:
    resources = _main(over("tcp"), DECODE)["resources"]
    assert resources["requests"] == {"nvidia.com/gpu": "4", "cpu": "22", "memory": "240Gi"}
    assert resources["limits"] == resources["requests"]
    # A frontend may use more processor time than it asks for, and takes no GPU.
    resources = _main(over("tcp"), FRONTEND)["resources"]
    assert resources == {"requests": {"cpu": "4", "memory": "16Gi"}, "limits": {"cpu": "8", "memory": "16Gi"}}


def test_network_devices_are_requested_under_their_full_names() -> None:
    resources = _main(over("efa"), PREFILL)["resources"]
    assert resources["requests"]["vpc.amazonaws.com/efa"] == "4"
    assert resources["limits"]["vpc.amazonaws.com/efa"] == "4"
    assert "vpc.amazonaws.com/efa" not in str(_main(over("efa"), FRONTEND))


def test_a_pool_without_room_recreates_its_workers_and_one_with_room_surges_by_one() -> None:
    assert _pods(over("tcp"))[DECODE]["annotations"] == {
        "nvidia.com/deployment-strategy": "Recreate",
        "nvidia.com/deployment-rolling-update-max-surge": "0",
        "nvidia.com/deployment-rolling-update-max-unavailable": "100%",
    }
    surging = placed_recipe(where=placement(rollout=SURGE))
    assert _pods(surging)[DECODE]["annotations"] == {
        "nvidia.com/deployment-strategy": "RollingUpdate",
        "nvidia.com/deployment-rolling-update-max-surge": "1",
        "nvidia.com/deployment-rolling-update-max-unavailable": "0",
    }


@pytest.mark.parametrize("service", [FRONTEND, PREFILL, DECODE])
def test_a_container_runs_as_the_images_user_without_any_privilege(service: str) -> None:
    pod = _pods(over("tcp"))[service]
    security = main_of(pod)["securityContext"]
    assert (security["runAsNonRoot"], security["runAsUser"]) == (True, 1000)
    assert security["allowPrivilegeEscalation"] is False
    assert security["capabilities"] == {"drop": ["ALL"]}
    # Any security context of the pod replaces the operator's, so the group has to be in it.
    assert pod["spec"]["securityContext"] == {"fsGroup": 1000, "fsGroupChangePolicy": "OnRootMismatch"}


def test_only_the_frontend_has_a_seccomp_profile_since_an_engine_needs_pidfd_getfd() -> None:
    pods = _pods(over("tcp"))
    assert main_of(pods[FRONTEND])["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert "seccompProfile" not in str(pods[DECODE])


def test_workers_of_one_clique_follow_each_other_and_the_first_may_go_anywhere() -> None:
    placed = over("mnnvl", GB200)
    for name, own in ((PREFILL, "prefill"), (DECODE, "decode")):
        [term] = _affinity(placed, name)["podAffinity"][REQUIRED]
        assert term["topologyKey"] == "nvidia.com/gpu.clique"
        # Kubernetes lets the first pod through only if the term selects the pod itself.
        assert own in _selected_types(term, placed.graph_name)
        assert _selected_types(term, placed.graph_name) == ["decode", "prefill"]
    assert "nvidia.com/gpu.clique" not in str(_pods(over("tcp", GB200)))


def test_prefill_and_decode_that_must_not_share_a_node_exclude_each_other_but_not_their_own_kind() -> None:
    placed = over("efa")
    for name, other in ((PREFILL, "decode"), (DECODE, "prefill")):
        [term] = _affinity(placed, name)["podAntiAffinity"][REQUIRED]
        assert term["topologyKey"] == "kubernetes.io/hostname"
        assert _selected_types(term, placed.graph_name) == [other]


def test_workers_over_efa_stay_in_one_availability_zone() -> None:
    placed = over("efa")
    for name in (PREFILL, DECODE):
        [term] = _affinity(placed, name)["podAffinity"][REQUIRED]
        assert term["topologyKey"] == "topology.kubernetes.io/zone"
        assert _selected_types(term, placed.graph_name) == ["decode", "prefill"]
    assert "topology.kubernetes.io/zone" not in str(_pods(over("tcp")))


def test_small_workers_fill_a_node_before_they_start_another() -> None:
    placed = over("tcp", GB200)
    [preference] = _affinity(placed, PREFILL)["podAffinity"][PREFERRED]
    term = preference["podAffinityTerm"]
    assert term["topologyKey"] == "kubernetes.io/hostname"
    assert _selected_types(term, placed.graph_name) == ["decode", "prefill"]
    # The scheduler's default constraints, which would spread them, hold for pods without any of their own.
    [constraint] = _pods(placed)[PREFILL]["spec"]["topologySpreadConstraints"]
    assert constraint["maxSkew"] >= 1000
    # Over EFA they may share a node with their own kind alone.
    [preference] = _affinity(over("efa"), PREFILL)["podAffinity"][PREFERRED]
    assert _selected_types(preference["podAffinityTerm"], "gpt-oss-disagg") == ["prefill"]


def test_workers_that_cannot_share_a_node_do_not_ask_to() -> None:
    # Four of the tray's four GPUs; and one channel of a tray, whatever GPUs are left.
    assert _affinity(over("tcp", GB200), DECODE) == {}
    assert PREFERRED not in str(_affinity(over("mnnvl", GB200), PREFILL))
    assert _affinity(placed_recipe(AGGREGATED, placement(GB200)), "TrtllmWorker") == {}


def test_a_second_graph_in_the_namespace_has_terms_and_files_of_its_own() -> None:
    second = dataclasses.replace(over("efa"), graph_name="second")
    assert engine_files(second)[0].startswith("second-engine-")
    [term] = _affinity(second, PREFILL)["podAntiAffinity"][REQUIRED]
    assert _selected_types(term, "second") == ["decode"]
    assert "gpt-oss-disagg'" not in str(_affinity(second, PREFILL))


@pytest.fixture
def engine_on_path(tmp_path: Path) -> dict[str, str]:
    """An environment in which `python3` says its process id, arguments and library path, and then waits."""
    python = tmp_path / "python3"
    python.write_text('#!/bin/sh\necho "$$ $LD_LIBRARY_PATH $*"\nexec sleep 60\n', encoding="utf-8")
    python.chmod(0o755)
    return {"PATH": f"{tmp_path}:{os.environ['PATH']}", "LD_LIBRARY_PATH": "/of/the/image"}


@pytest.mark.parametrize("transport", ["tcp", "efa"])
def test_the_engine_is_the_containers_first_process_and_gets_sigterm(
    transport: Any, engine_on_path: dict[str, str]
) -> None:
    container = _main(over(transport, B200), PREFILL)
    started = subprocess.Popen(
        [*container["command"], *container["args"]],
        env=engine_on_path | container["env"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert started.stdout is not None
    try:
        process, libraries, arguments = started.stdout.readline().split(" ", 2)
        assert int(process) == started.pid
        assert container["env"]["MODEL_PATH"] in arguments
        assert "--extra-engine-args /opt/dynamo/configs/prefill.yaml" in arguments
        expected = "/of/the/image"
        if transport == "efa":
            expected = "/opt/amazon/efa/lib:/opt/amazon/efa/lib64:/opt/aws-ofi-nccl/lib:/of/the/image"
        assert libraries == expected
        started.send_signal(signal.SIGTERM)
        assert started.wait(timeout=30) == -signal.SIGTERM
    finally:
        started.kill()
        started.wait()
        started.stdout.close()
