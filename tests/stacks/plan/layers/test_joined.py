"""What is said where the layers of other stacks are not there, or not what this stack's file says."""

from typing import Any

import pytest

from stacks.plan.layers.contract import VERSION, output_of
from stacks.plan.layers.joined import owner_problems
from tests.stacks.plan.layers.settings import BASE, PLATFORM, layered, on_existing_cluster
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_gb200_settings

Settings = dict[str, Any]
FILE = "Pulumi.dev.yaml"


def outputs_of(settings: Settings) -> dict[str, Any]:
    """What a stack with these settings exports, as the engine hands it on: every number is a float."""
    return {
        contract.layer: {
            key: float(value) if isinstance(value, int) else value
            for key, value in output_of(contract).items()
        }
        for contract in resolved(settings).layers.shared
    }


def said(reader: Settings, **owners: dict[str, Any] | None) -> str:
    found = owner_problems(resolved(reader).layers, lambda stack: owners[stack])
    return "\n".join(problem.text(FILE) for problem in found)


def owners(**changes: dict[str, Any] | None) -> dict[str, dict[str, Any] | None]:
    return {
        BASE: outputs_of(layered("infrastructure")),
        PLATFORM: outputs_of(layered("platform")),
        **changes,
    }


@pytest.mark.parametrize("layers", [("platform",), ("serving",), ("platform", "serving")])
def test_a_stack_joins_owners_whose_files_say_the_same(layers: tuple[str, ...]) -> None:
    assert said(layered(*layers), **owners()) == ""


def test_one_stack_that_shares_everything_can_be_both_owners() -> None:
    whole = outputs_of(layered("infrastructure", "platform", "serving"))
    reader = layered("serving", layerStacks={"infrastructure": "whole", "platform": "whole"})
    assert said(reader, whole=whole) == ""


def test_an_owner_that_is_not_there_is_named_with_the_command_that_makes_it() -> None:
    assert said(layered("platform"), **owners(base=None)) == (
        "Pulumi.dev.yaml: layerStacks.infrastructure = 'base'\n"
        "  this project has no stack of that name in this backend; nothing was created or changed\n"
        "  try: `pulumi stack ls` shows those there are; `pulumi up --stack base` makes this one"
    )


def test_an_owner_that_was_never_deployed_is_brought_up_first() -> None:
    assert said(layered("platform"), **owners(base={})) == (
        "Pulumi.dev.yaml: layerStacks.infrastructure = 'base'\n"
        "  nothing of that stack is up, or its first `up` did not end; nothing was created or changed\n"
        "  try: `pulumi up --stack base`, then this one"
    )


def test_an_owner_of_another_layer_is_told_from_the_owner() -> None:
    text = said(layered("serving"), **owners(dynamo=outputs_of(layered("infrastructure"))))
    assert (
        "layerStacks.platform = 'dynamo'\n  that stack shares no platform; it shares infrastructure" in text
    )


def test_a_stack_with_everything_in_one_is_told_how_it_shares() -> None:
    whole = {"graph": "gpt-oss-disagg", "fixedAtCreation": {}}
    text = said(layered("platform"), **owners(base=whole))
    assert "it shares nothing" in text
    assert "layers: […] with infrastructure in Pulumi.base.yaml, then `pulumi up --stack base`" in text


def test_an_owner_of_another_version_of_the_project_is_brought_up_anew() -> None:
    old = owners()[BASE]
    assert old is not None
    old["infrastructure"] |= {"contract": float(VERSION + 1)}
    text = said(layered("platform"), **owners(base=old))
    assert f"its contract has version {VERSION + 1}, and this one reads {VERSION}" in text
    assert "`pulumi up --stack base` with this version of the project" in text


def _cluster(**changes: Any) -> Settings:
    settings = layered("platform")
    settings["cluster"] |= changes
    return settings


def _serving(**changes: Any) -> Settings:
    settings = layered("serving")
    settings["nodePools"][0] |= changes
    return settings


def _platform(**changes: Any) -> Settings:
    settings = layered("serving")
    settings["platform"] |= changes
    return settings


def _external_nats() -> Settings:
    return _platform(nats={"kind": "external", "address": "nats://nats.example.com:4222"})


