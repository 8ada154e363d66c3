"""The table of faults that are known by their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from operations.doctor.finding import Stage, last_signed, signature_of, signatures
from stacks.settings.stack import StackSettings
from tests.support.runbook import pages

if TYPE_CHECKING:
    from operations.doctor.finding import Signature

# Words as they were published -> part of what they mean.
PUBLISHED = {
    "Failed to pull image: no match for platform in manifest: not found": "Grace is arm64",
    "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=13.0": "newer NVIDIA driver",
    "0/3 nodes are available: 3 Insufficient vpc.amazonaws.com/efa.": "EFA devices",
    "channel 0 already allocated by claim gpt-oss/worker-1": "a node has one",
    "UnexpectedAdmissionError: Allocate failed due to device plugin GetPreferredAllocation": "unhealthy",
    "RuntimeError: Error 802: system not yet initialized": "Fabric Manager",
    "MountVolume.MountDevice failed: mount.lustre: Is the MGS running?": "does not reach the Lustre",
    'waiting, CreateContainerConfigError secret "hf-token" not found': "a Secret or a ConfigMap",
    "Free memory on device is less than desired GPU memory utilization": "another process",
    "pydantic: kv_cach_config Extra inputs are not permitted": "does not know a key",
    "Impossible to fit in any sequence in kvCache": "no memory is left for the KV cache",
    "NCCL WARN MNNVL (cliqueSize 8) is available but not working on this system": "no IMEX channel",
    "Handshake failed for request cmpl-1": "NIXL does not hand the KV cache over",
}


@pytest.mark.parametrize(("words", "means"), PUBLISHED.items())
def test_published_words_are_known(words: str, means: str) -> None:
    found = signature_of(words)
    assert found is not None
    assert means in found.means


def test_words_that_nobody_knows_stay_unexplained() -> None:
    assert signature_of("main waiting, ContainerCreating") is None


@pytest.mark.parametrize("row", signatures(), ids=lambda row: row.sign.pattern)
def test_a_row_names_a_page_that_exists_and_a_setting_that_can_be_typed(row: Signature) -> None:
    assert row.page in pages()
    head, _, rest = row.setting.partition(".")
    if head == "hfToken":
        return
    fields = {field.alias or name: field for name, field in StackSettings.model_fields.items()}
    assert head in fields
    model = fields[head].annotation
    assert not rest or rest in {field.alias or name for name, field in model.model_fields.items()}  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]


def test_a_log_is_read_from_its_end_and_what_a_ready_pod_has_left_behind_is_no_fault() -> None:
    log = ["Failed to connect to NATS", "NIXL_ERR_BACKEND", "request done"]
    signed = last_signed(log, Stage.REGISTRATION)
    assert signed is not None
    assert signed[1] == "NIXL_ERR_BACKEND"
    assert last_signed(log[:1], Stage.REGISTRATION) is None
