"""Differences: what is one, what replaces the object, and in which order."""

from tests.lab.conformance.toy import POD, Toy


def test_data_of_a_named_config_map_is_replaced_by_deleting_it_first(toy: Toy) -> None:
    program = 'k8s.core.v1.ConfigMap("c", metadata=named("c"), data={{"key": "{value}"}})'
    toy.up(program.format(value=1))
    uid = toy.get("configmap", "c")["metadata"]["uid"]
    output = toy.up(program.format(value=2))
    found = toy.get("configmap", "c")
    assert found["data"] == {"key": "2"}
    assert found["metadata"]["uid"] != uid
    assert output.index("deleted original") < output.index("created replacement")


def test_an_immutable_field_replaces_and_any_other_does_not(toy: Toy) -> None:
    def job(limit: int, completions: int) -> str:
        template = '{"spec": {"restart_policy": "Never", "containers": [HUGE]}}'
        return f"""{POD}
k8s.batch.v1.Job("job", metadata=named("job", {{"pulumi.com/skipAwait": "true"}}),
    spec={{"backoff_limit": {limit}, "completions": {completions}, "template": {template}}})
"""

    toy.up(job(limit=1, completions=1))
    assert "~ 1 to update" in toy.preview(job(limit=2, completions=1))
    assert "+-1 to replace" in toy.preview(job(limit=1, completions=2))


def test_a_job_that_asks_for_it_is_replaced_by_the_next_update_unless_it_is_complete(toy: Toy) -> None:
    def job(container: str, deadline_seconds: int) -> str:
        template = f'{{"spec": {{"restart_policy": "Never", "containers": [{container}]}}}}'
        return f"""{POD}
asks = {{"pulumi.com/replaceUnready": "true"}}
k8s.batch.v1.Job("job", metadata=named("job", asks),
    spec={{"active_deadline_seconds": {deadline_seconds}, "template": {template}}})
"""

    toy.failing_up(job("HUGE", 1))
    assert "+-1 to replace" in toy.preview()
    toy.up(job("CONTAINER", 600))
    assert "to replace" not in toy.preview()


def test_what_the_api_server_spells_differently_is_no_difference(toy: Toy) -> None:
    toy.up(
        POD
        + """
container = {**CONTAINER, "stdin": False, "env": [{"name": "EMPTY", "value": ""}],
             "resources": {"requests": {"cpu": "1000m", "memory": "0.5Gi"}, "limits": {"memory": "1024Mi"}}}
k8s.apps.v1.Deployment("d", metadata=named("d"), spec=workload("d", container, replicas=1))
k8s.core.v1.Secret("s", metadata=named("s"), string_data={"key": "value"})
k8s.core.v1.ConfigMap("c", metadata=named("c"), data={})
k8s.core.v1.PersistentVolumeClaim("p", metadata=named("p", {"pulumi.com/skipAwait": "true"}),
    spec={"access_modes": ["ReadWriteOnce"], "storage_class_name": "none",
          "resources": {"requests": {"storage": "2048Mi"}}})
"""
    )
    toy.pulumi("preview", "--expect-no-changes")
    toy.pulumi("refresh", "--yes", "--skip-preview")
    toy.pulumi("preview", "--expect-no-changes")
