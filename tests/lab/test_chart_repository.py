"""The lab's charts by HTTPS, as a plugin of the vendor fetches them: an index, archives, an OCI registry."""

from __future__ import annotations

import ssl
import threading
import urllib.error
import urllib.request
from typing import TYPE_CHECKING

import pytest
import yaml

from lab.charts import CHARTS, package_charts
from tests.support.vendor_plugin.charts import read_hosts
from tests.support.vendor_plugin.proxy import Proxy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.sandbox import Sandbox

PLATFORM = "https://helm.ngc.nvidia.com/nvidia/ai-dynamo"


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("charts")
    package_charts(folder)
    with Proxy(read_hosts(folder), tmp_path_factory.mktemp("keys")) as made:
        threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True).start()
        yield made
        made.shutdown()


def test_nothing_else_is_to_be_had(proxy: Proxy) -> None:
    trusting = ssl.create_default_context(cafile=str(proxy.authority))
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({"https": proxy.address}), urllib.request.HTTPSHandler(context=trusting)
    )
    with pytest.raises(urllib.error.HTTPError, match="404"):
        opener.open(f"{PLATFORM}/other.tgz", timeout=10)
    with pytest.raises(OSError, match="no network"):
        opener.open("https://github.com/", timeout=10)


@pytest.mark.engine
def test_helm_itself_finds_every_chart_there(engine: Sandbox, proxy: Proxy) -> None:
    variables = {"HTTPS_PROXY": proxy.address, "SSL_CERT_FILE": str(proxy.authority)}
    for chart in CHARTS:
        is_oci = chart.repository.startswith("oci://")
        where = [f"{chart.repository}/{chart.name}"] if is_oci else [chart.name, "--repo", chart.repository]
        shown = engine.run("helm", "show", "chart", *where, "--version", chart.version, variables=variables)
        assert yaml.safe_load(shown.stdout)["name"] == chart.name
