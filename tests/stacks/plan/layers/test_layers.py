"""Which layers a stack may own, and what is said where those of others are not what its file says."""

from typing import Any

import pytest

from stacks.plan.layers.contract import VERSION, output_of
from stacks.plan.layers.layering import owner_problems
from tests.stacks.changed_settings import Change, Settings, changed, phase, said
from tests.stacks.plan.layers.settings import ALL, BASE, PLATFORM, layered, on_existing_cluster
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings

EXISTING_PLATFORM = {"platform": {"kind": "existing", "version": "1.2.1"}}


@pytest.mark.parametrize(
    ("settings", "own", "joined", "shared"),
    [
        # Without layers a stack has everything, joins nobody and shares nothing.
        (eks_b200_settings(), "infrastructure, platform, serving", {}, ""),
        # A cluster and a platform that exist are nobody's layers.
        (disagg_b200_settings(), "platform, serving", {}, ""),
        (disagg_b200_settings() | EXISTING_PLATFORM, "serving", {}, ""),
        (layered(*ALL), "infrastructure, platform, serving", {}, "infrastructure, platform"),
        (layered("infrastructure"), "infrastructure", {}, "infrastructure"),
        (layered("infrastructure", "platform"), "infrastructure, platform", {}, "infrastructure, platform"),
        # In any order.
        (
            layered("infrastructure") | {"layers": ["platform", "infrastructure"]},
            "infrastructure, platform",
            {},
            "infrastructure, platform",
        ),
        (layered("platform"), "platform", {"infrastructure": BASE}, "platform"),
        (layered("platform", "serving"), "platform, serving", {"infrastructure": BASE}, "platform"),
        (layered("serving"), "serving", {"infrastructure": BASE, "platform": PLATFORM}, ""),
        (layered("serving", "serving"), "serving", {"infrastructure": BASE, "platform": PLATFORM}, ""),
        # On a cluster that exists platform and serving can be two teams too.
        (on_existing_cluster("platform"), "platform", {}, "platform"),
        (on_existing_cluster("serving"), "serving", {"platform": PLATFORM}, ""),
    ],
)
def test_neighbouring_layers_are_owned_together_and_those_below_are_joined(
    settings: dict[str, Any], own: str, joined: dict[str, str], shared: str
) -> None:
    found = resolved(settings).layers
    assert ", ".join(found.own) == own
    assert found.joined == joined
    assert ", ".join(found.shared) == shared


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (layered("infrastructure", "serving"), "neither could go first"),
        (
            layered("serving", layerStacks={"infrastructure": BASE}),
            "which stack of this project owns the platform?",
        ),
        (layered("platform", layerStacks={}), "which stack of this project owns the infrastructure?"),
        (
            layered("infrastructure", layerStacks={"platform": PLATFORM}),
            "this stack stands on no platform of another stack",
        ),
        (
            layered("platform", layerStacks={"infrastructure": BASE, "platform": "x"}),
            "this stack stands on no platform of another stack: it owns the layer",
        ),
        (
            disagg_b200_settings() | {"layers": ["infrastructure"]},
            "others have the infrastructure, or there is none\n  allowed: [platform, serving]",
        ),
        (
            on_existing_cluster("serving") | EXISTING_PLATFORM,
            "this stack stands on no platform of another stack: it owns the layer, or needs none\n"
            "  try: leave it out",
        ),
        (eks_b200_settings() | {"layers": []}, "allowed: at least 1"),
        (eks_b200_settings() | {"layers": ["network"]}, "infrastructure, platform or serving"),
        (
            layered("platform", layerStacks={"infrastructure": "acme/dynamo-stack/base"}),
            "a stack of this project, without organization and project",
        ),
    ],
)
def test_a_division_that_cannot_work_is_refused_with_what_can(settings: dict[str, Any], says: str) -> None:
    assert says in said(settings)


IN_A_NAMESPACE_OF_OTHERS: Change = {
    "lifecycle": "disposable",
    "platform.namespace": {"kind": "existing", "name": "team-a-system"},
}


