import pytest

from resource_graph import UNKNOWN, DuplicateResourceError, Resource, ResourceGraph, Value


def resource(
    name: str,
    *dependencies: str,
    parent: str | None = None,
    provider: str | None = None,
    custom: bool = True,
) -> Resource:
    return Resource(
        urn=name,
        type="test:index:Thing",
        name=name,
        inputs={},
        custom=custom,
        parent=parent,
        provider=provider,
        dependencies=frozenset(dependencies),
    )


def depends(graph: ResourceGraph, dependent: str, dependency: str) -> bool:
    one, other = graph.find(dependent), graph.find(dependency)
    assert one is not None
    assert other is not None
    return graph.depends_on(one, other)


def test_the_dependencies_of_every_parent_count() -> None:
    graph = ResourceGraph(
        [
            resource("operator"),
            resource("outer", "operator", custom=False),
            resource("inner", parent="outer", custom=False),
            resource("graph", parent="inner"),
        ]
    )
    assert depends(graph, "graph", "operator")
    assert not depends(graph, "operator", "graph")


def test_the_provider_counts() -> None:
    graph = ResourceGraph(
        [resource("cluster"), resource("provider", "cluster"), resource("a", provider="provider")]
    )
    assert depends(graph, "a", "cluster")


def test_a_long_chain_is_followed_to_its_end() -> None:
    length = 5_000
    graph = ResourceGraph(
        [resource("0"), *(resource(str(index), str(index - 1)) for index in range(1, length))]
    )
    assert depends(graph, str(length - 1), "0")
    assert [item.urn for item in graph.in_creation_order()] == [str(index) for index in range(length)]


def test_creation_order_does_not_depend_on_the_order_of_declaration() -> None:
    resources = [resource("c", "z"), resource("a"), resource("z"), resource("b", "a")]
    forwards = ResourceGraph(resources).in_creation_order()
    backwards = ResourceGraph(reversed(resources)).in_creation_order()
    assert [item.urn for item in forwards] == [item.urn for item in backwards] == ["a", "b", "z", "c"]


def test_resources_in_a_circle_or_with_an_edge_to_nowhere_are_kept() -> None:
    graph = ResourceGraph([resource("a", "b"), resource("b", "a"), resource("c", "elsewhere")])
    assert sorted(item.urn for item in graph.in_creation_order()) == ["a", "b", "c"]
    assert depends(graph, "a", "b")


def test_two_resources_with_one_urn_are_refused() -> None:
    with pytest.raises(DuplicateResourceError, match="twin"):
        ResourceGraph([resource("twin"), resource("twin")])


def test_objects_are_found_by_name_in_their_namespace_or_in_any_where_none_is_known() -> None:
    def config_map(urn: str, namespace: Value) -> Resource:
        metadata: dict[str, Value] = {"name": "config", "namespace": namespace}
        inputs: dict[str, Value] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
        return Resource(urn=urn, type="t", name=urn, inputs=inputs)

    graph = ResourceGraph(
        [config_map("1", "a"), config_map("2", "b"), config_map("3", None), config_map("4", UNKNOWN)]
    )

    def names(namespace: Value) -> list[str]:
        return [item.urn for item in graph.kubernetes_objects_named("ConfigMap", "config", namespace)]

    assert names("a") == ["1", "3", "4"]
    assert names(None) == names(UNKNOWN) == ["1", "2", "3", "4"]
    assert graph.kubernetes_objects_named("ConfigMap", "other", None) == ()


def test_an_unknown_value_has_no_truth_value() -> None:
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(UNKNOWN)
