"""Three etcd members with the rendered command line: what they survive, and how a lost disk is replaced."""

import base64
import shutil
import urllib.error
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.servers.members import ANYWHERE, Member, free_addresses, post, running, status, until
from tests.servers.rendered import container_of, data_of, expanded, recorded_servers
from tests.support.runbook import commands, words
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.engine, pytest.mark.slow]

NAME, DOMAIN = "dynamo-etcd", "dynamo-etcd-headless.dynamo-system.svc.cluster.local"
MEMBERS = [f"{NAME}-{ordinal}" for ordinal in range(3)]


@dataclass
class Cluster:
    """The members, and what their pods would be given."""

    binary: Path
    root: Path
    addresses: dict[str, str]

    def member(self, name: str, *, rejoining: bool = False) -> Member:
        """A member as a pod that starts now is given it: the ConfigMap is read at every start."""
        graph = recorded_servers(rejoining=rejoining)
        state = data_of(graph, f"{NAME}-state")["initial-cluster-state"]
        variables = {"POD_NAME": name, "INITIAL_CLUSTER_STATE": state}
        disk = self.root / name
        command = expanded(container_of(graph, NAME)["command"], variables)
        assert command[0] == "etcd"
        arguments = [self._on_loopback(word, name, disk) for word in command[1:]]
        return Member(
            name, self.addresses[name], disk, [str(self.binary), *arguments], self.root / f"{name}.log"
        )

    def healthy(self, name: str, path: str = "/readyz") -> bool:
        """What the kubelet's probe says."""
        return status(f"http://{self.addresses[name]}:2381{path}") == 200

    def call(self, name: str, method: str, body: dict[str, Any]) -> dict[str, Any]:
        """One call through a member's client port."""
        return post(f"http://{self.addresses[name]}:2379/v3/{method}", body)

    def etcdctl(self, command: str, values: dict[str, str]) -> tuple[str, str, dict[str, Any]]:
        """What `kubectl exec MEMBER -- etcdctl …` of a runbook page asks which member."""
        typed = words(command, values)
        end = typed.index("--")
        body: dict[str, Any] = {}
        match typed[end + 1 :]:
            case ["etcdctl", "member", "list"]:
                method = "list"
            case ["etcdctl", "member", "remove", lost]:
                method, body = "remove", {"ID": lost}
            case ["etcdctl", "member", "add", lost, urls]:
                url = urls.removeprefix("--peer-urls=").replace(f"{lost}.{DOMAIN}", self.addresses[lost])
                method, body = "add", {"peerURLs": [url]}
            case other:
                raise AssertionError(f"not a command of the page: {other}")
        return typed[end - 1], f"cluster/member/{method}", body

    def put(self, name: str, key: str, value: str) -> None:
        """Writes through a member."""
        self.call(name, "kv/put", {"key": _encoded(key), "value": _encoded(value)})

    def get(self, name: str, key: str) -> str | None:
        """Reads through a member, linearizably: the answer is the majority's."""
        found = self.call(name, "kv/range", {"key": _encoded(key)}).get("kvs", [])
        return base64.b64decode(found[0]["value"]).decode() if found else None

    def can_write(self, name: str) -> bool:
        """Whether a write through a member is answered."""
        try:
            self.put(name, "probe", "1")
        except (urllib.error.URLError, OSError):
            return False
        return True

    def _on_loopback(self, word: str, name: str, disk: Path) -> str:
        for member, address in self.addresses.items():
            word = word.replace(f"{member}.{DOMAIN}", address)
        return word.replace(ANYWHERE, self.addresses[name]).replace("/var/lib/etcd", str(disk))


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.fixture
def cluster(engine: Sandbox, tmp_path: Path) -> Cluster:
    addresses = dict(zip(MEMBERS, free_addresses(3), strict=True))
    return Cluster(engine.directory.bin / "etcd", tmp_path, addresses)


@pytest.fixture
def members(cluster: Cluster) -> Iterator[dict[str, Member]]:
    """All three, ready."""
    with running({name: cluster.member(name) for name in MEMBERS}, cluster.healthy) as started:
        yield started