@pytest.mark.parametrize(
    ("settings", "kinds"),
    [
        (layered("infrastructure"), {"KMS key", "Log group"}),
        (layered("platform"), {"Lease", "CustomResourceDefinition"}),
        (layered("serving"), set[str]()),
        (
            changed(on_existing_cluster("platform"), IN_A_NAMESPACE_OF_OTHERS),
            {"Secret", "Lease", "CustomResourceDefinition"},
        ),
        (changed(on_existing_cluster("serving"), IN_A_NAMESPACE_OF_OTHERS), set[str]()),
    ],
)
def test_what_a_layer_leaves_when_it_goes_is_left_by_its_own_stack(
    settings: Settings, kinds: set[str]
) -> None:
    assert {item.kind for item in resolved(settings).retained} == kinds


Outputs = dict[str, Any]


def _outputs_of(settings: Settings) -> Outputs:
    """What a stack with these settings exports, as the engine hands it on: every number is a float."""
    layers = resolved(settings).layers
    return {
        layer: {
            key: float(value) if isinstance(value, int) else value
            for key, value in output_of(layers.contracts[layer]).items()
        }
        for layer in layers.shared
    }


OWNERS = {BASE: _outputs_of(layered("infrastructure")), PLATFORM: _outputs_of(layered("platform"))}


def _said(reader: Settings, **owners: Outputs | None) -> str:
    """What is said where these are the owners, in place of those whose files say the same as this stack's."""
    found = owner_problems(resolved(reader).layers, lambda stack: {**OWNERS, **owners}[stack])
    return "\n".join(problem.text("Pulumi.dev.yaml") for problem in found)


def _tried(change: Change) -> Outputs:
    return _outputs_of(changed(layered("infrastructure"), change))


TWO_POOLS: Change = {
    "nodePools": [*layered("infrastructure")["nodePools"], eks_gb200_settings()["nodePools"][0]]
}


@pytest.mark.parametrize(
    ("reader", "owners"),
    [
        (layered("platform"), {}),
        (layered("serving"), {}),
        (layered("platform", "serving"), {}),
        # One stack that shares everything is both owners.
        (
            layered("serving", layerStacks={"infrastructure": "whole", "platform": "whole"}),
            {"whole": _outputs_of(layered(*ALL))},
        ),
        # Some of the owner's pools are enough.
        (layered("platform"), {BASE: _tried(TWO_POOLS)}),
        (on_existing_cluster("serving"), {PLATFORM: _outputs_of(on_existing_cluster("platform"))}),
    ],
)
def test_a_stack_joins_owners_whose_files_say_the_same(reader: Settings, owners: Outputs) -> None:
    assert _said(reader, **owners) == ""


@pytest.mark.parametrize(
    "change",
    [
        {"cluster.version": "1.36"},
        {"cluster.tags": {"team": "infrastructure"}, "cluster.systemNodes": {"nodes": 5}},
        {"cluster.administrators": ["arn:aws:iam::123456789012:role/platform"]},
        {"cluster.access": [{"arn": "arn:aws:iam::123456789012:role/preview", "policy": "adminView"}]},
    ],
)
def test_what_nobody_above_relies_on_is_the_owner_s_own_affair(change: Change) -> None:
    assert _said(layered("serving"), base=_tried(change)) == ""


OLD = {"infrastructure": OWNERS[BASE]["infrastructure"] | {"contract": float(VERSION + 1)}}


