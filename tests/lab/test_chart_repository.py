"""The lab's charts by HTTPS, as a plugin of the vendor fetches them: an index, archives, an OCI registry."""

from __future__ import annotations

import io
import json
import ssl
import tarfile
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
    from collections.abc import Callable, Iterator

    from tests.support.sandbox import Sandbox

PLATFORM = "https://helm.ngc.nvidia.com/nvidia/ai-dynamo"


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("charts")
    package_charts(folder)
    with Proxy(read_hosts(folder), tmp_path_factory.mktemp("keys")) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture
def fetch(proxy: Proxy) -> Callable[[str], bytes]:
    trusting = ssl.create_default_context(cafile=str(proxy.authority))
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({"https": proxy.address}), urllib.request.HTTPSHandler(context=trusting)
    )

    def read(url: str) -> bytes:
        with opener.open(url, timeout=10) as answer:
            return answer.read()

    return read


def test_a_repository_lists_its_charts_and_has_their_archives(fetch: Callable[[str], bytes]) -> None:
    listed, *later = yaml.safe_load(fetch(f"{PLATFORM}/index.yaml"))["entries"]["dynamo-platform"]
    assert [each["version"] for each in (listed, *later)] == ["1.2.1", "1.4.2"]
    with tarfile.open(fileobj=io.BytesIO(fetch(f"{PLATFORM}/{listed['urls'][0]}"))) as archive:
        names = archive.getnames()
    assert "dynamo-platform/Chart.yaml" in names
    assert "dynamo-platform/crds/dynamographdeployments.nvidia.com.yaml" in names


def test_a_registry_has_the_chart_as_the_layer_of_a_manifest(fetch: Callable[[str], bytes]) -> None:
    root = "https://registry.k8s.io/v2/dra-driver-nvidia/charts/dra-driver-nvidia-gpu"
    [layer] = json.loads(fetch(f"{root}/manifests/0.4.1"))["layers"]
    with tarfile.open(fileobj=io.BytesIO(fetch(f"{root}/blobs/{layer['digest']}"))) as archive:
        assert "dra-driver-nvidia-gpu/Chart.yaml" in archive.getnames()


def test_nothing_else_is_to_be_had(fetch: Callable[[str], bytes]) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404"):
        fetch(f"{PLATFORM}/other.tgz")
    with pytest.raises(OSError, match="no network"):
        fetch("https://github.com/")


@pytest.mark.engine
def test_helm_itself_finds_every_chart_there(engine: Sandbox, proxy: Proxy) -> None:
    variables = {"HTTPS_PROXY": proxy.address, "SSL_CERT_FILE": str(proxy.authority)}
    for chart in CHARTS:
        is_oci = chart.repository.startswith("oci://")
        where = [f"{chart.repository}/{chart.name}"] if is_oci else [chart.name, "--repo", chart.repository]
        shown = engine.run("helm", "show", "chart", *where, "--version", chart.version, variables=variables)
        assert yaml.safe_load(shown.stdout)["name"] == chart.name
