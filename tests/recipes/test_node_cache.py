"""A cache that is on some nodes alone: who goes there, what fills it, and who waits for it."""

import subprocess
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from recipes.benchmark_job import benchmark_job
from recipes.graph_manifest import graph_spec
from recipes.load import load_recipe
from recipes.model_download import CacheSource, HuggingFaceDownload, S3Copy
from recipes.node_cache import node_cache_spec
from recipes.placed import PlacedRecipe
from tests.support.graph_pods import pods_of
from tests.support.placed_recipes import DISAGGREGATED, EACH_NODE, ONE_NODE, placed_recipe

RECIPE = load_recipe(DISAGGREGATED)
MARKER = f"/opt/models/.complete/{RECIPE.model.revision}"
TOKEN = HuggingFaceDownload("hf-token-secret")


def _pods(placed: PlacedRecipe) -> dict[str, Any]:
    return pods_of(graph_spec(placed))


def _daemon_pod(source: CacheSource = TOKEN) -> dict[str, Any]:
    placed = placed_recipe(cache_nodes=EACH_NODE)
    return node_cache_spec(placed, "model-cache", source)["template"]["spec"]


def _selected(pod: dict[str, Any]) -> list[dict[str, str]]:
    required = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return [
        {item["key"]: item["values"][0] for item in term["matchExpressions"]}
        for term in required["nodeSelectorTerms"]
    ]


@pytest.mark.parametrize("nodes", [ONE_NODE, EACH_NODE])
def test_a_frontend_runs_where_the_cache_is(nodes: Any) -> None:
    frontend = _pods(placed_recipe(cache_nodes=nodes))["Frontend"]["spec"]
    assert _selected(frontend) == list(nodes.selectors)
    assert {item["key"] for item in frontend["tolerations"]} == {"nvidia.com/gpu"}


@pytest.mark.parametrize("nodes", [ONE_NODE, EACH_NODE])
def test_a_benchmark_finds_the_tokenizer_on_the_same_nodes(nodes: Any) -> None:
    job = benchmark_job(placed_recipe(cache_nodes=nodes))
    pod = job["spec"]["template"]["spec"]
    assert _selected(pod) == list(nodes.selectors)
    # Workers that take all GPUs of a GB200 tray leave 15 of its 144 CPUs.
    assert pod["containers"][0]["resources"]["requests"]["cpu"] == "4"
    [cache] = [volume for volume in pod["volumes"] if volume["name"] == "model-cache"]
    assert ("hostPath" in cache, "persistentVolumeClaim" in cache) == (
        nodes is EACH_NODE,
        nodes is ONE_NODE,
    )


def test_every_pod_waits_until_its_node_has_the_pinned_revision() -> None:
    for pod in _pods(placed_recipe(cache_nodes=EACH_NODE)).values():
        [wait] = pod["spec"]["initContainers"]
        assert MARKER in wait["command"][-1]
        assert wait["image"] == pod["spec"]["containers"][0]["image"]
        assert wait["securityContext"]["runAsNonRoot"] is True
        assert "hf-token-secret" not in str(pod)


def test_what_waits_ends_when_the_marker_is_there_and_not_before(tmp_path: Path) -> None:
    pod = _pods(placed_recipe(cache_nodes=EACH_NODE))["Frontend"]["spec"]
    shell, flag, script = pod["initContainers"][0]["command"]
    marker = tmp_path / "complete"
    command = [shell, flag, script.replace(MARKER, str(marker)).replace("sleep 2", "sleep 0.05")]
    with subprocess.Popen(command) as waiting:
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(0.3)
        marker.touch()
        assert waiting.wait(10) == 0


def test_only_what_hands_the_directory_over_is_root_and_credentials_are_references() -> None:
    pod = _daemon_pod()
    own, fill = pod["initContainers"]
    assert (own["securityContext"]["runAsUser"], own["securityContext"]["capabilities"]) == (
        0,
        {"drop": ["ALL"], "add": ["CHOWN"]},
    )
    assert own["command"] == ["chown", "1000:1000", "/opt/models"]
    assert (pod["securityContext"]["runAsUser"], pod["securityContext"]["runAsNonRoot"]) == (1000, True)
    assert "runAsUser" not in fill["securityContext"]
    assert "privileged" not in str(pod)
    [token] = [each for each in fill["env"] if each["name"] == "HF_TOKEN"]
    assert token["valueFrom"]["secretKeyRef"]["name"] == "hf-token-secret"
    assert _daemon_pod(source=S3Copy("s3://models/gpt", None, "reader"))["serviceAccountName"] == "reader"


@pytest.mark.parametrize("source", [TOKEN, S3Copy("s3://models/gpt")])
def test_a_node_that_has_the_revision_asks_nobody(tmp_path: Path, source: Any) -> None:
    fill = _daemon_pod(source=source)["initContainers"][1]
    done = tmp_path / "complete"
    done.touch()
    script = fill["args"][0].replace(MARKER, str(done))
    answer = subprocess.run([*fill["command"], script], env={}, timeout=10, check=False)
    assert answer.returncode == 0


def test_the_marker_is_written_last_and_only_after_everything_before_it(tmp_path: Path) -> None:
    fill = _daemon_pod()["initContainers"][1]
    done = tmp_path / "deep" / RECIPE.model.revision
    first, *_, check, make, mark = (
        fill["args"][0].replace(str(PurePosixPath(MARKER).parent), str(done.parent)).splitlines()
    )
    assert first.startswith("if [ -e ")
    assert check == 'python3 -c "$1"'
    for script, whole in (("raise SystemExit(1)", False), ("", True)):
        text = "\n".join([first, check, make, mark])
        answer = subprocess.run([*fill["command"], text, "fill", script], timeout=30, check=False)
        assert (answer.returncode == 0, done.exists()) == (whole, whole)
