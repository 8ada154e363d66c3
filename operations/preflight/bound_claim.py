"""A claim of the stack's storage class, made to see that it gets a volume, and deleted again."""

import json
import secrets

from operations.cluster_commands import ClusterCommands, last_line
from operations.preflight.answer import Answer, good, unknown, wrong
from stacks.plan.cache_plan import OwnVolume
from stacks.plan.stack_plan import StackPlan

_NAMESPACE = "default"
_SECONDS = 300


def bound_claim(stack: StackPlan, cluster: ClusterCommands) -> Answer:
    """Make a claim of 1 GiB, wait until it is bound, and delete it, whatever became of it."""
    name = stack.cache.class_name if isinstance(stack.cache, OwnVolume) else ""
    question = f"a claim of storage class {name or '(none)'} gets a volume"
    if not name:
        return unknown(question, "the model cache is of no storage class")
    claim = f"dynamo-stack-preflight-{secrets.token_hex(3)}"
    where = ("--namespace", _NAMESPACE)
    made = cluster.run("kubectl", "create", "--filename", "-", *where, text=_manifest(claim, name))
    if made.code != 0:
        return wrong(
            question, last_line(made.err), "modelCache.storageClassName, or the right to make claims"
        )
    try:
        condition = "--for=jsonpath={.status.phase}=Bound"
        waited = cluster.run("kubectl", "wait", condition, f"pvc/{claim}", *where, f"--timeout={_SECONDS}s")
        if waited.code == 0:
            return good(question, f"claim {claim} was bound, and is deleted")
        events = cluster.run("kubectl", "events", "--for", f"pvc/{claim}", *where)
        return wrong(question, last_line(events.out), "docs/runbook/cache-volume-unbound.md")
    finally:
        cluster.run("kubectl", "delete", "pvc", claim, *where, f"--timeout={_SECONDS}s")


def _manifest(claim: str, storage_class: str) -> str:
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": claim},
            "spec": {
                "accessModes": ["ReadWriteMany"],
                "storageClassName": storage_class,
                "resources": {"requests": {"storage": "1Gi"}},
            },
        }
    )
