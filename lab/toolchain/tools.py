"""The tools of the lab, each built from a Go module of its own under lab/tools.

A module each, because Go's version selection works per module: in one shared module the newest
dependency of any tool would lift the same dependency of all the others.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

MODULES_DIRECTORY = Path(__file__).resolve().parent.parent / "tools"

PULUMI_VERSION = "3.259.0"
KUBERNETES_VERSION = "1.36.3"
_KUBERNETES_MAJOR, _KUBERNETES_MINOR, _ = KUBERNETES_VERSION.split(".")

_STRIP = ("-s", "-w")
# kwokctl parses `--version`, and Helm charts compare it: unset, every component reports v0.0.0-master.
_KUBERNETES_VERSION_FLAGS = (
    f"-X k8s.io/component-base/version.gitVersion=v{KUBERNETES_VERSION}",
    f"-X k8s.io/component-base/version.gitMajor={_KUBERNETES_MAJOR}",
    f"-X k8s.io/component-base/version.gitMinor={_KUBERNETES_MINOR}",
)


@dataclass(frozen=True)
class ToolModule:
    """One Go module under lab/tools and the executables that it yields.

    `usual_seconds` is the build time with cold caches on two cores, shown to whoever waits for it.
    `for_the_lab` is false for what checks and tests alone need: `make lab-up` does not build it.
    """

    name: str
    packages: tuple[str, ...]
    executables: tuple[str, ...]
    usual_seconds: int
    linker_flags: tuple[str, ...] = _STRIP
    tags: tuple[str, ...] = ()
    for_the_lab: bool = True

    @property
    def directory(self) -> Path:
        """The folder with go.mod and go.sum."""
        return MODULES_DIRECTORY / self.name

    def version(self) -> str | None:
        """The version that go.mod pins of the first package's module; None for sources of our own."""
        pins = (self.directory / "go.mod").read_text()
        required = re.findall(r"^\s*(?:require )?(\S+) v(\S+)", pins, re.MULTILINE)
        package = f"{self.packages[0]}/"
        return next((version for module, version in required if package.startswith(f"{module}/")), None)

    def fingerprint(self) -> str:
        """Twelve hex digits that change when the module's pins, own sources or build options change."""
        digest = hashlib.sha256()
        sources = sorted(self.directory.glob("*.go"))
        for file in (self.directory / "go.mod", self.directory / "go.sum", *sources):
            digest.update(file.read_bytes())
        digest.update(repr((self.packages, self.executables, self.linker_flags, self.tags)).encode())
        return digest.hexdigest()[:12]


TOOL_MODULES: tuple[ToolModule, ...] = (
    ToolModule("etcd", ("go.etcd.io/etcd/server/v3",), ("etcd",), usual_seconds=40),
    ToolModule("nats-server", ("github.com/nats-io/nats-server/v2",), ("nats-server",), usual_seconds=15),
    ToolModule("compose-config", (".",), ("compose-config",), usual_seconds=20, for_the_lab=False),
    # Reads .github/workflows as GitHub does.
    ToolModule(
        "actionlint",
        ("github.com/rhysd/actionlint/cmd/actionlint",),
        ("actionlint",),
        usual_seconds=15,
        for_the_lab=False,
    ),
    # Reads and tries rules of Prometheus as it does itself; without its discovery of targets.
    ToolModule(
        "promtool",
        ("github.com/prometheus/prometheus/cmd/promtool",),
        ("promtool",),
        usual_seconds=120,
        tags=("remove_all_sd",),
        for_the_lab=False,
    ),
    ToolModule("helm", ("helm.sh/helm/v3/cmd/helm",), ("helm",), usual_seconds=60),
    ToolModule(
        "kwok",
        ("sigs.k8s.io/kwok/cmd/kwok", "sigs.k8s.io/kwok/cmd/kwokctl"),
        ("kwok", "kwokctl"),
        usual_seconds=75,
    ),
    ToolModule(
        "pulumi",
        ("github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",),
        ("pulumi",),
        usual_seconds=230,
        # Unset, the CLI reports no version and refuses every `requiredPulumiVersion` range.
        linker_flags=(
            *_STRIP,
            f"-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v{PULUMI_VERSION}",
        ),
        tags=("osusergo", "grpcnotrace"),
    ),
    ToolModule(
        "kubernetes",
        (
            "k8s.io/kubernetes/cmd/kube-apiserver",
            "k8s.io/kubernetes/cmd/kube-controller-manager",
            "k8s.io/kubernetes/cmd/kube-scheduler",
            "k8s.io/kubernetes/cmd/kubectl",
        ),
        ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"),
        usual_seconds=250,
        linker_flags=(*_STRIP, *_KUBERNETES_VERSION_FLAGS),
    ),
)

LAB_TOOLS = frozenset(name for module in TOOL_MODULES if module.for_the_lab for name in module.executables)
"""The executables that a lab runs."""
