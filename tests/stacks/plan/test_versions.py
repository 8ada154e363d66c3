"""The releases and lines of the platform."""

import pytest

from stacks.plan.versions import PLATFORM_LINES, PLATFORM_RELEASES
from tests.support.dev_settings import dev_settings, problems_of


def test_every_line_has_one_release_whose_chart_is_of_it() -> None:
    assert [release.line for release in PLATFORM_RELEASES.values()] == list(PLATFORM_LINES)
    assert all(version == release.version for version, release in PLATFORM_RELEASES.items())


@pytest.mark.parametrize("name", PLATFORM_LINES)
def test_the_images_of_a_line_are_those_that_belong_to_its_operator(name: str) -> None:
    assert PLATFORM_LINES[name].runtime.name == name


@pytest.mark.parametrize("name", PLATFORM_LINES)
def test_a_line_stores_a_version_that_it_serves(name: str) -> None:
    line = PLATFORM_LINES[name]
    assert line.stored_graph_api.value in line.graph_apis.value


def test_the_storage_version_and_the_servers_that_come_along_change_between_lines() -> None:
    stored = {name: line.stored_graph_api.value for name, line in PLATFORM_LINES.items()}
    assert stored == {"1.2": "v1alpha1", "1.4": "v1alpha1"}
    assert {name: line.bundles_nats.value for name, line in PLATFORM_LINES.items()} == {
        "1.2": True,
        "1.4": False,
    }


def test_what_a_line_leaves_behind_has_the_graph_itself_and_nothing_twice() -> None:
    for line in PLATFORM_LINES.values():
        names = line.custom_resource_definitions.value
        assert "dynamographdeployments.nvidia.com" in names
        assert len(set(names)) == len(names)


def test_a_release_that_nobody_looked_at_is_refused_with_those_that_are_known() -> None:
    settings = dev_settings()
    settings["platform"]["version"] = "1.4.1"
    (problem,) = problems_of(settings)
    assert problem.key == "platform.version"
    assert problem.allowed == '"1.2.1", "1.4.2"'
    assert problem.suggestion == '"1.4.2"'
