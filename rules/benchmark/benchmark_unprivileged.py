"""A benchmark needs no privilege for a kernel setting that its pod may set itself."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.benchmarks.benchmarks import Benchmark, check_benchmarks
from rules.reading.shapes import field

# https://kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster/ (safe sysctls of Kubernetes 1.32)
_SAFE_SYSCTLS = frozenset(
    {
        "kernel.shm_rmid_forced",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.ping_group_range",
        "net.ipv4.ip_unprivileged_port_start",
        "net.ipv4.ip_local_reserved_ports",
        "net.ipv4.tcp_keepalive_time",
        "net.ipv4.tcp_fin_timeout",
        "net.ipv4.tcp_keepalive_intvl",
        "net.ipv4.tcp_keepalive_probes",
        "net.ipv4.tcp_rmem",
        "net.ipv4.tcp_wmem",
    }
)


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_benchmarks(graph, _check_benchmark)


def _check_benchmark(benchmark: Benchmark) -> Iterator[Observation]:
    if field(benchmark.script.container, "securityContext", "privileged") is not True:
        return
    names = [
        word.text.partition("=")[0]
        for words, _ in benchmark.script.arguments_of("sysctl")
        for word in words
        if "=" in word.text
    ]
    if names and set(names) <= _SAFE_SYSCTLS:
        yield failed(
            benchmark.resource,
            benchmark.name,
            f"is privileged to set {', '.join(sorted(set(names)))}, which every pod may set for itself",
        )


RULE = Rule(
    id="benchmark-unprivileged",
    title="A benchmark needs no privilege to set a safe sysctl",
    severity=Severity.ADVISORY,
    reason=(
        "A privileged container owns its node, and namespaces with a baseline or restricted pod security "
        "standard refuse it; the kubelet sets a safe sysctl for any pod that names it."
    ),
    source="https://kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster/",
    lines=EVERY_RELEASE,
    fix=(
        "Drop privileged and sysctl -w; give the pod securityContext.sysctls with name and value, such as "
        'net.ipv4.ip_local_port_range "1024 65000".'
    ),
    check=_check,
)
