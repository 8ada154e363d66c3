"""What `recipes import` leaves out, hands on or refuses, and a stack that serves what it has made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from cli.recipe_import.findings import Kind
from recipes.load import load_recipe
from stacks.errors import SettingsError
from tests.cli.command import squeezed, write_stack
from tests.cli.published_graphs import (
    AGGREGATED,
    DISAGGREGATED,
    graph_documents,
    imported_graph,
    published_graph,
    with_worker,
    written_graph,
)
from tests.support.dev_settings import existing_cluster_settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.command import Command


def test_a_field_that_nothing_here_knows_is_left_out_and_told(tmp_path: Path) -> None:
    probe = {"httpGet": {"path": "/live", "port": 9090}}
    documents = with_worker(graph_documents(AGGREGATED), livenessProbe=probe)
    documents[1]["spec"]["services"]["TrtllmWorker"]["extraPodSpec"]["hostIPC"] = True
    documents[1]["metadata"]["namespace"] = "dynamo-cloud"
    documents.append(
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "model-cache"}}
    )
    found = imported_graph(tmp_path, documents).findings
    told = {each.place: each.here for each in found if each.kind is Kind.LEFT_OUT}
    assert told == {
        "TrtllmWorker: hostIPC": "no part of a recipe",
        "TrtllmWorker: livenessProbe": "no part of a recipe",
        "metadata.namespace": "serving.namespace in a stack's settings",
        "PersistentVolumeClaim model-cache": "modelCache in a stack's settings",
    }


def test_an_engine_option_that_nothing_here_judges_is_handed_on(tmp_path: Path) -> None:
    documents = graph_documents(AGGREGATED)
    documents[0]["data"]["config.yaml"] += "guided_decoding_backend: xgrammar\n"
    recipe = imported_graph(tmp_path, documents).recipe
    file = yaml.safe_load(recipe.serving_engine.engine_file(recipe.engine_of("worker")))
    assert file["guided_decoding_backend"] == "xgrammar"


def test_a_flag_gives_way_to_the_file_as_it_does_in_the_engine(tmp_path: Path) -> None:
    documents = graph_documents(AGGREGATED)
    documents[0]["data"]["config.yaml"] += "max_batch_size: 640\n"
    engine = imported_graph(tmp_path, documents).recipe.engine_of("worker").model_dump(exclude_unset=True)
    assert engine["max_batch_size"] == 640
    assert engine["kv_cache_config"] == {"enable_block_reuse": False, "free_gpu_memory_fraction": 0.9}


def test_another_revision_of_the_model_stays(tmp_path: Path) -> None:
    pinned, other = load_recipe(AGGREGATED).model.revision, "0" * 40
    text = yaml.safe_dump_all(graph_documents(AGGREGATED)).replace(pinned, other)
    model = imported_graph(tmp_path, list(yaml.safe_load_all(text))).recipe.model
    assert (model.revision, model.repository) == (other, "openai/gpt-oss-120b")


REFUSED: list[tuple[str, Callable[[list[dict[str, Any]]], object], str]] = [
    ("no graph", lambda d: d.pop(1), "holds no DynamoGraphDeployment, only ConfigMap"),
    ("two graphs", lambda d: d.append(d[1]), "holds several graphs: gpt-oss-agg, gpt-oss-agg"),
    ("no frontend", lambda d: d[1]["spec"]["services"].pop("Frontend"), "needs a frontend and at least one"),
    (
        "another engine",
        lambda d: with_worker(d, args=["python3 -m dynamo.sglang --model-path openai/gpt-oss-120b"]),
        "TrtllmWorker = 'dynamo.sglang'\n  no recipe can have this engine\n  allowed: dynamo.trtllm",
    ),
    (
        "another model",
        lambda d: with_worker(d, args=["python3 -m dynamo.trtllm --model-path Qwen/Qwen3-32B"]),
        "TrtllmWorker = 'Qwen/Qwen3-32B'\n  nobody has described this model\n"
        "  allowed: openai/gpt-oss-120b, openai/gpt-oss-20b",
    ),
    ("no engine file", lambda d: d[0]["data"].clear(), "has no key config.yaml"),
    (
        "GPUs that the engine does not take",
        lambda d: d[1]["spec"]["services"]["TrtllmWorker"]["resources"].update(
            limits={"gpu": "2"}, requests={"gpu": "2"}
        ),
        "TrtllmWorker: 2 GPUs, but the engine's parallelism takes 4",
    ),
    (
        "a wrong option",
        lambda d: d[0].update(data={"config.yaml": "moe_config: {backend: CUTLAS}"}),
        "services[1].engine.moe_config.backend = 'CUTLAS'",
    ),
]


@pytest.mark.parametrize(
    ("change", "said"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_what_cannot_be_a_recipe_is_refused_and_nothing_is_written(
    command: Command, tmp_path: Path, change: Callable[[list[dict[str, Any]]], object], said: str
) -> None:
    documents = graph_documents(AGGREGATED)
    change(documents)
    file = written_graph(tmp_path, documents)
    answer = command("recipes", "import", file, "--folder", tmp_path / "ours", folder=tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert not (tmp_path / "ours").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [("a: [", "not YAML"), ("just words", "no Kubernetes object"), ("", "holds no document")],
)
def test_what_is_no_graph_is_refused_as_what_it_is(
    command: Command, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "deploy.yaml").write_text(text)
    answer = command("recipes", "import", "deploy.yaml", "--folder", "ours", folder=tmp_path)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_an_unreadable_graph_is_an_error_with_its_reason(tmp_path: Path) -> None:
    documents = with_worker(graph_documents(AGGREGATED), env=[])
    with pytest.raises(SettingsError, match="TrtllmWorker"):
        imported_graph(tmp_path, documents)


def test_an_imported_recipe_is_served_by_a_stack(command: Command, tmp_path: Path) -> None:
    file = written_graph(tmp_path, published_graph(DISAGGREGATED, "v1beta1"))
    arguments = ("recipes", "import", file, "--name", "theirs/split", "--folder", "ours")
    answer = command(*arguments, folder=tmp_path)
    assert (answer.code, answer.err) == (0, "")
    assert "services.decode.engine.num_postprocess_workers 4 absent D4" in squeezed(answer.out)
    assert "in a stack's file: serving.recipe: theirs/split and serving.recipeFolder: ours" in answer.out
    again = command(*arguments, folder=tmp_path)
    assert "exists, and nothing is overwritten" in again.err
    serving = {"recipe": "theirs/split", "recipeFolder": "ours", "pool": "b200", "kvTransport": "tcp"}
    pools = [{"name": "b200", "instanceType": "p6-b200.48xlarge", "nodes": 1}]
    write_stack(tmp_path, existing_cluster_settings(serving, pools), name="mine")
    rendered = command("render", "mine", folder=tmp_path)
    assert rendered.code == 0
    assert "num_postprocess_workers: 4" in rendered.out
    assert command("recipes", "show", "theirs/split", folder=tmp_path).code == 0
