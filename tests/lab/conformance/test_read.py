"""Read: what a refresh sees and does not see."""

from tests.lab.conformance.toy import POD, Toy

_CONFIG_MAP = 'k8s.core.v1.ConfigMap("c", metadata=named("c"), data={"key": "value"})'


def test_a_refresh_sees_changes_of_managed_fields_and_no_others(toy: Toy) -> None:
    toy.up(_CONFIG_MAP)
    assert not toy.drift()
    toy.kubectl("annotate", "configmap", "c", "foreign=1")
    toy.kubectl("patch", "configmap", "c", "--patch", '{"data": {"theirs": "1"}}')
    assert not toy.drift()
    toy.kubectl("patch", "configmap", "c", "--patch", '{"data": {"key": "changed"}}')
    toy.failing("refresh", "--yes", "--skip-preview", "--expect-no-changes")
    assert toy.state("c")["inputs"]["data"] == {"key": "changed"}


def test_a_refresh_sees_a_deletion_and_the_next_update_creates_again(toy: Toy) -> None:
    toy.up(_CONFIG_MAP)
    toy.kubectl("delete", "configmap", "c")
    assert toy.drift()
    toy.pulumi("refresh", "--yes", "--skip-preview")
    assert toy.recorded() == set()
    toy.up()
    assert toy.exists("configmap", "c")


def test_a_refresh_records_that_a_workload_is_not_ready(toy: Toy) -> None:
    toy.up(POD + 'k8s.apps.v1.Deployment("d", metadata=named("d"), spec=workload("d"))')
    toy.kubectl("set", "resources", "deployment", "d", "--requests=cpu=9000")
    toy.kubectl("delete", "pod", "--all", "--wait=false")
    toy.kubectl("scale", "deployment", "d", "--replicas=2")
    output = toy.pulumi("refresh", "--yes", "--skip-preview", check=False)
    assert "Resource 'd' was created but failed to initialize" in output.stdout + output.stderr
    assert toy.state("d")["initErrors"]


def test_an_unreachable_cluster_fails_a_refresh_and_can_be_forgotten(toy: Toy) -> None:
    toy.up(_CONFIG_MAP)
    nowhere = toy.folder / "nowhere"
    nowhere.write_text(toy.lab.directory.kubeconfig.read_text())
    toy.lab.kubectl("--kubeconfig", str(nowhere), "config", "set-cluster", _cluster(toy, nowhere),
                    "--server=https://127.0.0.1:1")  # fmt: skip
    variables = {"KUBECONFIG": str(nowhere)}
    # A preview knows nothing then, and says nothing.
    toy.preview('k8s.core.v1.ConfigMap("other", metadata=named("other"))', variables=variables)
    assert (
        "configured Kubernetes cluster is unreachable: unable to load schema information"
        in toy.failing_up(variables=variables)
    )
    refused = toy.failing("refresh", "--yes", "--skip-preview", variables=variables)
    assert "PULUMI_K8S_DELETE_UNREACHABLE" in refused
    toy.pulumi(
        "refresh", "--yes", "--skip-preview", variables={**variables, "PULUMI_K8S_DELETE_UNREACHABLE": "true"}
    )
    assert toy.recorded() == set()
    assert toy.exists("configmap", "c")


def _cluster(toy: Toy, kubeconfig: object) -> str:
    answer = toy.lab.kubectl(
        "--kubeconfig", str(kubeconfig), "config", "view", "-o", "jsonpath={.clusters[0].name}"
    )
    return answer.stdout
