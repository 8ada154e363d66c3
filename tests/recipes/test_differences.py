"""The sentence of a recipe's page that everything else is as published, held against what is rendered."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest

from engines.registry import ENGINES
from engines.transport_setup import KvProfile, kv_profile
from hardware import INSTANCE_TYPES, InstanceType, KvTransportName
from recipes.load import load_recipe
from recipes.model import Recipe
from tests.recipes.test_published_settings import DISAGGREGATED, WORKERS, published_rows, rendered
from tests.support.placed_recipes import ONE_POD

EVERY_RECIPE = pytest.mark.parametrize("name", WORKERS)

# Fields of a service that no row of the tables compares -> the correction that tells of them; "" a name.
FIELDS = {
    "name": "",
    "main.name": "",
    "podTemplate.metadata.annotations": "D3",
    "podTemplate.metadata.labels": "D31",
    "podTemplate.spec.affinity.nodeAffinity": "K4",
    "podTemplate.spec.affinity.podAntiAffinity": "K4",
    "podTemplate.spec.affinity.podAffinity": "D23",
    "podTemplate.spec.topologySpreadConstraints": "D23",
    "main.args": "D16",
    "main.securityContext": "D14",
    "main.volumeMounts": "D21",
    "podTemplate.spec.securityContext.fsGroup": "D24",
    "podTemplate.spec.securityContext.fsGroupChangePolicy": "D24",
    "podTemplate.spec.terminationGracePeriodSeconds": "D15",
    "podTemplate.spec.tolerations": "K9",
    "podTemplate.spec.volumes": "D21",
    "main.resources.limits": "K8",
    "main.resources.requests": "K8",
}
# Likewise of the documents beside them; "" published too, or said by the command that applies the file.
FIELDS_BESIDE = {
    "Namespace": {"apiVersion": "", "kind": "", "metadata.name": "", "metadata.labels": "D25"},
    "PersistentVolumeClaim": {
        "apiVersion": "",
        "kind": "",
        "metadata.namespace": "",
        "metadata.labels": "D31",
    },
    "graph": {"apiVersion": "D21", "kind": "", "metadata.namespace": "", "metadata.labels": "D31"},
    "download-env": {},
    "Job": {
        "apiVersion": "",
        "kind": "",
        "metadata.namespace": "",
        "metadata.labels": "D31",
        "spec.template.spec.containers.0.args": "K18",
        "spec.template.spec.containers.0.securityContext": "D2",
        "spec.template.spec.securityContext.fsGroup": "D24",
        "spec.template.spec.securityContext.fsGroupChangePolicy": "D24",
        "spec.template.spec.securityContext.runAsGroup": "D2",
        "spec.template.spec.securityContext.runAsNonRoot": "D2",
        "spec.template.spec.securityContext.seccompProfile": "D2",
    },
}
# Walked by their names: variables as `env` and `download-env`, services each by itself.
WALKED_BY_NAME = ("main.env", "spec.template.spec.containers.0.env", "spec.components")
# Documents of the serving stack -> the correction that tells of them; "" published too.
DOCUMENTS = {
    "Namespace": "",
    "PersistentVolumeClaim": "K15",
    "Job": "K18",
    "NetworkPolicy": "D25",
    "ConfigMap": "D25",
    "DynamoGraphDeployment": "D21",
}


def _leaves(value: Any, prefix: str = "") -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            written = key.replace(".", "·")
            yield from _leaves(inner, f"{prefix}.{written}" if prefix else written)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for index, inner in enumerate(value):
            yield from _leaves(inner, f"{prefix}.{index}")
    else:
        yield prefix


def _within(leaf: str, place: str) -> bool:
    return leaf == place or leaf.startswith(f"{place}.")


def _untold(name: str, document: str, fields: dict[str, str]) -> list[str]:
    """Leaves that no row compares, and no correction of the recipe tells of."""
    rows = [row.place for row in published_rows(name)]
    compared = [path for place, _, path in (each.partition(" ") for each in rows) if place == document]
    told = _ids(load_recipe(name)) | {""}
    known = [*WALKED_BY_NAME, *compared, *(place for place, each in fields.items() if each in told)]
    leaves = _leaves(rendered(name)[document])
    return [leaf for leaf in leaves if not any(_within(leaf, place) for place in known)]


def _ids(recipe: Recipe) -> set[str]:
    return {correction.id for correction in recipe.corrections}


@EVERY_RECIPE
def test_every_field_of_a_service_is_compared_or_told_of_by_a_correction(name: str) -> None:
    for service in ("Frontend", *WORKERS[name]):
        assert _untold(name, service, FIELDS) == [], service


@EVERY_RECIPE
@pytest.mark.parametrize("document", FIELDS_BESIDE)
def test_every_field_beside_the_services_is_compared_or_told_of_by_a_correction(
    name: str, document: str
) -> None:
    assert _untold(name, document, FIELDS_BESIDE[document]) == []


@EVERY_RECIPE
def test_every_document_beside_the_graph_is_published_or_told_of_by_a_correction(name: str) -> None:
    documents = [value for value in rendered(name).values() if isinstance(value, dict) and "kind" in value]
    assert {document["kind"] for document in documents} == set(DOCUMENTS)
    assert {each for each in DOCUMENTS.values() if each} <= _ids(load_recipe(name))
    assert rendered(name)["ConfigMap"]["immutable"] is True


def _profile(transport: KvTransportName, instance_type: InstanceType, *, roce: bool = False) -> KvProfile:
    words = ENGINES["tensorrt-llm"].transports
    return kv_profile(transport, words, instance_type=instance_type, runtime_version="1.2.1", roce=roce)


@pytest.mark.parametrize("transport", [each for each in get_args(KvTransportName) if each != "nvlink"])
def test_every_variable_that_a_transport_brings_stands_in_the_table(transport: KvTransportName) -> None:
    [told] = [each.ours for each in load_recipe(DISAGGREGATED).corrections if each.id == "D26"]
    for instance_type in (INSTANCE_TYPES["p6-b200.48xlarge"], INSTANCE_TYPES["p6e-gb200.36xlarge"]):
        for roce in (False, True):
            profile = _profile(transport, instance_type, roce=roce)
            for variable, value in profile.environment.items():
                assert f"{variable}={value}" in told.replace("\n", " "), variable
            for capability in profile.privileges.capabilities if profile.privileges else ():
                assert capability in told


def test_every_privilege_that_nvlink_brings_stands_in_the_table_of_the_recipe_that_it_is_for() -> None:
    instance_type = INSTANCE_TYPES["p6-b200.48xlarge"]
    profile = _profile("nvlink", instance_type)
    assert profile.privileges is not None
    [told] = [each.ours for each in load_recipe(ONE_POD).corrections if each.id == "S10"]
    assert all(capability in told for capability in profile.privileges.capabilities)
    assert ("root" in told) is profile.privileges.run_as_root
    assert profile.environment == {}
