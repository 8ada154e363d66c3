"""What is read of workloads as others write them."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from engines.command_line import UNKNOWN_WORD, Word
from resource_graph import Resource, ResourceGraph
from rules.reading.engines.settings import read_settings
from rules.reading.pods.containers import read_environment, read_image
from rules.reading.pods.pods import PodTemplate, read_pods, readable
from rules.reading.pods.workers import Worker, read_workers
from rules.reading.releases import read_platforms
from rules.reading.shapes import Undecided
from tests.rules.judging import in_file

SERVE = ["trtllm-serve", "openai/gpt-oss-120b"]


def _graph(folder: Path, *documents: dict[str, Any]) -> ResourceGraph:
    return in_file(folder, yaml.safe_dump_all(documents))


def _object(kind: str, name: str = "made", **fields: Any) -> dict[str, Any]:
    version = {"ConfigMap": "v1", "Secret": "v1", "Pod": "v1"}.get(kind, "batch/v1")
    version = "apps/v1" if kind in {"Deployment", "DaemonSet"} else version
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "here"}, **fields}


def _pod(**container: Any) -> dict[str, Any]:
    return {"containers": [{"name": "main", "image": "python:3.12", **container}]}


def _template(graph: ResourceGraph) -> PodTemplate:
    [template] = readable(read_pods(graph))
    return template


def _worker(folder: Path, *words: str) -> tuple[ResourceGraph, Worker]:
    graph = _graph(folder, _object("Pod", spec=_pod(command=[*SERVE, *words])))
    [worker] = read_workers(graph)
    assert isinstance(worker, Worker)
    return graph, worker


def test_a_container_has_every_variable_of_its_sources_and_its_own_list_overrides_them(
    tmp_path: Path,
) -> None:
    sources = [
        {"configMapRef": {"name": "settings"}, "prefix": "DYN_"},
        {"secretRef": {"name": "tokens"}},
        {"configMapRef": {"name": "elsewhere"}},
    ]
    own = [{"name": "DYN_ROUTER_MODE", "value": "kv"}, {"name": "COPY", "value": "$(DYN_SYSTEM_PORT)"}]
    graph = _graph(
        tmp_path,
        _object("Pod", spec=_pod(envFrom=sources, env=own)),
        _object("ConfigMap", "settings", data={"SYSTEM_PORT": "9095", "ROUTER_MODE": "random"}),
        _object("Secret", "tokens", stringData={"HF_TOKEN": "secret"}),
    )
    template = _template(graph)
    assert read_environment(graph, template, template.main) == {
        "DYN_SYSTEM_PORT": Word("9095"),
        "DYN_ROUTER_MODE": Word("kv"),
        "HF_TOKEN": UNKNOWN_WORD,
        "COPY": Word("9095"),
    }


@pytest.mark.parametrize(
    ("words", "size"),
    [
        (("--tensor_parallel_size", "8", "--tp_size", "4"), 4),
        (("--tp_size", "4", "--tensor_parallel_size", "8"), 8),
        (("--tp_size=4",), 4),
    ],
)
def test_of_two_names_of_an_option_the_last_on_the_line_acts(
    tmp_path: Path, words: tuple[str, ...], size: int
) -> None:
    settings = read_settings(*_worker(tmp_path, *words))
    assert settings.count("tensor_parallel_size", default=1).value == size


def test_a_cron_job_runs_as_many_pods_at_once_as_its_jobs(tmp_path: Path) -> None:
    job = {"parallelism": 3, "template": {"spec": _pod()}}
    graph = _graph(tmp_path, _object("CronJob", spec={"schedule": "@daily", "jobTemplate": {"spec": job}}))
    assert _template(graph).replicas == 3


def test_a_packaged_chart_tells_its_version_by_the_name_of_its_file() -> None:
    inputs = {"chart": "charts/dynamo-platform-1.4.2.tgz"}
    release = Resource(urn="urn", type="kubernetes:helm.sh/v3:Release", name="platform", inputs=inputs)
    assert read_platforms(ResourceGraph([release])) == [("platform", "1.4.2")]


def test_nobody_knows_how_many_pods_a_daemon_set_has(tmp_path: Path) -> None:
    graph = _graph(tmp_path, _object("DaemonSet", spec={"template": {"spec": _pod()}}))
    with pytest.raises(Undecided, match="as many pods as there are nodes"):
        _ = _template(graph).replicas


@pytest.mark.parametrize(
    ("image", "to_be_filled_in"),
    [
        ("my-registry/worker:my-tag", True),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:my-tag", True),
        ("docker.io/your-name/worker:1.0", True),
        ("${IMAGE}", True),
        ("ghcr.io/my-company/vllm:latest", False),
        ("my-registry.example.com/vllm:1.0", False),
        ("ghcr.io/company/vllm:my-branch", False),
    ],
)
def test_an_image_of_somebody_s_own_is_no_placeholder(image: str, to_be_filled_in: bool) -> None:
    read = read_image({"image": image})
    assert read is not None
    assert read.is_placeholder == to_be_filled_in
