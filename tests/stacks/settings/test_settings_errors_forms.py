"""Settings of several kinds, and text that YAML or Kubernetes would read otherwise: what a person is told."""

import pytest

from tests.stacks.changed_settings import GONE, changed, said
from tests.support.dev_settings import dev_settings

CASES: list[tuple[str, str, object, str]] = [
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
        "  allowed: kind, version, namespace",
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
    (
        "an unquoted version",
        "platform.version",
        1.2,
        "Pulumi.dev.yaml: platform.version = 1.2\n"
        "  this is a number to YAML, which may not keep what was typed; text is needed\n"
        '  allowed: a version of three numbers in quotes, as in "1.2.1"\n'
        "  try: put it in quotes",
    ),
    (
        "a size without its unit",
        "modelCache.size",
        100,
        "Pulumi.dev.yaml: modelCache.size = 100\n"
        "  this is a number to YAML, which may not keep what was typed; text is needed\n"
        "  allowed: a size such as 100Gi or 2Ti\n"
        "  try: put it in quotes",
    ),
    *(
        (
            f"the size {typed}",
            "modelCache.size",
            typed,
            f"Pulumi.dev.yaml: modelCache.size = '{typed}'\n"
            "  not written as this setting has to be\n"
            f"  allowed: a size such as 100Gi or 2Ti\n  try: {meant}",
        )
        for typed, meant in (("150G", "150Gi"), ("150 GB", "150Gi"), ("2tib", "2Ti"))
    ),
    (
        "a size of 400 digits",
        "modelCache.size",
        f"{'9' * 400}Gi",
        f"Pulumi.dev.yaml: modelCache.size = '{'9' * 58}…\n"
        "  not written as this setting has to be\n"
        "  allowed: a size such as 100Gi or 2Ti",
    ),
    (
        "a name that Kubernetes refuses",
        "serving.namespace",
        "Gpt_Oss",
        "Pulumi.dev.yaml: serving.namespace = 'Gpt_Oss'\n"
        "  not written as this setting has to be\n"
        "  allowed: small letters, digits and hyphens, as in Kubernetes names",
    ),
    (
        "a waiver's date without quotes",
        "waivers",
        [{"rule": "a-rule", "reason": "because", "expires": "2026-12-31 00:00:00 +0000 UTC"}],
        "Pulumi.dev.yaml: waivers[0].expires = '2026-12-31 00:00:00 +0000 UTC'\n"
        "  not written as this setting has to be\n"
        '  allowed: a date in quotes, as in "2026-12-31"',
    ),
    (
        "a day that does not exist",
        "waivers",
        [{"rule": "a-rule", "reason": "because", "expires": "2026-02-30"}],
        "Pulumi.dev.yaml: waivers[0].expires = '2026-02-30'\n"
        "  the calendar has no such day\n"
        '  allowed: a date in quotes, as in "2026-12-31"',
    ),
    (
        "a label value that YAML takes for true",
        "nodePools[0].labels",
        {"example.com/reserved": True},
        'Pulumi.dev.yaml: nodePools[0].labels["example.com/reserved"] = true\n'
        "  this is true or false to YAML, which may not keep what was typed; text is needed\n"
        "  allowed: a Kubernetes label value, in quotes if it is a number\n"
        "  try: put it in quotes",
    ),
    (
        "a label key that Kubernetes refuses",
        "nodePools[0].labels",
        {"pool name": "x"},
        'Pulumi.dev.yaml: nodePools[0].labels["pool name"]\n'
        "  the key is not written as this setting has to be\n"
        "  allowed: a Kubernetes label key, such as example.com/pool",
    ),
    (
        "a mirror for an address instead of a host",
        "imageMirrors",
        {"https://nvcr.io": "registry.example.com/nvcr"},
        'Pulumi.dev.yaml: imageMirrors["https://nvcr.io"]\n'
        "  the key is not written as this setting has to be\n"
        "  allowed: a registry's host name, such as nvcr.io",
    ),
    (
        "nothing in the place of a registry",
        "imageMirrors",
        {"nvcr.io": ""},
        "Pulumi.dev.yaml: imageMirrors[\"nvcr.io\"] = ''\n"
        "  not written as this setting has to be\n"
        "  allowed: a registry with a path, without https://, such as registry.example.com/nvcr",
    ),
    (
        "a mirror with the scheme of its address",
        "imageMirrors",
        {"nvcr.io": "https://registry.example.com/nvcr/"},
        "Pulumi.dev.yaml: imageMirrors[\"nvcr.io\"] = 'https://registry.example.com/nvcr/'\n"
        "  not written as this setting has to be\n"
        "  allowed: a registry with a path, without https://, such as registry.example.com/nvcr\n"
        "  try: registry.example.com/nvcr",
    ),
    (
        "a commit that is a number to YAML",
        "model",
        {"revision": 1234567890123456789012345678901234567890},
        "Pulumi.dev.yaml: model.revision = 1234567890123456789012345678901234567890\n"
        "  this is a number to YAML, which may not keep what was typed; text is needed\n"
        "  allowed: a commit of 40 hexadecimal digits, in quotes\n"
        "  try: put it in quotes",
    ),
]


@pytest.mark.parametrize(
    ("key", "value", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_mistake_is_named_where_it_was_typed(key: str, value: object, text: str) -> None:
    assert said(changed(dev_settings(), {key: value})) == text
