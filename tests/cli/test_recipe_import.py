"""A published graph becomes a recipe, and everything in it that is not simply a value is told."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from cli.recipe_import.findings import Kind
from cli.render import render_graph
from recipes.fitting import fitted
from recipes.load import load_recipe
from tests.cli.published_graphs import (
    AGGREGATED,
    DISAGGREGATED,
    VLLM,
    graph_documents,
    imported_graph,
    published_graph,
    with_worker,
)
from tests.support.dev_settings import existing_cluster_settings, resolved
from tests.support.recordings import recorded_stack

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from recipes.model import Recipe

VERSIONS = ("v1alpha1", "v1beta1")
EVERY_VERSION = pytest.mark.parametrize("version", VERSIONS)
EVERY_GRAPH = pytest.mark.parametrize(
    ("name", "version"), [*product((AGGREGATED, DISAGGREGATED), VERSIONS), (VLLM, "v1beta1")]
)
# What a graph does not say, and what says where a recipe comes from.
NOT_OF_A_GRAPH = ("name", "title", "sources", "validatedOn", "evidence", "corrections")


def _values(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Every value of a recipe by its path, a service by its role."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _values(inner, f"{path}.{key}".removeprefix("."))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for index, inner in enumerate(value):
            yield from _values(inner, f"{path}.{inner.get('role', index)}")
    else:
        yield path, value


@cache
def _of_catalogue(name: str) -> Mapping[str, object]:
    recipe = load_recipe(name)
    # What is read here was written for Blackwell, and says nothing of other GPUs.
    fit = fitted(recipe, "blackwell") if recipe.variants else recipe
    return {path: value for path, value in _comparable(fit).items() if not path.startswith("variants")}


def _comparable(recipe: Recipe) -> dict[str, object]:
    document = recipe.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return dict(_values({key: value for key, value in document.items() if key not in NOT_OF_A_GRAPH}))


def _within(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}.")


def _differences(recipe: Recipe, name: str) -> set[str]:
    ours, theirs = _comparable(recipe), _of_catalogue(name)
    # A graph says of one line alone that it stands there.
    paths = {*ours, *theirs} - {"runtime.platformLines"}
    return {path for path in paths if ours.get(path) != theirs.get(path)}


def _places(name: str) -> set[str]:
    recipe = load_recipe(name)
    of_other_gpus = {
        f"services.{role}.engine.{option}"
        for variant in recipe.variants
        for role, options in variant.engine.items()
        for option in options
    }
    return {place for correction in recipe.corrections for place in correction.at} - of_other_gpus


@EVERY_GRAPH
def test_a_published_recipe_differs_from_ours_in_nothing_but_recorded_corrections(
    tmp_path: Path, name: str, version: str
) -> None:
    imported = imported_graph(tmp_path, published_graph(name, version))
    differences, places = _differences(imported.recipe, name), _places(name)
    assert {path for path in differences if not any(_within(path, place) for place in places)} == set()
    assert {place for place in places if not any(_within(path, place) for path in differences)} == set()
    assert {each.place for each in imported.findings if each.kind is Kind.KEPT} == differences


@EVERY_GRAPH
def test_what_is_rendered_otherwise_is_recorded_with_what_was_published(
    tmp_path: Path, name: str, version: str
) -> None:
    imported = imported_graph(tmp_path, published_graph(name, version))
    ours = {(each.id, each.setting): each for each in load_recipe(name).corrections}
    assert imported.recipe.corrections
    for found in imported.recipe.corrections:
        known = ours[found.id, found.setting]
        assert (found.ours, found.why, found.source) == (known.ours, known.why, known.source)
    [token] = [each for each in imported.recipe.corrections if each.id == "K14"]
    assert "hf-token-secret" in token.published
    main_type = {each.id for each in imported.recipe.corrections} & {"K3"}
    assert bool(main_type) == (version == "v1alpha1")


@EVERY_GRAPH
def test_everything_of_a_published_recipe_is_understood(tmp_path: Path, name: str, version: str) -> None:
    imported = imported_graph(tmp_path, published_graph(name, version))
    left_out = [finding.place for finding in imported.findings if finding.kind is Kind.LEFT_OUT]
    # It needs the host's IPC namespace for more than one GPU alone (correction V7).
    assert left_out == (["agg: hostIPC"] if name == VLLM else [])


@pytest.mark.parametrize(
    ("name", "serving"),
    [
        (AGGREGATED, {}),
        (DISAGGREGATED, {"kvTransport": "tcp"}),
        ("gpt-oss-20b/trtllm-agg", {}),
        (VLLM, {}),
    ],
)
@EVERY_VERSION
def test_what_we_render_is_read_as_the_recipe_that_it_was_rendered_of(
    tmp_path: Path, name: str, serving: dict[str, str], version: str
) -> None:
    pools = [{"name": "b200", "instanceType": "p6-b200.48xlarge", "nodes": 1}]
    settings = existing_cluster_settings({"recipe": name, "pool": "b200", **serving}, pools)
    settings["platform"]["graphApi"] = version
    documents = render_graph(recorded_stack(resolved(settings)))
    text = "---\n".join(document.text for document in documents)
    kinds = {"DynamoGraphDeployment", "ConfigMap"}
    wanted = [each for each in yaml.safe_load_all(text) if each and each["kind"] in kinds]
    imported = imported_graph(tmp_path, wanted)
    assert _differences(imported.recipe, name) == set()
    assert [finding for finding in imported.findings if finding.kind is Kind.KEPT] == []


def test_a_recipe_with_kernels_of_other_gpus_is_for_those(tmp_path: Path) -> None:
    documents = graph_documents(VLLM)
    [worker] = [each for each in documents[1]["spec"]["components"] if each["type"] == "worker"]
    [container] = worker["podTemplate"]["spec"]["containers"]
    container["env"] = [each for each in container["env"] if "MXFP8" not in each["name"]]
    container["args"] += ["--moe-backend=flashinfer_cutlass", "--kv-transfer-config=$(KV_TRANSFER_CONFIG)"]
    imported = imported_graph(tmp_path, documents)
    engine: Any = imported.recipe.engine_of("worker")
    assert imported.recipe.quantization.architecture_families == ("hopper",)
    assert engine.kv_transfer_config.kv_connector == "SimpleCPUOffloadConnector"
    assumed = {each.place: each.here for each in imported.findings if each.kind is Kind.ASSUMED}
    assert assumed["quantization.architectureFamilies"].startswith("hopper: those of gpt-oss-120b/vllm-agg")
    kept = {each.place for each in imported.findings if each.kind is Kind.KEPT}
    assert "services.worker.engine.disable_hybrid_kv_cache_manager" in kept


def test_a_graph_is_read_for_the_one_line_that_its_image_is_of(tmp_path: Path) -> None:
    documents = with_worker(
        graph_documents(AGGREGATED), image="nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.4.2"
    )
    runtime = imported_graph(tmp_path, documents).recipe.runtime
    assert (runtime.platform_lines, runtime.default_line) == (("1.4",), "1.4")
    assert len(load_recipe(AGGREGATED).runtime.platform_lines) > 1
