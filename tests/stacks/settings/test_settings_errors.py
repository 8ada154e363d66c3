"""Mistakes in keys and plain values, and the text that a person reads."""

import pytest

from stacks.errors import Problem, SettingsError
from stacks.settings.stack import NodePoolSettings
from tests.stacks.changed_settings import GONE, changed, keys_of, said
from tests.support.dev_settings import dev_settings, problems_of

CASES: list[tuple[str, str, object, str]] = [
    (
        "an unknown key",
        "serving.recipie",
        "x",
        "Pulumi.dev.yaml: serving.recipie = 'x'\n"
        "  there is no setting 'recipie' here\n"
        "  allowed: recipe, recipeFolder, namespace, name, pool, pools, gpusPerWorker, replicas, "
        "overrides, resources, environment, arguments, routerMode, imageVersions, kvTransport, "
        "exposure, podMonitor, waitForRoom, readyTimeoutSeconds\n"
        "  try: recipe",
    ),
    (
        "an unknown key in a list",
        "nodePools[1].instancetype",
        "x",
        "Pulumi.dev.yaml: nodePools[1].instancetype = 'x'\n"
        "  there is no setting 'instancetype' here\n"
        f"  allowed: {keys_of(NodePoolSettings)}\n"
        "  try: instanceType",
    ),
    (
        "snake case",
        "serving.kv_transport",
        "tcp",
        "Pulumi.dev.yaml: serving.kv_transport = 'tcp'\n"
        "  there is no setting 'kv_transport' here\n"
        "  allowed: recipe, recipeFolder, namespace, name, pool, pools, gpusPerWorker, replicas, "
        "overrides, resources, environment, arguments, routerMode, imageVersions, kvTransport, "
        "exposure, podMonitor, waitForRoom, readyTimeoutSeconds\n"
        "  try: kvTransport",
    ),
    (
        "text for a number",
        "nodePools[0].nodes",
        "one",
        "Pulumi.dev.yaml: nodePools[0].nodes = 'one'\n  this is text\n  allowed: a whole number",
    ),
    (
        "a fraction for a count",
        "nodePools[0].nodes",
        1.5,
        "Pulumi.dev.yaml: nodePools[0].nodes = 1.5\n  this is a number\n  allowed: a whole number",
    ),
    (
        "true for a count",
        "nodePools[0].nodes",
        True,
        "Pulumi.dev.yaml: nodePools[0].nodes = true\n  this is true or false\n  allowed: a whole number",
    ),
    (
        "no nodes",
        "nodePools[0].nodes",
        0,
        "Pulumi.dev.yaml: nodePools[0].nodes = 0\n  out of range\n  allowed: 1 or more",
    ),
    (
        "no pools",
        "nodePools",
        [],
        "Pulumi.dev.yaml: nodePools = []\n  out of range\n  allowed: at least 1",
    ),
    (
        "nothing for a mapping",
        "serving",
        None,
        "Pulumi.dev.yaml: serving\n  this is nothing\n  allowed: a mapping",
    ),
    (
        "a missing setting",
        "cluster.kind",
        GONE,
        "Pulumi.dev.yaml: cluster.kind\n  is missing\n  allowed: existing or eks",
    ),
    (
        "a missing mapping",
        "cluster",
        GONE,
        "Pulumi.dev.yaml: cluster\n  is missing\n  allowed: a mapping with kind: existing or eks",
    ),
    (
        "an unknown word",
        "lifecycle",
        "prod",
        "Pulumi.dev.yaml: lifecycle = 'prod'\n"
        "  not one of the known values\n"
        "  allowed: production or disposable\n"
        "  try: production",
    ),
    (
        "a secret",
        "modelCache.token",
        {"secure": "v1:planted"},
        "Pulumi.dev.yaml: modelCache.token\n"
        "  settings hold no secrets: one in here would reach every printed view in plain text\n"
        "  try: pulumi config set --secret dynamo-stack:hfToken, the one secret that the stack knows",
    ),
    (
        "a quoted number",
        "nodePools[0].nodes",
        "2",
        "Pulumi.dev.yaml: nodePools[0].nodes = '2'\n"
        "  this is text\n"
        "  allowed: a whole number\n"
        "  try: 2, without quotes",
    ),
    (
        "a number that is not possible",
        "nodePools[0].nvlinkDomainGpus",
        64,
        "Pulumi.dev.yaml: nodePools[0].nvlinkDomainGpus = 64\n"
        "  not one of the known values\n"
        "  allowed: 36 or 72",
    ),
    (
        "a mapping that is text",
        "nodePools[0].labels",
        "x",
        "Pulumi.dev.yaml: nodePools[0].labels = 'x'\n"
        "  this is text\n"
        "  allowed: a mapping of a Kubernetes label key, such as example.com/pool -> a Kubernetes"
        " label value, in quotes if it is a number",
    ),
]


@pytest.mark.parametrize(
    ("key", "value", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_mistake_is_named_with_what_may_stand_there_and_what_was_probably_meant(
    key: str, value: object, text: str
) -> None:
    assert said(changed(dev_settings(), {key: value})) == text


def test_problems_of_several_kinds_are_reported_together() -> None:
    wrong = {
        "serving.recipe": "gpt-oss",
        "nodePools[0].instanceType": "p7",
        "platform.version": "9.9.9",
        "modelCache": None,
    }
    assert {problem.key for problem in problems_of(changed(dev_settings(), wrong))} == set(wrong)


def test_many_problems_still_fit_on_one_screen() -> None:
    problems = [Problem(f"key{number}", 1, "wrong", "right", "right") for number in range(30)]
    text = str(SettingsError({"f": problems}))
    assert len(text.splitlines()) < 40
    assert "and 22 more" in text
