"""The model of NetworkPolicies: what it lets in, through which opening, and what it refuses to judge."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.support.network_policies import Labelled, Opening, accepts, openings_for, openings_of

HERE = {"kubernetes.io/metadata.name": "here"}
THERE = {"kubernetes.io/metadata.name": "there", "team": "a"}
SERVER, CLIENT = {"app": "server"}, {"app": "client"}
OWN_CLIENTS = Opening("servers", 80, "pods app=client of its namespace")
TEAM = Opening("servers", 80, "all pods of namespaces team=a")
MEMBERS = Opening("servers", None, "pods app=server of its namespace")
POLICY: dict[str, Any] = {
    "metadata": {"name": "servers", "namespace": "here"},
    "spec": {
        "policyTypes": ["Ingress"],
        "podSelector": {"matchLabels": SERVER},
        "ingress": [
            {
                "from": [
                    {"podSelector": {"matchLabels": CLIENT}},
                    {"namespaceSelector": {"matchLabels": {"team": "a"}}},
                    {"ipBlock": {"cidr": "10.0.0.0/8"}},
                ],
                "ports": [{"protocol": "TCP", "port": 80}],
            },
            {"from": [{"podSelector": {"matchLabels": SERVER}}]},
        ],
    },
}


def test_every_port_and_peer_of_a_policy_is_an_opening_of_its_own() -> None:
    assert openings_of([POLICY]) == {OWN_CLIENTS, TEAM, MEMBERS, Opening("servers", 80, "10.0.0.0/8")}


@pytest.mark.parametrize(
    ("source", "port", "through"),
    [
        (Labelled(HERE, CLIENT), 80, {OWN_CLIENTS}),
        (Labelled(HERE, CLIENT), 81, set()),
        (Labelled(THERE, CLIENT), 80, {TEAM}),
        (Labelled(HERE, SERVER), 81, {MEMBERS}),
        (Labelled(THERE, SERVER), 81, set()),
        (Labelled(HERE, {}), 80, set()),
    ],
)
def test_a_connection_comes_in_through_the_openings_for_its_port_and_source(
    source: Labelled, port: int, through: set[Opening]
) -> None:
    target = Labelled(HERE, SERVER)
    assert openings_for([POLICY], target, port, source) == through
    assert accepts([POLICY], target, port, source) == bool(through)


@pytest.mark.parametrize("target", [Labelled(HERE, CLIENT), Labelled(THERE, SERVER)])
def test_a_pod_that_no_policy_selects_accepts_everything(target: Labelled) -> None:
    assert accepts([POLICY], target, 81, Labelled(THERE, {}))
    assert openings_for([POLICY], target, 81, Labelled(THERE, {})) == set()


def test_a_second_policy_opens_and_never_closes() -> None:
    closed = copy.deepcopy(POLICY)
    closed["metadata"]["name"], closed["spec"]["ingress"] = "closed", []
    target, source = Labelled(HERE, SERVER), Labelled(HERE, CLIENT)
    assert accepts([closed, POLICY], target, 80, source)
    assert not accepts([closed], target, 80, source)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("policyTypes", ["Ingress", "Egress"]),
        ("ingress", [{"from": [{"podSelector": {}}], "ports": [{"protocol": "UDP", "port": 53}]}]),
        ("ingress", [{"from": [{"podSelector": {}}], "ports": [{"protocol": "TCP", "port": "http"}]}]),
        (
            "ingress",
            [{"from": [{"podSelector": {}}], "ports": [{"protocol": "TCP", "port": 1, "endPort": 9}]}],
        ),
    ],
)
def test_what_the_model_does_not_know_is_refused(key: str, value: object) -> None:
    policy = copy.deepcopy(POLICY)
    policy["spec"][key] = value
    with pytest.raises(NotImplementedError):
        openings_of([policy])
