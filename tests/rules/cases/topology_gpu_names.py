"""Names by which pods ask for GPUs, and engines that take the same ones."""

import json

from tests.rules.case import On
from tests.rules.edits import Edit, document, drop, put, variable
from tests.rules.names import GRAPH, SERVER, VLLM_MAIN

OFFERED, GPUS, ROLES = "gpu-resource-is-offered", "gpus-match-parallelism", "roles-complete"
_RESOURCES = f"{SERVER}.resources"
_NO_GPUS = tuple(
    drop("Deployment", f"{_RESOURCES}.{kind}[nvidia.com/gpu]") for kind in ("requests", "limits")
)
_CONNECTOR = json.dumps({"kv_connector": "NixlConnector", "kv_role": "kv_both"})


def _job(resource: str) -> str:
    return f"""
apiVersion: batch/v1
kind: Job
metadata: {{name: test, namespace: gpt-oss}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: test
          image: docker.io/library/debian:13.0
          command: [nvidia-smi]
          resources: {{limits: {{"{resource}": "1"}}}}
"""


def _engines(prefill: str, decode: str, share: str = "0.9") -> tuple[Edit, ...]:
    """A supervisor that starts a prefill and a decode engine, which see these GPUs."""
    words = ["/opt/supervisor.py"]
    for role, gpus in (("prefill", prefill), ("decode", decode)):
        script = (
            f"export CUDA_VISIBLE_DEVICES={gpus} && exec python3 -m dynamo.vllm --model openai/gpt-oss-120b "
            f"--disaggregation-mode {role} --gpu-memory-utilization {share} "
            f"--kv-transfer-config '{_CONNECTOR}'"
        )
        words += [role, "/bin/sh", "-c", script]
    return put(GRAPH, f"{VLLM_MAIN}.command", ["python3"]), put(GRAPH, f"{VLLM_MAIN}.args", words)


CASES = (
    *(
        On(OFFERED, "vllm-serve", "test").fails(
            f"a Job that asks for {name}",
            f"asks for {name}, which no node offers: the pod stays Pending; GPUs are nvidia.com/gpu",
            document(_job(name)),
        )
        for name in ("nvidia.com/gpus", "gpu")
    ),
    *(
        On(OFFERED, "vllm-serve").passes(f"a Job that asks for {name}", document(_job(name)))
        for name in ("nvidia.com/gpu", "nvidia.com/mig-1g.10gb")
    ),
    On(GPUS, "vllm-serve", "engine").fails(
        "GPUs under another name",
        "asks for 0 GPUs, but its engine uses 4",
        _NO_GPUS,
        put("Deployment", f"{_RESOURCES}.limits[nvidia.com/gpus]", "4"),
    ),
    On(GPUS, "vllm-serve", "engine").advises(
        "resources that are left to an overlay",
        "has no resources, so no GPU but by an overlay: its engine uses 4: ",
        drop("Deployment", _RESOURCES),
    ),
    On(GPUS, "vllm-serve", "engine").is_undecided(
        "accelerators of another maker",
        "asks for no GPU by number; its google.com/tpu may bring some",
        _NO_GPUS,
        put("Deployment", f"{_RESOURCES}.limits[google.com/tpu]", "4"),
    ),
    On(GPUS, "vllm-serve", "engine").is_undecided(
        "all GPUs of a node whose default runtime is NVIDIA's",
        "asks for no GPU by number; its NVIDIA_VISIBLE_DEVICES may bring some",
        _NO_GPUS,
        variable("Deployment", f"{SERVER}.env", "NVIDIA_VISIBLE_DEVICES", "all"),
    ),
    On(GPUS, "vllm-serve", "engine").is_undecided(
        "an image for machines without GPUs",
        "asks for no GPU by number; its image docker.io/vllm/vllm-openai-cpu:v0.20.1 may bring some",
        _NO_GPUS,
        put("Deployment", f"{SERVER}.image", "docker.io/vllm/vllm-openai-cpu:v0.20.1"),
    ),
    On(GPUS, "vllm-agg", "VllmWorker").is_undecided(
        "two engines that share a GPU", "starts 2 engines in one container", _engines("0", "0", share="0.45")
    ),
    On(ROLES, "vllm-agg").passes("both roles on the same GPUs", _engines("0,1", "0,1")),
)
