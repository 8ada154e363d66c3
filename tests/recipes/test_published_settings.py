"""What the publisher wrote, by hand from its page and its recipe files, against what dev renders."""

from __future__ import annotations

from functools import cache, reduce
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.project import recorded_stack
from cli.rendered import render_graph
from recipes.document import document_path, recipe_document
from recipes.load import load_recipe, recipe_names
from tests.support.dev_settings import resolved

PREFILL, DECODE = "TrtllmPrefillWorker", "TrtllmDecodeWorker"

TABLE = Path(__file__).with_name("published_settings.yaml")
PUBLISHED: list[list[Any]] = yaml.safe_load(TABLE.read_text(encoding="utf-8"))

# What was corrected: correction, ours, where it is rendered.
SNAPSHOT = "/opt/models/hub/models--openai--gpt-oss-120b/snapshots/b5c939de8f754692c1647ca79fbf85e8c1e70f8a"
CORRECTED: list[tuple[str, Any, str]] = [
    *[
        row
        for worker, role in ((PREFILL, "prefill"), (DECODE, "decode"))
        for row in [
            ("K3", "worker", f"{worker} componentType"),
            ("K3", role, f"{worker} subComponentType"),
            ("K17", SNAPSHOT, f"{worker} env.MODEL_PATH"),
            ("K19", "1", f"{worker} env.HF_HUB_OFFLINE"),
            ("K20", "/opt/models/tiktoken", f"{worker} env.TIKTOKEN_ENCODINGS_BASE"),
            ("K9", "NVIDIA-B200", f"{worker} extraPodSpec.nodeSelector.nvidia·com/gpu·product"),
            ("K9", "amd64", f"{worker} extraPodSpec.nodeSelector.kubernetes·io/arch"),
            ("K9", "nvidia.com/gpu", f"{worker} extraPodSpec.tolerations.0.key"),
        ]
    ],
    ("K15", "shared-files", "PersistentVolumeClaim spec.storageClassName"),
    ("K16", "/opt/models", "Frontend volumeMounts.0.mountPoint"),
    ("K18", "8Gi", "Job spec.template.spec.containers.0.resources.limits.memory"),
    ("K19", "model-cache", "Frontend volumeMounts.0.name"),
    ("K19", "1", "Frontend env.HF_HUB_OFFLINE"),
    ("K19", "/opt/models", "Frontend env.HF_HOME"),
    ("K20", "/opt/models/tiktoken", "Frontend env.TIKTOKEN_ENCODINGS_BASE"),
    ("D2", 1000, "Job spec.template.spec.securityContext.runAsUser"),
    ("D3", "Recreate", f"{DECODE} annotations.nvidia·com/deployment-strategy"),
]


@cache
def _rendered() -> dict[str, Any]:
    """The rendered documents by kind, services of the graph by name, engine files by file name."""
    text = "---\n".join(document.text for document in render_graph(recorded_stack(resolved())))
    documents = {document["kind"]: document for document in yaml.safe_load_all(text) if document}
    graph = documents["DynamoGraphDeployment"]
    services = {
        name: service | {"env": _variables(service["extraPodSpec"]["mainContainer"])}
        for name, service in graph["spec"]["services"].items()
    }
    files = {name: yaml.safe_load(content) for name, content in documents["ConfigMap"]["data"].items()}
    return documents | {"graph": graph} | services | files


def _variables(container: dict[str, Any]) -> dict[str, str]:
    return {variable["name"]: variable["value"] for variable in container["env"]}


def _at(place: str) -> Any:
    document, _, path = place.partition(" ")
    # A dot that belongs to a key is written as a middle dot.
    keys = [key.replace("·", ".") for key in path.split(".")]
    return reduce(
        lambda value, key: value[int(key) if isinstance(value, list) else key], keys, _rendered()[document]
    )


@pytest.mark.parametrize(
    ("setting", "published", "source", "words", "place"),
    PUBLISHED,
    ids=[f"{row[0]}: {row[4]}" for row in PUBLISHED],
)
def test_a_published_value_is_what_dev_renders(
    setting: str, published: object, source: str, words: str, place: str
) -> None:
    assert _at(place) == published, f"{setting}: {source} says {words!r}"


@pytest.mark.parametrize(
    ("correction", "ours", "place"), CORRECTED, ids=[f"{row[0]}: {row[2]}" for row in CORRECTED]
)
def test_a_corrected_value_is_what_dev_renders(correction: str, ours: object, place: str) -> None:
    assert _at(place) == ours
    recipe = resolved().serving.placed.recipe
    assert correction in {entry.id for entry in recipe.corrections}


def test_nothing_stands_in_an_engine_file_that_was_not_published() -> None:
    for role in ("prefill", "decode"):
        compared = {
            row[4].split(" ")[1].split(".")[0] for row in PUBLISHED if row[4].startswith(f"{role}.yaml ")
        }
        assert set(_rendered()[f"{role}.yaml"]) == compared


@pytest.mark.parametrize(("worker", "role"), [(PREFILL, "prefill"), (DECODE, "decode")])
def test_the_command_of_a_worker_is_the_published_one_with_the_parsers(worker: str, role: str) -> None:
    [command] = _at(f"{worker} extraPodSpec.mainContainer.args")
    assert command == (
        'python3 -m dynamo.trtllm --model-path "${MODEL_PATH}" --served-model-name "openai/gpt-oss-120b" '
        f'--extra-engine-args "${{ENGINE_ARGS}}" --disaggregation-mode {role} '
        "--dyn-reasoning-parser gpt_oss --dyn-tool-call-parser harmony"
    )


def test_the_frontend_prefers_not_to_share_a_node_with_another_and_never_takes_a_gpu_node() -> None:
    affinity = _at("Frontend extraPodSpec.affinity")
    [term] = affinity["podAntiAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    assert term["podAffinityTerm"]["labelSelector"]["matchLabels"] == {
        "nvidia.com/dynamo-graph-deployment-name": "gpt-oss-disagg",
        "nvidia.com/dynamo-component-type": "frontend",
    }
    [node_term] = affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]
    assert node_term["matchExpressions"] == [
        {"key": "nvidia.com/gpu.present", "operator": "NotIn", "values": ["true"]}
    ]


def test_no_pod_of_the_graph_gets_the_token() -> None:
    assert "hf-token-secret" not in yaml.safe_dump(_rendered()["graph"])
    assert "HF_TOKEN" not in yaml.safe_dump(_rendered()["graph"])


def test_no_service_names_the_deprecated_namespace() -> None:
    assert "dynamoNamespace" not in yaml.safe_dump(_rendered()["graph"])


def test_the_workers_mount_the_config_map_whose_name_ends_in_its_content() -> None:
    name = _at("ConfigMap metadata.name")
    assert name.startswith("gpt-oss-disagg-engine-")
    for worker in (PREFILL, DECODE):
        assert _at(f"{worker} extraPodSpec.volumes.0.configMap.name") == name


@pytest.mark.parametrize("name", recipe_names())
def test_the_page_of_a_recipe_says_what_the_catalogue_says(name: str) -> None:
    recipe = load_recipe(name)
    written = document_path(recipe).read_text(encoding="utf-8")
    assert written == recipe_document(recipe), "bring it up to date with `python -m recipes.document`"


def test_every_correction_is_explained_on_the_page_with_a_source() -> None:
    recipe = resolved().serving.placed.recipe
    page = document_path(recipe).read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith(("| K", "| D"))]
    assert [row.split("|")[1].strip() for row in rows] == [correction.id for correction in recipe.corrections]
    for row in rows:
        assert all(cell.strip() for cell in row.split("|")[1:-1]), row
