"""The simulated cluster as a whole: control plane, nodes, storage classes, charts, stand-ins."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

from lab import control_plane, plugins, processes
from lab.charts import package_charts
from lab.custom_resources import cluster_definitions
from lab.directory import REPOSITORY, LabDirectory
from lab.dra_driver.slices import LABEL_CLIQUE, slice_name
from lab.kubelet.ports import demand_ports
from lab.tool import run
from lab.toolchain.build import build_missing, cache_directory, executables
from lab.toolchain.pulled import outside_variables
from lab.toolchain.runtime import RUNTIME

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_FIXTURES = REPOSITORY / "lab" / "fixtures"
_CLUSTER_OBJECTS = ("nodes.yaml", "storage_classes.yaml", "device_classes.yaml")
_FIRST_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
_NAMESPACE_DEFAULTS = ("serviceaccount/default", "configmap/kube-root-ca.crt")


def prepare(lab: LabDirectory, say: Callable[[str], None]) -> None:
    """Builds the tools and fills the lab's folders: all that pulumi needs, but no cluster yet."""
    cache = cache_directory()
    build_missing(cache, say)
    lab.create()
    plugins.install(lab, executables(cache))
    package_charts(lab.charts)


def up(
    lab: LabDirectory, say: Callable[[str], None], *, furnished: bool = True, serving: bool = False
) -> None:
    """Makes the cluster run, whatever state it was left in; run again, it changes nothing.

    Without `furnished` it is as bare as a new EKS cluster: no nodes, no classes, no custom resources. With
    `serving` real processes run behind the pods whose programs are here (lab/kubelet).
    """
    python = _runtime(lab, say) if serving else None
    prepare(lab, say)
    processes.start(lab, processes.FORK_SERVER, wait=False)
    done = control_plane.start(lab, kubectl_access=serving)
    if done != "running":
        say(f"control plane {done}")
    if done == "created" and any(lab.backend.iterdir()):
        # State that describes a cluster which is gone would make the next `up` update what is not there.
        say("the stack state of an earlier cluster is discarded")
        shutil.rmtree(lab.backend)
        lab.backend.mkdir()
    if furnished:
        _furnish(lab)
    # Made by the controllers in their first seconds; without the account no pod is admitted.
    for namespace in _FIRST_NAMESPACES:
        for name in _NAMESPACE_DEFAULTS:
            # One at a time: asked for two that are both missing, kubectl does not wait but fails.
            run(lab, "kubectl", "wait", "--for=create", "-n", namespace, name, "--timeout=60s")
    for stand_in in processes.STAND_INS:
        if processes.start(lab, stand_in):
            say(f"{stand_in.name} (stand-in) started")
    if python is not None:
        _start_kubelet(lab, python, say)
    for node in _nodes_on_an_nvlink_fabric(lab):
        # Until the slice is there a claim cannot be allocated, and the cluster is not what it will be.
        run(lab, "kubectl", "wait", "--for=create", f"resourceslice/{slice_name(node)}", "--timeout=60s")


def down(lab: LabDirectory) -> None:
    """Ends every process of the lab and deletes the cluster. Fine when there is none."""
    processes.end(lab)
    (lab.cloud / "endpoint").unlink(missing_ok=True)
    control_plane.stop_and_delete(lab)


def _runtime(lab: LabDirectory, say: Callable[[str], None]) -> Path:
    """Return the Python of the Dynamo runtime, on a machine whose ports the pods can have."""
    if processes.find(lab, processes.KUBELET) is None:
        demand_ports()
    return RUNTIME.install_missing(cache_directory(), say)


def _start_kubelet(lab: LabDirectory, runtime: Path, say: Callable[[str], None]) -> None:
    run(lab, "kubectl", "apply", "--server-side", "-f", str(_FIXTURES / "served_pods.yaml"))
    arguments = ("--runtime-python", str(runtime))
    kubelet = replace(processes.KUBELET, arguments=arguments, variables=outside_variables(os.environ))
    if processes.start(lab, kubelet):
        say(f"{kubelet.name} (stand-in) started")


def _furnish(lab: LabDirectory) -> None:
    definitions = lab.root / "definitions.json"
    definitions.write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": cluster_definitions()}), encoding="utf-8"
    )
    files = [definitions, *(_FIXTURES / name for name in _CLUSTER_OBJECTS)]
    named = [argument for file in files for argument in ("-f", str(file))]
    run(lab, "kubectl", "apply", "--server-side", "--force-conflicts", *named)
    run(lab, "kubectl", "wait", "--for=condition=Established", "-f", str(definitions), "--timeout=60s")
    run(lab, "kubectl", "wait", "--for=condition=Ready", "node", "--all", "--timeout=60s")


def _nodes_on_an_nvlink_fabric(lab: LabDirectory) -> list[str]:
    return run(
        lab, "kubectl", "get", "nodes", "-l", LABEL_CLIQUE, "-o", "jsonpath={.items[*].metadata.name}"
    ).stdout.split()
