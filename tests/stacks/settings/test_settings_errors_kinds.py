"""Settings that come in several kinds: a mistake is named where it was typed, by the kind that was meant."""

import pytest

from tests.stacks.changed_settings import GONE, changed, said
from tests.support.dev_settings import dev_settings

BEFORE_THERE_WERE_KINDS = {"version": "1.2.1", "storageClassName": "shared-files"}
CASES: list[tuple[str, str, object, str]] = [
    (
        "a stack file from before there were kinds",
        "platform",
        BEFORE_THERE_WERE_KINDS,
        "Pulumi.dev.yaml: platform.kind\n  is missing\n  allowed: own or existing",
    ),
    (
        "no kind",
        "platform.kind",
        GONE,
        "Pulumi.dev.yaml: platform.kind\n  is missing\n  allowed: own or existing",
    ),
    (
        "an unknown kind",
        "platform.kind",
        "exists",
        "Pulumi.dev.yaml: platform.kind = 'exists'\n"
        "  not one of the known kinds\n"
        "  allowed: own or existing\n"
        "  try: existing",
    ),
    (
        "a list in place of a mapping with a kind",
        "platform.nats",
        ["own"],
        "Pulumi.dev.yaml: platform.nats = ['own']\n"
        "  this is a list\n"
        "  allowed: a mapping with kind: own, bundled or external",
    ),
    (
        "a key of another kind",
        "platform.kind",
        "existing",
        "Pulumi.dev.yaml: platform.nats\n"
        "  there is no setting 'nats' here; it belongs to platform of kind own\n"
        "  allowed: kind, version, namespace, graphApi",
    ),
    (
        "a key of two other kinds",
        "platform.nats",
        {"kind": "external", "address": "nats://nats.example.com:4222", "storageClassName": "gp3"},
        "Pulumi.dev.yaml: platform.nats.storageClassName = 'gp3'\n"
        "  there is no setting 'storageClassName' here; it belongs to platform.nats of kind own "
        "or platform.nats of kind bundled\n"
        "  allowed: kind, address",
    ),
    (
        "two members",
        "platform.nats",
        {"kind": "own", "members": 2, "storageClassName": "gp3"},
        "Pulumi.dev.yaml: platform.nats.members = 2\n  not one of the known values\n  allowed: 1 or 3",
    ),
    (
        "a quoted member count",
        "platform.nats",
        {"kind": "own", "members": "3", "storageClassName": "gp3"},
        "Pulumi.dev.yaml: platform.nats.members = '3'\n"
        "  not one of the known values\n"
        "  allowed: 1 or 3\n"
        "  try: 3, without quotes",
    ),
    (
        "the kind alone, as text",
        "platform.nats",
        "bundled",
        "Pulumi.dev.yaml: platform.nats = 'bundled'\n"
        "  this is text\n"
        "  allowed: a mapping with kind: own, bundled or external",
    ),
    (
        "nothing at all",
        "platform.nats",
        None,
        "Pulumi.dev.yaml: platform.nats\n"
        "  this is nothing\n"
        "  allowed: a mapping with kind: own, bundled or external",
    ),
    (
        "a setting with kinds that is missing",
        "platform.nats",
        GONE,
        "Pulumi.dev.yaml: platform.nats\n"
        "  is missing\n"
        "  allowed: a mapping with kind: own, bundled or external",
    ),
    (
        "an address in a list that is no address",
        "platform.etcd",
        {"kind": "external", "addresses": ["etcd.example.com"]},
        "Pulumi.dev.yaml: platform.etcd.addresses[0] = 'etcd.example.com'\n"
        "  not written as this setting has to be\n"
        "  allowed: an address such as http://etcd.example.com:2379",
    ),
    (
        "a source that only its keys give away",
        "model",
        {"source": {"address": "s3://models/gpt-oss"}},
        "Pulumi.dev.yaml: model.source.kind\n  is missing\n  allowed: huggingface, s3 or existingVolume",
    ),
]


@pytest.mark.parametrize(
    ("key", "value", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_mistake_is_named_where_it_was_typed(key: str, value: object, text: str) -> None:
    assert said(changed(dev_settings(), {key: value})) == text