@pytest.mark.parametrize(
    ("reader", "owners", "says"),
    [
        pytest.param(
            layered("platform"),
            {BASE: None},
            "layerStacks.infrastructure = 'base'\n"
            "  this project has no stack of that name in this backend; nothing was created or changed\n"
            "  try: `pulumi stack ls` shows those there are; `pulumi up --stack base` makes this one",
            id="no such stack",
        ),
        pytest.param(
            layered("platform"),
            {BASE: {}},
            "layerStacks.infrastructure = 'base'\n"
            "  nothing of that stack is up, or its first `up` did not end; nothing was created or changed\n"
            "  try: `pulumi up --stack base`, then this one",
            id="never deployed",
        ),
        pytest.param(
            layered("serving"),
            {PLATFORM: OWNERS[BASE]},
            "layerStacks.platform = 'dynamo'\n  that stack shares no platform; it shares infrastructure",
            id="the owner of another layer",
        ),
        pytest.param(
            layered("platform"),
            {BASE: {"graph": "gpt-oss-disagg", "fixedAtCreation": {}}},
            "layerStacks.infrastructure = 'base'\n"
            "  that stack shares no infrastructure; it shares nothing; nothing was created or changed\n"
            "  try: the stack that owns the infrastructure; or, where base does, layers: […] with "
            "infrastructure in Pulumi.base.yaml, then `pulumi up --stack base`",
            id="everything in one, which shares nothing",
        ),
        pytest.param(
            layered("platform"),
            {BASE: OLD},
            "layerStacks.infrastructure = 'base'\n"
            f"  its contract has version {VERSION + 1}, and this project reads {VERSION}; nothing was "
            "created or changed\n"
            "  try: `pulumi up --stack base` with this version of the project, then this one",
            id="another version of the project",
        ),
    ],
)
def test_an_owner_that_cannot_be_joined_is_named_with_what_makes_it_one(
    reader: Settings, owners: Outputs, says: str
) -> None:
    assert _said(reader, **owners).startswith(f"Pulumi.dev.yaml: {says}")


OF_BASE = "stack base, which owns the infrastructure,"
OF_DYNAMO = "stack dynamo, which owns the platform,"
EXTERNAL_NATS = {"kind": "external", "address": "nats://nats.example.com:4222"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"cluster.name": "other"}, f"cluster.name = 'other'\n  {OF_BASE} has gpt-oss;"),
        ({"cluster.monitoring": True}, f"cluster.monitoring = 'true'\n  {OF_BASE} has false;"),
        (
            {"cluster.accountId": "210987654321"},
            f"cluster.accountId = '210987654321'\n  {OF_BASE} has 123456789012;",
        ),
        ({"nodePools[0].nodes": 2}, f"nodePools[b200].nodes = 2\n  {OF_BASE} has 1;"),
        ({"nodePools[0].labels": {"team": "a"}}, f"nodePools[b200].labels = 'team=a'\n  {OF_BASE} has none;"),
        (phase("waiting"), f"nodePools[b200].purchase.phase = 'waiting'\n  {OF_BASE} has active;"),
        (
            {"platform.namespace": "other"},
            f"platform.namespace = 'other'\n  {OF_DYNAMO} has dynamo-system;",
        ),
        ({"platform.version": "1.4.2"}, f"platform.version = '1.4.2'\n  {OF_DYNAMO} has 1.2.1;"),
        ({"platform.nats": EXTERNAL_NATS}, f"platform.nats.kind = 'external'\n  {OF_DYNAMO} has own;"),
    ],
)
def test_a_difference_is_refused_with_what_the_owner_has(change: Change, says: str) -> None:
    assert f"Pulumi.dev.yaml: {says} nothing was created or changed" in _said(
        changed(layered("serving"), change)
    )


def test_a_pool_that_the_owner_does_not_make_is_one_problem() -> None:
    assert _said(changed(layered("serving"), {"nodePools[0].name": "b20", "serving.pool": "b20"})) == (
        "Pulumi.dev.yaml: nodePools = 'b20'\n"
        "  stack base, which makes the nodes, has no pool of that name; nothing was created or changed\n"
        "  allowed: b200\n"
        "  try: b200"
    )


def test_trays_of_another_nvlink_domain_are_not_the_owner_s() -> None:
    owner = _outputs_of(eks_gb200_settings() | {"layers": ["infrastructure"]})
    layers = {"layers": ["platform", "serving"], "layerStacks": {"infrastructure": BASE}}
    reader = changed(eks_gb200_settings(), layers, {"nodePools[0].nvlinkDomainGpus": 72})
    assert f"nodePools[gb200].nvlinkDomainGpus = 72\n  {OF_BASE} has 36" in _said(reader, base=owner)


def test_on_a_cluster_that_exists_both_must_mean_the_same_one() -> None:
    owner = _outputs_of(on_existing_cluster("platform"))
    reader = changed(on_existing_cluster("serving"), {"cluster.context": "another-cluster"})
    assert "cluster.context = 'another-cluster'" in _said(reader, dynamo=owner)


def test_nothing_that_is_shared_is_a_secret_or_a_token() -> None:
    text = str(OWNERS).lower()
    assert not any(word in text for word in ("token", "secret", "password"))