def test_a_member_alone_is_alive_and_not_ready(cluster: Cluster) -> None:
    alone = cluster.member(MEMBERS[0])
    alone.start()
    try:
        until(lambda: cluster.healthy(alone.name, "/livez"), "alive")
        assert not cluster.healthy(alone.name, "/readyz")
    finally:
        alone.kill()


def test_writes_go_on_when_a_member_is_killed_and_it_catches_up_when_it_is_back(
    cluster: Cluster, members: dict[str, Member]
) -> None:
    cluster.put(MEMBERS[0], "before", "1")
    members[MEMBERS[2]].kill()
    until(lambda: cluster.can_write(MEMBERS[0]), "a write without the killed member")
    cluster.put(MEMBERS[1], "meanwhile", "2")
    members[MEMBERS[2]].start()
    until(lambda: cluster.healthy(MEMBERS[2]), "the killed member ready again")
    assert cluster.get(MEMBERS[2], "before") == "1"
    assert cluster.get(MEMBERS[2], "meanwhile") == "2"


def test_without_two_members_the_third_is_alive_but_neither_ready_nor_writable(
    cluster: Cluster, members: dict[str, Member]
) -> None:
    for name in MEMBERS[1:]:
        members[name].kill()
    until(lambda: not cluster.healthy(MEMBERS[0]), "no longer ready without a majority")
    assert cluster.healthy(MEMBERS[0], "/livez")
    assert not cluster.can_write(MEMBERS[0])
    members[MEMBERS[1]].start()
    until(lambda: cluster.can_write(MEMBERS[0]), "writes as soon as there are two")


def test_a_member_with_an_empty_disk_does_not_found_a_second_cluster(
    cluster: Cluster, members: dict[str, Member]
) -> None:
    lost = members[MEMBERS[1]]
    lost.kill()
    shutil.rmtree(lost.disk)
    lost.start()
    until(lost.ended, "refused to start as new")
    assert "has already been bootstrapped" in lost.log.read_text()
    until(lambda: cluster.can_write(MEMBERS[0]), "a write through the other two")


def test_a_lost_disk_is_replaced_by_the_documented_steps_while_writes_go_on(
    cluster: Cluster, members: dict[str, Member]
) -> None:
    cluster.put(MEMBERS[0], "before", "1")
    lost = members[MEMBERS[1]]
    lost.kill()
    until(lambda: cluster.can_write(MEMBERS[0]), "a write without the lost member")
    listing, remove, add = [line for line in commands("etcd-member-lost") if " exec " in line]

    values = {"MEMBER": lost.name, "HEALTHY": MEMBERS[0]}
    listed = cluster.call(*cluster.etcdctl(listing, values))["members"]
    [values["MEMBER_ID"]] = [member["ID"] for member in listed if member["name"] == lost.name]
    until(lambda: _accepted(cluster, remove, values), "the lost member is removed")
    until(lambda: cluster.can_write(MEMBERS[0]), "writes between remove and add")
    until(lambda: _accepted(cluster, add, values), "etcd takes the member back")
    shutil.rmtree(lost.disk)
    members[lost.name] = cluster.member(lost.name, rejoining=True)
    members[lost.name].start()
    until(lambda: cluster.healthy(lost.name), f"the replaced member ready; see {lost.log}")
    assert cluster.get(lost.name, "before") == "1"

    # Back to false: the same member starts again as any other, and so do those that were never lost.
    for name in (lost.name, MEMBERS[0]):
        members[name].kill()
        members[name] = cluster.member(name)
        members[name].start()
        until(lambda name=name: cluster.healthy(name), f"{name} ready after a restart")
    assert len(cluster.call(*cluster.etcdctl(listing, values))["members"]) == 3


def _accepted(cluster: Cluster, command: str, values: dict[str, str]) -> bool:
    # Refused for seconds after a member was lost or changed (--strict-reconfig-check, on by default).
    try:
        cluster.call(*cluster.etcdctl(command, values))
    except (urllib.error.URLError, OSError):
        return False
    return True
