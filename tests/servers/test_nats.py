"""Three NATS servers with the rendered command line and configuration: what they survive."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.servers.members import ANYWHERE, Member, free_addresses, running, status, until
from tests.servers.nats_client import NatsClient
from tests.servers.rendered import container_of, data_of, expanded, recorded_servers
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.engine, pytest.mark.slow]

NAME, DOMAIN = "dynamo-nats", "dynamo-nats-headless.dynamo-system.svc.cluster.local"
SERVERS = [f"{NAME}-{ordinal}" for ordinal in range(3)]


@dataclass
class Cluster:
    """The servers, and what their pods would be given."""

    binary: Path
    root: Path
    addresses: dict[str, str]

    def member(self, name: str) -> Member:
        """A server as its pod is started: same arguments, same file, other addresses and folders."""
        graph = recorded_servers()
        folder = self.root / name
        (folder / "etc").mkdir(parents=True)
        (folder / "run").mkdir()
        configuration = data_of(graph, f"{NAME}-config")["nats.conf"]
        (folder / "etc" / "nats.conf").write_text(self._on_loopback(configuration, name))
        command = expanded(container_of(graph, NAME)["command"], {"POD_NAME": name})
        assert command[0] == "nats-server"
        arguments = [self._on_loopback(word, name) for word in command[1:]]
        return Member(
            name,
            self.addresses[name],
            folder / "data",
            [str(self.binary), *arguments],
            self.root / f"{name}.log",
        )

    def passes(self, name: str, probe: str) -> bool:
        """What the kubelet says of one of the rendered probes."""
        request: Any = container_of(recorded_servers(), NAME)[probe]["httpGet"]
        assert request["port"] == "monitor"
        return status(f"http://{self.addresses[name]}:8222{request['path']}") == 200

    def lame_duck(self, name: str) -> None:
        """Runs the rendered preStop hook in the server's place."""
        graph = recorded_servers()
        hook: Any = container_of(graph, NAME)["lifecycle"]["preStop"]["exec"]["command"]
        arguments = [self._on_loopback(word, name) for word in hook[1:]]
        subprocess.run([str(self.binary), *arguments], check=True, timeout=30, capture_output=True)

    def _on_loopback(self, text: str, name: str) -> str:
        for member, address in self.addresses.items():
            text = text.replace(f"{member}.{DOMAIN}", address)
        folder = self.root / name
        for inside, outside in (("/etc/nats", "etc"), ("/var/run/nats", "run"), ('"/data"', "data")):
            path = str(folder / outside)
            text = text.replace(inside, json.dumps(path) if inside.startswith('"') else path)
        return text.replace(ANYWHERE, self.addresses[name])


@pytest.fixture
def cluster(engine: Sandbox, tmp_path: Path) -> Cluster:
    addresses = dict(zip(SERVERS, free_addresses(3), strict=True))
    return Cluster(engine.directory.bin / "nats-server", tmp_path, addresses)


@pytest.fixture
def servers(cluster: Cluster) -> Iterator[dict[str, Member]]:
    """All three, past their startup probe."""
    with running(
        {name: cluster.member(name) for name in SERVERS}, lambda name: cluster.passes(name, "startupProbe")
    ) as started:
        yield started


def _crosses(publisher: str, subscriber: str) -> bool:
    """Whether a message published at one server reaches a subscriber at another."""
    try:
        with NatsClient(subscriber) as receiving, NatsClient(publisher) as sending:
            receiving.subscribe("events")
            # Interest travels between servers by itself, and what is published earlier is lost: the caller
            # tries again.
            sending.publish("events", b"seen")
            receiving.flush()
            return receiving.received == [b"seen"]
    except OSError:
        return False


def test_every_probe_passes_and_jetstream_is_on_in_a_whole_cluster(
    cluster: Cluster, servers: dict[str, Member]
) -> None:
    for name in servers:
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            assert cluster.passes(name, probe), f"{name}: {probe}"
        assert status(f"http://{cluster.addresses[name]}:8222/healthz?js-enabled-only=true") == 200


def test_messages_cross_servers_and_go_on_when_one_is_killed(
    cluster: Cluster, servers: dict[str, Member]
) -> None:
    first, second, third = (cluster.addresses[name] for name in SERVERS)
    until(lambda: _crosses(first, second), "a message from the first server to the second")
    servers[SERVERS[2]].kill()
    until(lambda: _crosses(first, second), "a message without the third")
    assert cluster.passes(SERVERS[0], "readinessProbe")
    servers[SERVERS[2]].start()
    until(lambda: cluster.passes(SERVERS[2], "startupProbe"), "the third is back")
    until(lambda: _crosses(first, third), "a message to the third")


def test_a_server_with_an_empty_disk_comes_back_by_itself(
    cluster: Cluster, servers: dict[str, Member]
) -> None:
    lost = servers[SERVERS[1]]
    lost.kill()
    shutil.rmtree(lost.disk)
    lost.start()
    until(lambda: cluster.passes(lost.name, "startupProbe"), f"ready with an empty disk; see {lost.log}")
    until(lambda: _crosses(cluster.addresses[SERVERS[0]], lost.address), "a message to it")


def test_a_message_as_large_as_dynamo_sends_passes_and_a_larger_one_is_refused(
    cluster: Cluster, servers: dict[str, Member]
) -> None:
    with NatsClient(cluster.addresses[SERVERS[0]]) as client:
        client.subscribe("large")
        client.publish("large", b"x" * 15728640)
        assert len(client.receive()) == 15728640
    # The server names the limit and hangs up, whichever of the two the client sees first.
    refused = pytest.raises(OSError, match=r"Maximum Payload|closed|reset|[Bb]roken pipe")
    with NatsClient(cluster.addresses[SERVERS[0]]) as client, refused:
        client.publish("large", b"x" * (15728640 + 1))


def test_the_hook_before_the_stop_finds_its_server_and_ends_it_in_peace(
    cluster: Cluster, servers: dict[str, Member]
) -> None:
    leaving = servers[SERVERS[0]]
    cluster.lame_duck(leaving.name)
    until(lambda: "lame duck" in leaving.log.read_text().lower(), "the server tells its clients to leave")
    second, third = (cluster.addresses[name] for name in SERVERS[1:])
    until(lambda: _crosses(second, third), "a message between the others")
