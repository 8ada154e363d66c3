"""The releases and lines of the platform."""

from stacks.plan.versions import PLATFORM_LINES, PLATFORM_RELEASES


def test_every_line_has_one_release_and_says_of_itself_what_can_be() -> None:
    assert [release.line for release in PLATFORM_RELEASES.values()] == list(PLATFORM_LINES)
    for name, line in PLATFORM_LINES.items():
        assert line.runtime.name == name
        assert line.stored_graph_api.value in line.graph_apis.value
        left = line.custom_resource_definitions.value
        assert "dynamographdeployments.nvidia.com" in left
        assert len(set(left)) == len(left)
