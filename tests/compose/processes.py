"""A compose project as processes of this machine, in the order of Docker.

Compose's own loader reads the project. Containers become processes with the same command lines, variables and
mounts, each on a loopback address of its own, behind which the other services find it by name; images are the
programs of the lab. There is no Docker here, so users, limits, devices and namespaces are what Docker alone
would do, and no port is published.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from compose.discovery import ETCD
from lab import slots
from lab.kubelet.programs import Programs
from lab.kubelet.translation import Translation
from lab.toolchain.build import cache_directory, executables
from lab.toolchain.runtime import RUNTIME
from stacks.plan.platform import etcd_command, nats_configuration

_START_SECONDS = 120
_STOP_SECONDS = 60
# The lab builds no etcdctl; etcd answers the same question by HTTP.
_ETCDCTL = """#!/bin/sh
exec wget -q -O /dev/null http://{address}:2379/health
"""


# Where the runtime listens and what it announces: in a container the one address of its network.
_HOSTS = ("DYN_HTTP_HOST", "DYN_SYSTEM_HOST", "DYN_TCP_RPC_HOST")


@cache
def _network() -> str:
    # Of a slot of this process: other programs may have the ports of 127.0.0.1.
    return slots.network(slots.first_free().number)


@dataclass
class Host:
    """One project, while it runs."""

    folder: Path
    """The compose file lies there."""
    scratch: Path
    codes: dict[str, int] = field(default_factory=dict)
    """Exit codes of services that have ended."""
    _running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _services: Mapping[str, Any] = field(default_factory=dict)
    _addresses: dict[str, str] = field(default_factory=dict)

    def address(self, name: str) -> str:
        """Return the address of a service, at which the processes of this machine reach it."""
        return self._addresses[name]

    def up(self) -> None:
        """Start every service once those that it depends on are as it wants them."""
        self._services = self._configured()
        self._addresses = dict(zip(self._services, map(str, ip_network(_network()).hosts()), strict=False))
        self._programs = self._images()
        left = dict(self._services)
        while left:
            ready = [
                name for name, each in left.items() if not each.get("depends_on", {}).keys() & left.keys()
            ]
            for name in ready:
                for other, wanted in left[name].get("depends_on", {}).items():
                    self._wait(other, wanted["condition"])
                self._start(name)
                del left[name]
        for name, each in self._services.items():
            if "healthcheck" in each:
                self._wait(name, "service_healthy")

    def down(self) -> None:
        """End the services in the other order, as `docker compose down` does."""
        for name, process in reversed(self._running.items()):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            self.codes[name] = process.wait(_STOP_SECONDS)

    def kill(self) -> None:
        """End whatever a failed test left."""
        for process in self._running.values():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def log(self, name: str) -> str:
        """What a service has printed."""
        return (self.scratch / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def _configured(self) -> dict[str, Any]:
        answer = subprocess.run(
            [str(executables(cache_directory())["compose-config"])],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=False,
        )
        assert answer.returncode == 0, answer.stderr
        return json.loads(answer.stdout)["services"]

    def _images(self) -> Path:
        root = self.scratch / "images"
        root.mkdir()
        tools = self.scratch / "tools"
        tools.mkdir()
        for name in ("etcd", "nats-server"):
            (tools / name).symlink_to(executables(cache_directory())[name])
        folder = Programs(root, tools, RUNTIME.python(cache_directory())).folder(None)
        (folder / "etcdctl").write_text(_ETCDCTL.format(address=self.address(ETCD)))
        (folder / "etcdctl").chmod(0o755)
        return folder

    def _translation(self, name: str) -> Translation:
        own = self.scratch / "volumes" / f"{name}-own"
        own.mkdir(parents=True, exist_ok=True)
        mounts = {nats_configuration.DATA_PATH: str(own), etcd_command.DATA_PATH: str(own)}
        service, here = self._services[name], self.address(name)
        translation = Translation(here, mounts, {"127.0.0.1": here}, self._addresses)
        for mount in service.get("volumes", ()):
            source = Path(mount["source"])
            if mount["type"] == "volume":
                source = self.scratch / "volumes" / mount["source"]
                source.mkdir(parents=True, exist_ok=True)
            elif source.is_file():
                text = translation.text(source.read_text(encoding="utf-8"))
                source = self.scratch / source.name
                source.write_text(text, encoding="utf-8")
            mounts[mount["target"]] = str(source)
        for path in service.get("tmpfs", ()):
            mounts[path.partition(":")[0]] = str(own)
        return translation

    def _variables(self, name: str, translation: Translation) -> dict[str, str]:
        home = self.scratch / "home"
        home.mkdir(exist_ok=True)
        variables = {"PATH": f"{self._programs}:{os.environ['PATH']}", "HOME": str(home)}
        # The runtime takes an interface there, the first one of the machine without it.
        variables |= dict.fromkeys(_HOSTS, self.address(name)) | {"DYN_TCP_RESPONSE_STREAM_HOST": "lo"}
        given = self._services[name].get("environment") or {}
        return variables | {key: translation.text(value) for key, value in given.items()}

    def _start(self, name: str) -> None:
        service = self._services[name]
        translation = self._translation(name)
        words = [*service["entrypoint"], *(service.get("command") or ())]
        with (self.scratch / f"{name}.log").open("wb") as log:
            self._running[name] = subprocess.Popen(
                [translation.text(word) for word in words],
                cwd=self.scratch,
                env=self._variables(name, translation),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _wait(self, name: str, condition: str) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while not self._is(name, condition):
            assert time.monotonic() < deadline, f"{name} is not {condition}:\n{self.log(name)}"
            time.sleep(0.5)

    def _is(self, name: str, condition: str) -> bool:
        code = self._running[name].poll()
        if condition == "service_completed_successfully":
            assert not code, f"{name} ended with {code}:\n{self.log(name)}"
            return code == 0
        assert code is None, f"{name} ended with {code}:\n{self.log(name)}"
        translation = self._translation(name)
        [kind, *test] = self._services[name]["healthcheck"]["test"]
        assert kind == "CMD"
        answer = subprocess.run(
            [translation.text(word) for word in test],
            env=self._variables(name, translation),
            capture_output=True,
            check=False,
            timeout=30,
        )
        return answer.returncode == 0


@contextmanager
def host(folder: Path, scratch: Path) -> Iterator[Host]:
    """The host of a project, whose processes all end with the test."""
    made = Host(folder, scratch)
    try:
        yield made
    finally:
        made.kill()
