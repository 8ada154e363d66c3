"""The line of a stack's file at which a setting stands."""

import pytest
import yaml

from resource_graph.manifest_yaml import SettingLines
from tests.support.dev_settings import disagg_b200_settings

SETTINGS = disagg_b200_settings()
TEXT = "# of the tests\n" + yaml.safe_dump({"config": {"dynamo-stack:settings": SETTINGS}}, sort_keys=False)
LINES = TEXT.splitlines()


def text_of(line: int) -> str:
    return LINES[line - 1].strip()


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("platform.nats.members", "members: 3"),
        ("nodePools[0].instanceType", "instanceType: p6-b200.48xlarge"),
        ("nodePools[0].zone", "- name: b200"),
        ("serving.namespace.kind", "namespace: gpt-oss"),
        ("layers", "dynamo-stack:settings:"),
        ("", "dynamo-stack:settings:"),
    ],
)
def test_a_setting_is_at_its_line_or_at_that_of_the_nearest_around_it(key: str, text: str) -> None:
    assert text_of(SettingLines(TEXT, "Pulumi.dev.yaml", "dynamo-stack:settings").of_setting(key)) == text


def test_only_a_setting_that_is_written_has_a_place() -> None:
    lines = SettingLines(TEXT, "Pulumi.dev.yaml", "dynamo-stack:settings")
    line = LINES.index("        members: 3") + 1
    assert lines.place_of("platform.nats.members") == f"Pulumi.dev.yaml:{line}"
    assert lines.place_of("serving.namespace.kind") is None
