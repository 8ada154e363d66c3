"""Stack dev from nothing to nothing, in the order in which a person lives through it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from operations.project import recorded_stack, resolved_stack
from resource_graph import Resource
from resource_graph.engine_state import state_graph
from resource_graph.input_text import read_inputs
from stacks.plan.resolve import resolve
from stacks.settings.load import load_stack
from tests.components.committed_urns import committed_urns
from tests.serving_stacks.pods import gpus_of, pods_of
from tests.support.lab_stack import STACK, LabStack, inventory

pytestmark = [pytest.mark.lab, pytest.mark.essential]

OWN_PROVIDER = f"urn:pulumi:{STACK}::dynamo-stack::pulumi:providers:pulumi::default"
NAMESPACE = "gpt-oss"
GRAPH = "gpt-oss-disagg"
GRAPHS = "dynamographdeployments.nvidia.com"
SYSTEM_NODES = {"system-0", "system-1", "system-2"}
NODE_OF = {"frontend": SYSTEM_NODES, "prefill": {"p6-b200-0"}, "decode": {"p6-b200-0"}}
GPUS_OF = {"frontend": 0, "prefill": 1, "decode": 4}


def comparable(resource: Resource) -> tuple[object, ...]:
    return (
        resource.type,
        resource.name,
        resource.custom,
        resource.parent,
        resource.provider,
        resource.dependencies,
        resource.property_dependencies,
        resource.protect,
        resource.retain_on_delete,
        resource.custom_timeouts,
        resource.secret_paths,
    )


def as_checked(resource: Resource) -> object:
    # What a plugin's own check changes in the inputs before they are kept: a provider gets its version and
    # the kubeconfig of the environment, a release gets every input that nobody set, as false or empty, and
    # loses the SDK's mark.
    if resource.type.startswith("pulumi:providers:"):
        return resource.inputs.get("clusterIdentifier")
    if resource.type == "kubernetes:helm.sh/v3:Release":
        return {key: value for key, value in _given(resource.inputs).items() if key != "compat"}
    return resource.inputs


def _given(inputs: Mapping[str, Any]) -> dict[str, Any]:
    repository = {key: value for key, value in (inputs.get("repositoryOpts") or {}).items() if value}
    return {key: value for key, value in inputs.items() if value} | {"repositoryOpts": repository}


@pytest.fixture(scope="module")
def deployed(stack: LabStack) -> LabStack:
    stack.up()
    return stack


def test_up_ends_with_a_graph_that_its_operator_calls_ready(deployed: LabStack) -> None:
    graph = deployed.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)
    assert graph["status"]["state"] == "successful"
    ready = next(entry for entry in graph["status"]["conditions"] if entry["type"] == "Ready")
    assert ready["status"] == "True"


@pytest.mark.parametrize("role", ["frontend", "prefill", "decode"])
def test_each_role_runs_simulated_on_the_node_it_was_meant_for(deployed: LabStack, role: str) -> None:
    [pod] = pods_of(deployed.lab, GRAPH, NAMESPACE)[role]
    assert pod["status"]["phase"] == "Running"
    assert pod["spec"]["nodeName"] in NODE_OF[role]
    assert gpus_of(pod) == GPUS_OF[role]


def test_the_cache_is_filled_before_the_graph_exists(deployed: LabStack) -> None:
    job = deployed.lab.get("job", "model-download", "-n", NAMESPACE)
    graph = deployed.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)
    assert job["status"]["completionTime"] <= graph["metadata"]["creationTimestamp"]


def test_the_engine_registers_the_urns_that_are_committed(deployed: LabStack) -> None:
    assert deployed.urns() == sorted(committed_urns(STACK))


def test_the_exported_state_is_the_graph_that_the_recorder_makes(
    deployed: LabStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "state.json"
    file.write_text(deployed.pulumi("stack", "export").stdout, encoding="utf-8")
    state = {resource.urn: resource for resource in state_graph(*read_inputs([file]))}
    monkeypatch.chdir(deployed.project)
    graph = {resource.urn: resource for resource in recorded_stack(resolved_stack(STACK))}
    # Of the guards that read what the run before exported.
    assert set(state) - set(graph) == {OWN_PROVIDER}
    assert set(graph) <= set(state)
    for urn, resource in graph.items():
        assert comparable(state[urn]) == comparable(resource), urn
        assert as_checked(state[urn]) == as_checked(resource), urn


def test_a_second_up_changes_nothing_in_the_state_and_nothing_in_the_cluster(deployed: LabStack) -> None:
    before = inventory(deployed.lab)
    deployed.up()
    assert deployed.changes() == {}
    assert inventory(deployed.lab) == before


def test_a_preview_after_up_expects_no_changes(deployed: LabStack) -> None:
    deployed.pulumi("preview", "--expect-no-changes", "--policy-pack", "policy")


def test_a_refresh_after_up_finds_no_drift(deployed: LabStack) -> None:
    deployed.pulumi("refresh", "--preview-only", "--expect-no-changes")


def test_destroy_leaves_exactly_what_explain_lists(
    deployed: LabStack, empty_cluster: dict[str, tuple[str, int | None]]
) -> None:
    settings = load_stack(STACK, deployed.project)
    retained = resolve(STACK, settings, "Pulumi.dev.yaml").retained
    deployed.pulumi("destroy", "--yes")
    # Leases are left out of an inventory: the control plane writes its own all the time.
    leases = [item for item in retained if item.kind == "Lease"]
    for lease in leases:
        deployed.lab.kubectl("get", "lease", lease.name, "-n", str(lease.namespace))
    listed = {f"{item.kind} {item.namespace or ''}/{item.name}" for item in retained if item not in leases}
    # Another file's stack may have left the same before this one came.
    left = set(inventory(deployed.lab)) - (set(empty_cluster) - listed)
    assert left == listed
    assert f"CustomResourceDefinition /{GRAPHS}" in left
