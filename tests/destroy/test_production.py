"""A stack for production: what holds data is protected, and stays."""

from typing import Any

import pytest

from tests.destroy.conftest import GRAPH, GRAPHS, NAMESPACE, up_with_quick_ends
from tests.serving_stacks.rehearsal import prepare
from tests.support.lab_stack import LabStack, inventory
from tests.support.runbook import commands, typed
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

# Kubernetes puts the first two into every namespace, and the last belongs to its claim.
BY_KUBERNETES = {"ConfigMap": "kube-root-ca.crt", "ServiceAccount": "default", "PersistentVolume": "pvc-"}
PROTECTED = ("platform-namespace", "serving-namespace", "model-cache-claim")


def _for_production(settings: dict[str, Any]) -> None:
    settings["lifecycle"] = "production"
    settings["platform"]["nats"] = {"kind": "own", "members": 1, "storageClassName": "shared-files"}


@pytest.fixture(scope="module")
def stack(own_lab: Sandbox, before: set[str], tmp_path_factory: pytest.TempPathFactory) -> LabStack:
    assert before
    found = prepare(own_lab, tmp_path_factory.mktemp("production"), "dev", _for_production)
    up_with_quick_ends(found)
    return found


def _retained(stack: LabStack) -> str:
    """The words under RETAINED on the screen of `explain`."""
    screen = stack.dynamo_stack("explain", stack.name, "--all").stdout
    return " ".join(screen.partition("\nRETAINED")[2].partition("\nSERVERS")[0].split())


def _is_by_kubernetes(item: str) -> bool:
    kind, _, place = item.partition(" ")
    return place.rpartition("/")[2].startswith(BY_KUBERNETES.get(kind, "\0"))


def test_a_destroy_is_refused_before_anything_goes_and_names_what_is_protected(stack: LabStack) -> None:
    objects = set(inventory(stack.lab))
    said = stack.failing("destroy", "--yes")
    assert any(name in said for name in PROTECTED), said
    assert "unprotect" in said
    assert set(inventory(stack.lab)) == objects


def test_a_destroy_without_the_protected_leaves_exactly_what_explain_lists(
    stack: LabStack, before: set[str]
) -> None:
    *_, without_protected = commands("destroy-hangs")
    typed(stack, without_protected)
    left = {item for item in set(inventory(stack.lab)) - before if not _is_by_kubernetes(item)}
    listed = _retained(stack)
    for item in left:
        kind, _, place = item.partition(" ")
        namespace, _, name = place.rpartition("/")
        assert kind in listed, item
        assert name.partition(".nvidia.com")[0] in listed, item
        assert namespace in listed, item
    kept = {item.partition(" ")[0] for item in left}
    certain = {"PersistentVolumeClaim", "Namespace", "Secret", "ServiceAccount", "RoleBinding"}
    assert kept == certain | (kept & {"CustomResourceDefinition"})
    stack.lab.kubectl("get", "lease", "dynamo.nvidia.com", "-n", "kube-system")
    for name in ("data-dynamo-nats-0", "model-cache", "webhook-server-cert", "planner-serviceaccount"):
        assert any(item.endswith(f"/{name}") for item in left), name


def test_the_next_preview_asks_a_webhook_that_is_gone_and_up_without_one_brings_it_back(
    stack: LabStack,
) -> None:
    said = stack.failing("preview")
    assert "conversion webhook" in said
    assert "not found" in said
    *_, without_preview = commands("operator-gone")
    typed(stack, without_preview)
    assert stack.lab.get(GRAPHS, GRAPH, "-n", NAMESPACE)["status"]["state"] == "successful"
    stack.pulumi("preview")
