from typing import Any

import pytest
import yaml

from lab.kubernetes_provider.kubeconfig import (
    KubeconfigError,
    NotLoopbackError,
    load,
    require_loopback,
    target,
)


def _config(server: str = "https://127.0.0.1:6443", **cluster: Any) -> str:
    return yaml.safe_dump(
        {
            "current-context": "one",
            "clusters": [{"name": "c", "cluster": {"server": server, **cluster}}],
            "users": [{"name": "u", "user": {"token": "t"}}],
            "contexts": [{"name": "one", "context": {"cluster": "c", "user": "u", "namespace": "n"}}],
        }
    )


@pytest.mark.parametrize("text", ["not a kubeconfig", "{: broken\n", "[]\n"])
def test_what_is_no_kubeconfig_gives_the_vendors_reason(text: str) -> None:
    with pytest.raises(
        KubeconfigError, match="failed to parse kubeconfig data in `kubernetes:config:kubeconfig`"
    ):
        load(text)


def test_this_machine_is_talked_to_and_no_other() -> None:
    require_loopback(target(load(_config())))
    with pytest.raises(NotLoopbackError, match="not this machine"):
        require_loopback(target(load(_config("https://203.0.113.7:6443"))))
    # A proxy may lead anywhere.
    with pytest.raises(NotLoopbackError, match="goes through a proxy"):
        require_loopback(target(load(_config(**{"proxy-url": "http://127.0.0.1:3128"}))))
