from collections.abc import Callable

import pulumi
import pulumi_kubernetes as kubernetes
import pytest

from resource_graph import UNKNOWN, CustomTimeouts, DuplicateResourceError, Resource, ResourceGraph
from resource_graph.recorder import RecordingError, record
from tests.resource_graph.toy_program import PROJECT, STACK, program

PREFIX = f"urn:pulumi:{STACK}::{PROJECT}::"
PROVIDER = f"{PREFIX}pulumi:providers:kubernetes::cluster"
TOKEN = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "token", "namespace": "toys"},
    "stringData": {"TOKEN": "planted-token"},
}
REPORT = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "report"},
    "data": {"id": UNKNOWN, "known": "toys", "status": UNKNOWN},
}


@pytest.fixture(scope="module")
def graph() -> ResourceGraph:
    return record(program, project=PROJECT, stack=STACK)


def named(graph: ResourceGraph, name: str) -> Resource:
    found = [resource for resource in graph if resource.name == name]
    assert len(found) == 1, f"{len(found)} resources are named {name}"
    return found[0]


def record_here(toy: Callable[[], None]) -> ResourceGraph:
    return record(toy, project=PROJECT, stack=STACK)


@pytest.mark.parametrize(
    ("name", "attribute", "value"),
    [
        ("space", "inputs", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "toys"}}),
        ("space", "urn", f"{PREFIX}kubernetes:core/v1:Namespace::space"),
        # The types of all parents but the stack stand in it.
        (
            "crate-box-files",
            "urn",
            f"{PREFIX}toy:components:Crate$toy:components:Box$kubernetes:core/v1:ConfigMap::crate-box-files",
        ),
        ("report", "inputs", REPORT),
        ("token", "inputs", TOKEN),
        ("token", "secret_paths", {("stringData",)}),
        ("platform", "secret_paths", {("values", "operator", "key")}),
        ("platform", "custom_timeouts", CustomTimeouts(create=5400.0, delete=90.0)),
        ("platform", "protect", True),
        ("space", "protect", False),
        ("crate-box-files", "protect", True),
        ("crate-box-files", "retain_on_delete", True),
        ("space", "retain_on_delete", False),
        ("crate", "custom", False),
        ("space", "custom", True),
        ("space", "provider", PROVIDER),
        ("crate-box-files", "provider", PROVIDER),
    ],
)
def test_a_resource_is_recorded_as_the_engine_would_be_told_of_it(
    graph: ResourceGraph, name: str, attribute: str, value: object
) -> None:
    assert getattr(named(graph, name), attribute) == value


def test_a_whole_number_stays_one(graph: ResourceGraph) -> None:
    timeout = named(graph, "platform").inputs["timeout"]
    assert (timeout, type(timeout)) == (300, int)


def test_dependencies_come_from_options_and_from_outputs_that_are_read(graph: ResourceGraph) -> None:
    platform, space, crate = (named(graph, name) for name in ("platform", "space", "crate"))
    assert platform.dependencies == {space.urn}
    assert platform.property_dependencies == {"namespace": frozenset({space.urn})}
    assert crate.dependencies == {platform.urn}


def test_children_of_a_component_depend_on_what_the_component_waits_for(graph: ResourceGraph) -> None:
    files, platform = named(graph, "crate-box-files"), named(graph, "platform")
    assert files.dependencies == frozenset()
    assert graph.depends_on(files, platform)
    assert not graph.depends_on(platform, files)


def test_another_program_sees_nothing_of_the_one_before() -> None:
    before = record_here(program)
    graph = record_here(lambda: None)
    assert [resource.type for resource in graph] == ["pulumi:pulumi:Stack"]
    assert list(record_here(program)) == list(before)


def test_ambient_configuration_does_not_reach_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []
    pulumi.runtime.set_config("toy-project:colour", "red")
    record_here(lambda: seen.append(pulumi.Config().get("colour")))
    assert seen == [None]


def test_a_second_resource_with_the_same_urn_is_refused() -> None:
    def twice() -> None:
        for _ in range(2):
            kubernetes.core.v1.Namespace("space", metadata={"name": "toys"})

    with pytest.raises(DuplicateResourceError, match="Namespace::space"):
        record_here(twice)


def test_a_call_that_only_an_engine_can_answer_is_refused_by_name() -> None:
    def asks() -> None:
        pulumi.runtime.invoke("aws:index/getRegion:getRegion", {})

    with pytest.raises(RecordingError, match="aws:index/getRegion:getRegion"):
        record_here(asks)


def test_reading_an_existing_object_is_refused_by_name() -> None:
    def reads() -> None:
        kubernetes.core.v1.Namespace.get("existing", "default")

    with pytest.raises(RecordingError, match="kubernetes:core/v1:Namespace 'default'"):
        record_here(reads)


def test_a_reference_to_another_stack_is_recorded_and_what_that_one_exports_is_unknown() -> None:
    def joins() -> None:
        reference = pulumi.StackReference("network", "organization/other/prod")
        kubernetes.core.v1.ConfigMap(
            "settings",
            metadata={"name": "settings"},
            data={"vpc": reference.require_output("vpc").apply(str)},
        )

    graph = record_here(joins)
    reference, settings = named(graph, "network"), named(graph, "settings")
    assert reference.inputs == {"name": "organization/other/prod"}
    assert settings.inputs["data"] in (UNKNOWN, {"vpc": UNKNOWN})
    assert graph.depends_on(settings, reference)


def test_options_of_the_engine_that_decide_over_a_change_are_kept() -> None:
    def claims() -> None:
        options = pulumi.ResourceOptions(
            delete_before_replace=True, ignore_changes=["spec.size"], replace_on_changes=["spec"]
        )
        kubernetes.core.v1.ConfigMap("told", metadata={"name": "told"}, opts=options)
        kubernetes.core.v1.ConfigMap("plain", metadata={"name": "plain"})

    graph = record_here(claims)
    told, plain = named(graph, "told"), named(graph, "plain")
    assert (told.delete_before_replace, told.ignore_changes, told.replace_on_changes) == (
        True,
        ("spec.size",),
        ("spec",),
    )
    assert (plain.delete_before_replace, plain.ignore_changes, plain.replace_on_changes) == (None, (), ())
