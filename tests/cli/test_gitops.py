"""What `render` writes for those who apply it with something other than Pulumi."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.gitops import HelmStyle
from cli.render import render_graph
from resource_graph import Resource, ResourceGraph, Value
from resource_graph.urns import RELEASE_TYPE
from tests.cli.command import Command, objects, squeezed, write_stack
from tests.support.dev_settings import dev_settings

SUBSTITUTE = "kustomize.toolkit.fluxcd.io/substitute"


def text_of(inputs: dict[str, Value], helm: HelmStyle = "comment", **more: Any) -> str:
    graph = ResourceGraph([Resource(urn="u", type=more.pop("type", "t"), name="n", inputs=inputs, **more)])
    return "---\n".join(text for _, text in render_graph(graph, helm))


def config_map(**metadata: Value) -> dict[str, Value]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", **metadata}}


def release(**inputs: Value) -> dict[str, Value]:
    return {
        "name": "platform",
        "namespace": "system",
        "chart": "dynamo-platform",
        "version": "1.2.1",
        "timeout": 600,
        "repositoryOpts": {"repo": "https://charts.example.com"},
        "values": {"operator": {"replicas": 1}},
    } | inputs


@pytest.mark.parametrize("helm", ["comment", "argocd", "flux"])
def test_nothing_of_a_stack_is_left_to_flux_or_meant_for_pulumi(command: Command, helm: str) -> None:
    answer = command("render", "disagg-gb200-two-trays", "--helm", helm)
    found = objects(answer.out)
    assert found[-1]["kind"] == "DynamoGraphDeployment"
    for document in found:
        annotations = document["metadata"].get("annotations", {})
        assert not [key for key in annotations if key.startswith("pulumi.com/")]
        if SUBSTITUTE not in annotations:
            assert "${" not in yaml.safe_dump(document)


def test_annotations_of_pulumi_are_left_out_with_what_they_did(command: Command) -> None:
    shown = squeezed(command("render", "dev").out)
    assert "# left out: pulumi.com/waitFor: condition=Ready (Pulumi waits for it" in shown
    text = text_of(config_map(annotations={"pulumi.com/skipAwait": "true", "mine": "stays"}))
    assert objects(text)[0]["metadata"]["annotations"] == {"mine": "stays"}
    assert objects(text_of(config_map(annotations={"pulumi.com/x": "y"})))[0]["metadata"] == {"name": "m"}


@pytest.mark.parametrize(
    "value", ["${NAME}", "a ${NAME:-b}", "$${NAME}", {"deep": ["x", "${Y}"]}, {"${K}": "v"}]
)
def test_what_flux_would_substitute_is_kept_from_it(value: Value) -> None:
    text = text_of(config_map() | {"data": {"script": value}})
    (document,) = objects(text)
    assert document["metadata"]["annotations"] == {SUBSTITUTE: "disabled"}
    assert document["data"]["script"] == value
    assert "# has ${...} or $$, which Flux would replace" in text


@pytest.mark.parametrize("value", ["$NAME", "$(POD_NAME)", "100 $", "$1"])
def test_what_flux_leaves_alone_needs_no_annotation(value: str) -> None:
    assert "annotations" not in objects(text_of(config_map() | {"data": {"script": value}}))[0]["metadata"]


def test_a_release_becomes_an_application() -> None:
    (application,) = objects(text_of(release(), "argocd", type=RELEASE_TYPE))
    assert (application["apiVersion"], application["kind"]) == ("argoproj.io/v1alpha1", "Application")
    assert application["spec"]["source"] == {
        "repoURL": "https://charts.example.com",
        "chart": "dynamo-platform",
        "targetRevision": "1.2.1",
        "helm": {"releaseName": "platform", "valuesObject": {"operator": {"replicas": 1}}},
    }
    assert application["spec"]["destination"]["namespace"] == "system"


def test_a_release_becomes_a_repository_and_a_release_of_flux() -> None:
    repository, helm_release = objects(text_of(release(), "flux", type=RELEASE_TYPE))
    assert (repository["kind"], repository["spec"]["url"]) == ("HelmRepository", "https://charts.example.com")
    assert helm_release["apiVersion"] == "helm.toolkit.fluxcd.io/v2"
    spec = helm_release["spec"]
    named = {"kind": "HelmRepository", "name": repository["metadata"]["name"]}
    assert (spec["releaseName"], spec["timeout"], spec["values"], spec["chart"]["spec"]["sourceRef"]) == (
        "platform",
        "600s",
        {"operator": {"replicas": 1}},
        named,
    )
    assert repository["metadata"]["namespace"] == helm_release["metadata"]["namespace"] == "system"


def test_a_chart_in_a_container_registry_is_named_as_each_of_them_does() -> None:
    inputs = release(chart="oci://registry.example.com/charts/dynamo-platform", repositoryOpts=None)
    (application,) = objects(text_of(inputs, "argocd", type=RELEASE_TYPE))
    source = application["spec"]["source"]
    assert (source["repoURL"], source["chart"]) == ("registry.example.com/charts", "dynamo-platform")
    repository, _ = objects(text_of(inputs, "flux", type=RELEASE_TYPE))
    assert repository["spec"] == {"interval": "1h", "type": "oci", "url": "oci://registry.example.com/charts"}


@pytest.mark.parametrize("helm", ["argocd", "flux"])
def test_a_release_with_secrets_stays_a_comment_with_the_reason(helm: HelmStyle) -> None:
    secret_paths = frozenset({("values", "operator")})
    text = text_of(release(), helm, type=RELEASE_TYPE, secret_paths=secret_paths)
    assert objects(text) == []
    assert f"# Not written for {helm}: it holds secret values" in text


def test_a_stack_with_a_token_names_its_secret_and_three_ways_to_bring_it(
    command: Command, tmp_path: Path
) -> None:
    write_stack(tmp_path, dev_settings(), hfToken={"secure": "v1:planted-ciphertext"})
    out = command("render", "dev", folder=tmp_path).out
    assert "planted" not in out
    assert "# This Secret holds secret values, so it is not written: gpt-oss/hf-token-secret" in out
    assert (
        "kubectl create secret generic hf-token-secret --namespace gpt-oss --from-file=HF_TOKEN=FILE" in out
    )
    assert "ExternalSecret in gpt-oss with target.name hf-token-secret" in out
    assert "piped into kubeseal" in out
    assert "hf-token-secret" not in command("render", "dev").out


def test_the_benchmark_is_one_job_and_no_part_of_the_stack(command: Command) -> None:
    answer = command("render", "dev", "--benchmark")
    (job,) = objects(answer.out)
    assert (answer.code, job["kind"], job["metadata"]["namespace"]) == (0, "Job", "gpt-oss")
    assert "# The benchmark of gpt-oss-120b/trtllm-disagg for dev" in answer.out
    assert job["metadata"]["name"] not in command("render", "dev").out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--benchmark", "--to", "folder"), "has no place in a folder"),
        (("--helm", "helmfile"), "'helmfile' is not one of 'comment', 'argocd', 'flux'"),
    ],
)
def test_options_that_make_no_sense_exit_2_with_words(
    command: Command, arguments: tuple[str, ...], says: str
) -> None:
    answer = command("render", "dev", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert says in squeezed(answer.err.replace("│", " "))