def _waiting() -> Settings:
    settings = layered("serving")
    settings["nodePools"][0]["purchase"] |= {"phase": "waiting"}
    return settings


@pytest.mark.parametrize(
    ("reader", "key", "owner"),
    [
        (
            _cluster(name="other"),
            "cluster.name = 'other'",
            "stack base, which owns the infrastructure, has gpt-oss",
        ),
        (_cluster(monitoring=True), "cluster.monitoring = 'true'", "has false"),
        (_cluster(accountId="210987654321"), "cluster.accountId = '210987654321'", "has 123456789012"),
        (_serving(nodes=2), "nodePools[b200].nodes = 2", "stack base, which owns the infrastructure, has 1"),
        (_serving(labels={"team": "a"}), "nodePools[b200].labels = 'team=a'", "has none"),
        (_waiting(), "nodePools[b200].purchase.phase = 'waiting'", "has active"),
        (
            _platform(namespace="other"),
            "platform.namespace = 'other'",
            "stack dynamo, which owns the platform, has dynamo-system",
        ),
        (_platform(version="1.4.2"), "platform.version = '1.4.2'", "has 1.2.1"),
        (_external_nats(), "platform.nats.kind = 'external'", "has own"),
    ],
)
def test_a_difference_is_refused_with_what_the_owner_has(reader: Settings, key: str, owner: str) -> None:
    text = said(reader, **owners())
    assert f"Pulumi.dev.yaml: {key}\n  " in text
    assert owner in text
    assert "nothing was created or changed" in text


def test_a_pool_that_the_owner_does_not_make_is_one_problem() -> None:
    settings = layered("serving")
    settings["nodePools"][0]["name"] = settings["serving"]["pool"] = "b20"
    assert said(settings, **owners()) == (
        "Pulumi.dev.yaml: nodePools = 'b20'\n"
        "  stack base, which makes the nodes, has no pool of that name; nothing was created or changed\n"
        "  allowed: b200\n"
        "  try: b200"
    )


def test_a_stack_may_use_some_of_the_owner_s_pools() -> None:
    owner = layered("infrastructure")
    owner["nodePools"] = [*owner["nodePools"], eks_gb200_settings()["nodePools"][0]]
    assert said(layered("platform"), **owners(base=outputs_of(owner))) == ""


@pytest.mark.parametrize(
    "change",
    [
        {"version": "1.36"},
        {"tags": {"team": "infrastructure"}},
        {"systemNodes": {"nodes": 5}},
        {"administrators": ["arn:aws:iam::123456789012:role/platform"]},
        {"access": [{"arn": "arn:aws:iam::123456789012:role/preview", "policy": "adminView"}]},
    ],
)
def test_what_nobody_above_relies_on_is_the_owner_s_own_affair(change: dict[str, Any]) -> None:
    owner = layered("infrastructure")
    owner["cluster"] |= change
    assert said(layered("serving"), **owners(base=outputs_of(owner))) == ""


def test_on_a_cluster_that_exists_both_must_mean_the_same_one() -> None:
    owner = {PLATFORM: outputs_of(on_existing_cluster("platform"))}
    assert said(on_existing_cluster("serving"), **owner) == ""
    reader = on_existing_cluster("serving")
    reader["cluster"]["context"] = "another-cluster"
    assert "cluster.context = 'another-cluster'" in said(reader, **owner)


def test_nothing_that_is_shared_is_a_secret_or_a_token() -> None:
    text = str({BASE: owners()[BASE], PLATFORM: owners()[PLATFORM]}).lower()
    assert not any(word in text for word in ("token", "secret", "password"))


def test_trays_of_another_nvlink_domain_are_not_the_owner_s() -> None:
    owner, reader = eks_gb200_settings(), eks_gb200_settings()
    owner["layers"] = ["infrastructure"]
    reader |= {"layers": ["platform", "serving"], "layerStacks": {"infrastructure": BASE}}
    reader["nodePools"][0]["nvlinkDomainGpus"] = 72
    text = said(reader, base=outputs_of(owner))
    assert (
        "nodePools[gb200].nvlinkDomainGpus = 72\n  stack base, which owns the infrastructure, has 36" in text
    )
