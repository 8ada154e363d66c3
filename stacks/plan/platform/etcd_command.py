"""The command line of an etcd member, apart from Pulumi so that it can be run as it is."""

from collections.abc import Mapping

CLIENT_PORT = 2379
PEER_PORT = 2380
METRICS_PORT = 2381
DATA_PATH = "/var/lib/etcd"
STATE_VARIABLE = "INITIAL_CLUSTER_STATE"

_CLUSTER_TOKEN = "dynamo-etcd"  # noqa: S105 - tells clusters apart and is no secret


def etcd_command(hosts: Mapping[str, str], quota_bytes: int) -> list[str]:
    """Return the command line that every member runs.

    The image has no shell, so what differs between members stands as $(VARIABLE), which the kubelet
    replaces.

    Args:
        hosts: DNS name of each member, by the member's name.
        quota_bytes: size of the database at which etcd takes no more writes (NOSPACE).

    """
    members = ",".join(f"{name}=http://{host}:{PEER_PORT}" for name, host in hosts.items())
    # All hosts are <name>.<the same>, and the kubelet knows only the name.
    domain = next(iter(hosts.values())).partition(".")[2]
    return [
        "etcd",
        "--name=$(POD_NAME)",
        # A folder of its own: a volume's root belongs to root and often holds lost+found.
        f"--data-dir={DATA_PATH}/member-data",
        f"--listen-client-urls=http://0.0.0.0:{CLIENT_PORT}",
        f"--advertise-client-urls=http://$(POD_NAME).{domain}:{CLIENT_PORT}",
        f"--listen-peer-urls=http://0.0.0.0:{PEER_PORT}",
        f"--initial-advertise-peer-urls=http://$(POD_NAME).{domain}:{PEER_PORT}",
        f"--initial-cluster={members}",
        f"--initial-cluster-token={_CLUSTER_TOKEN}",
        f"--initial-cluster-state=$({STATE_VARIABLE})",
        # Health for the kubelet, answered also while the client port waits for a leader.
        f"--listen-metrics-urls=http://0.0.0.0:{METRICS_PORT}",
        # Off by default (0): every lease renewal would stay in the history until the quota is full.
        "--auto-compaction-mode=periodic",
        "--auto-compaction-retention=1h",
        f"--quota-backend-bytes={quota_bytes}",
    ]
